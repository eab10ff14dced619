// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import InMemoryLogging
@testable import LoginAccounts
import Logging
import Synchronization
import TestSupport
import Testing

@testable import LoginServer

/// The queues of codes to phones.
@Suite struct CodeQueuesTests {
    /// A sender that holds each code to sign in until it is released.
    private final class HeldSender: Sendable {
        /// The codes that are being sent, or were sent.
        let begun = Mutex<[String]>([])
        private let gates: [AsyncStream<Void>]
        private let releases: [AsyncStream<Void>.Continuation]

        init(holding count: Int) {
            let pairs = (0..<count).map { _ in AsyncStream.makeStream(of: Void.self) }
            (gates, releases) = (pairs.map(\.stream), pairs.map(\.continuation))
        }

        func send(_ message: PhoneCodeMessage) async {
            begun.withLock { $0.append(message.code) }
            guard message.purpose == .signIn, let number = Int(message.code) else { return }
            for await _ in gates[number] {}
        }

        func release(_ number: Int) { releases[number].finish() }

        func hasBegun(_ code: String) -> Bool { begun.withLock { $0.contains(code) } }
    }

    private func message(_ purpose: PhoneCodeMessage.Purpose, code: String) -> PhoneCodeMessage {
        PhoneCodeMessage(number: "+14155550100", code: code, purpose: purpose, expiresAt: .now + 300)
    }

    @Test func `four codes to sign in are sent at once, and codes of second factors do not wait for them`() async throws
    {
        let sender = HeldSender(holding: 5)
        let logger = Logger(label: "sms") { _ in InMemoryLogHandler() }
        let queues = CodeQueues(logger: logger) { await sender.send($0) }
        for number in 0..<5 { try await queues.send(message(.signIn, code: "\(number)")) }
        let running = [queues.firstFactors, queues.secondFactors].map { queue in Task { await queue.run() } }
        try await eventually("four codes are being sent") { sender.begun.withLock(\.count) == 4 }
        try await queues.send(message(.secondFactor, code: "to confirm"))
        try await queues.send(message(.enrollment, code: "to enroll"))
        try await eventually("the codes of second factors are sent") {
            sender.hasBegun("to confirm") && sender.hasBegun("to enroll")
        }
        #expect(!sender.hasBegun("4"))
        sender.release(2)
        try await eventually("the fifth code is sent") { sender.hasBegun("4") }
        for task in running {
            task.cancel()
            await task.value
        }
    }
}
#endif
