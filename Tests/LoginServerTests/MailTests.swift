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

/// Mail delivery with an external program, and the queue before it.
@Suite struct MailTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID().uuidString)")

    init() throws {
        // The service ignores it too: a program that ends early closes the pipe.
        signal(SIGPIPE, SIG_IGN)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func message(to address: String = "ada@example.com") -> EmailMessage {
        EmailMessage(
            kind: .resetPassword,
            address: address,
            token: "made-up-token",
            expiresAt: Date(timeIntervalSince1970: 1_760_000_000)
        )
    }

    private func mailer(_ script: String, deadline: Duration = .seconds(30)) -> CommandMailer {
        CommandMailer(
            command: MessageCommand(key: .mailCommand, words: ["/bin/sh", "-c", script], deadline: deadline),
            publicURL: "https://login.example.com"
        )
    }

    @Test func `the mail program reads the message, with one recipient and the link`() async throws {
        let file = folder.appending(path: "mail.txt")
        try await mailer("cat > '\(file.path)'").send(message())
        let mail = try String(contentsOf: file, encoding: .utf8)
        #expect(mail.hasPrefix("To: ada@example.com\nSubject: Choose a new password\n"))
        #expect(mail.contains("\nhttps://login.example.com/new-password?token=made-up-token\n"))
        #expect(mail.split(separator: "\n").filter { $0.hasPrefix("To:") || $0.hasPrefix("Bcc:") }.count == 1)
    }

    @Test(arguments: ["ada@example.com\nBcc: eve@example.com", "ada@example.com\r\n\r\nhello", "ada\u{0}@example.com"])
    func `mail to an address with line breaks or control characters is refused and not sent`(address: String)
        async throws
    {
        let file = folder.appending(path: "never.txt")
        await #expect(throws: MessageFailure.self) {
            try await mailer("cat > '\(file.path)'").send(message(to: address))
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(arguments: [
        ("exit 3", 60, "exited with status 3"), ("exec sleep 600", 1, "timed out"),
        ("trap '' TERM; exec sleep 600", 1, "timed out"),
    ])
    func `sending mail fails if the program exits with an error or times out`(
        script: String,
        seconds: Int,
        reason: String
    )
        async throws
    {
        let began = ContinuousClock.now
        let failure = await #expect(throws: MessageFailure.self) {
            try await mailer(script, deadline: .seconds(seconds)).send(message())
        }
        #expect(failure?.description.contains(reason) == true)
        #expect(failure?.description.contains("ada") == false)
        #expect(began.duration(to: .now) < .seconds(300))
    }

    @Test func `a mail program that runs when the service stops can finish, and is not reported as timed out`()
        async throws
    {
        let (file, gate) = (folder.appending(path: "late.txt"), folder.appending(path: "gate"))
        let script = "while [ ! -e '\(gate.path)' ]; do sleep 0.1; done; cat > '\(file.path)'"
        let mailer = mailer(script, deadline: .seconds(600))
        let sending = Task { try await mailer.send(message()) }
        sending.cancel()
        let failure = await #expect(throws: MessageFailure.self) { try await sending.value }
        #expect(failure?.description.contains("the service stopped") == true)
        try Data().write(to: gate)
        try await eventually("the program ends by itself") {
            (try? String(contentsOf: file, encoding: .utf8))?.contains("made-up-token") ?? false
        }
    }

    @Test func `sending mail fails if the program does not exist`() async throws {
        let command = MessageCommand(key: .mailCommand, words: ["/nowhere/sendmail"])
        let mailer = CommandMailer(command: command, publicURL: "https://login.example.com")
        await #expect(throws: MessageFailure.self) { try await mailer.send(message()) }
    }

    /// A sender that holds each message until it is released.
    private final class SlowSender: EmailSender {
        let sent = Mutex<[String]>([])
        private let gate: AsyncStream<Void>
        let open: AsyncStream<Void>.Continuation

        init() { (gate, open) = AsyncStream.makeStream() }

        func send(_ message: EmailMessage) async throws {
            for await _ in gate { break }
            sent.withLock { $0.append(message.address) }
            if message.address.hasPrefix("bad") { throw MessageFailure(description: "it cannot be sent") }
        }
    }

    private func queue(_ sender: SlowSender, _ logger: Logger) -> MessageQueue<EmailMessage> {
        MessageQueue("mail", logger: logger) { try await sender.send($0) }
    }

    @Test func `callers do not wait for mail, and a failed delivery is logged without the address`() async throws {
        let handler = InMemoryLogHandler()
        let logger = Logger(label: "mail") { _ in handler }
        let sender = SlowSender()
        let queue = queue(sender, logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await queue.run() }
            // Both calls return although nothing is sent yet.
            try await queue.send(message(to: "bad@example.com"))
            try await queue.send(message(to: "ada@example.com"))
            #expect(sender.sent.withLock(\.self).isEmpty)
            sender.open.yield()
            sender.open.yield()
            while sender.sent.withLock(\.count) < 2 { try await Task.sleep(for: .milliseconds(5)) }
            group.cancelAll()
        }
        #expect(sender.sent.withLock(\.self) == ["bad@example.com", "ada@example.com"])
        let entries = handler.entries
        #expect(entries.map(\.message) == ["mail not sent"])
        #expect(entries.first.map { "\($0)".contains("example.com") } == false)
    }

    @Test func `a full mail queue refuses further messages`() async throws {
        let queue = queue(SlowSender(), Logger(label: "mail") { _ in InMemoryLogHandler() })
        for _ in 0..<1_000 { try await queue.send(message()) }
        let failure = await #expect(throws: MessageFailure.self) { try await queue.send(message()) }
        #expect(failure?.description == "the mail queue is full")
    }

    @Test func `messages that are queued when the service stops are not sent, and are logged`() async throws {
        let handler = InMemoryLogHandler()
        let sender = SlowSender()
        let queue = queue(sender, Logger(label: "mail") { _ in handler })
        for _ in 0..<3 { try await queue.send(message()) }
        let running = Task { await queue.run() }
        running.cancel()
        await running.value
        #expect(sender.sent.withLock(\.count) <= 1)
        let reasons = handler.entries.map { "\($0)" }.filter { $0.contains("stopped before the message was sent") }
        #expect(reasons.count >= 2)
    }
}
#endif
