// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Synchronization
import TestSupport
import Testing

@testable import LoginServer

/// The queue of outgoing messages: its limit, its failures and its end.
@Suite struct MessageQueueTests {
    private let log = LogLines()

    /// A delivery that holds each message until it is released.
    ///
    /// Messages that begin with `bad` fail.
    private final class HeldDelivery: Sendable {
        let sent = Mutex<[String]>([])
        private let gate: AsyncStream<Void>
        let open: AsyncStream<Void>.Continuation

        init() { (gate, open) = AsyncStream.makeStream() }

        func deliver(_ address: String) async throws {
            for await _ in gate { break }
            sent.withLock { $0.append(address) }
            if address.hasPrefix("bad") { throw MessageFailure(description: "it cannot be sent") }
            if address.hasPrefix("worse") { throw UnknownAddress(address: address) }
        }
    }

    /// An error whose description contains the recipient.
    private struct UnknownAddress: Error {
        let address: String
    }

    private func queue(_ delivery: HeldDelivery) -> MessageQueue<String> {
        MessageQueue("mail", logger: log.logger) { try await delivery.deliver($0) }
    }

    @Test func `callers do not wait, and a failed delivery is logged without the recipient`() async throws {
        let delivery = HeldDelivery()
        let queue = queue(delivery)
        let addresses = ["bad@example.com", "worse@example.com", "ada@example.com"]
        let running = Task { await queue.run() }
        // All calls return although nothing is sent yet.
        for address in addresses { try await queue.send(address) }
        #expect(delivery.sent.withLock(\.self).isEmpty)
        for _ in addresses { delivery.open.yield() }
        try await eventually("all messages were tried") { delivery.sent.withLock(\.count) == addresses.count }
        running.cancel()
        await running.value
        #expect(delivery.sent.withLock(\.self) == addresses)
        let reasons = ["it cannot be sent", "UnknownAddress"]
        #expect(log.lines == reasons.map { "error mail not sent mail.reason=\($0)" })
    }

    @Test func `a full queue refuses further messages`() async throws {
        let queue = queue(HeldDelivery())
        for _ in 0..<MessageQueue<String>.capacity { try await queue.send("ada@example.com") }
        let failure = await #expect(throws: MessageFailure.self) { try await queue.send("ada@example.com") }
        #expect(failure?.description == "the mail queue is full")
    }

    @Test func `messages that are queued when the service stops are not sent, and are logged`() async throws {
        let delivery = HeldDelivery()
        let queue = queue(delivery)
        for _ in 0..<3 { try await queue.send("ada@example.com") }
        let running = Task { await queue.run() }
        running.cancel()
        await running.value
        #expect(delivery.sent.withLock(\.count) <= 1)
        #expect(log.lines.filter { $0.contains("stopped before the message was sent") }.count >= 2)
    }
}
#endif
