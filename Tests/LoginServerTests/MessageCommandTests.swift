// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import TestSupport
import Testing

@testable import LoginServer

/// The run of the program that sends a message, and its failures.
@Suite struct MessageCommandTests {
    private static let message = "To: ada@example.com\n\nmade-up-token\n"

    init() {
        // The service ignores it too: a program that ends early closes the pipe.
        signal(SIGPIPE, SIG_IGN)
    }

    private func command(_ script: String, deadline: Duration) -> MessageCommand {
        MessageCommand(key: .mailCommand, commandLine: ["/bin/sh", "-c", script], deadline: deadline)
    }

    @Test(arguments: [
        ("exit 3", 60, "exited with status 3"), ("exec sleep 600", 1, "timed out"),
        ("trap '' TERM; exec sleep 600", 1, "timed out"),
    ])
    func `a program that exits with an error or times out is reported, without the message`(
        script: String,
        seconds: Int,
        reason: String
    ) async throws {
        let began = ContinuousClock.now
        let failure = await #expect(throws: MessageFailure.self) {
            try await command(script, deadline: .seconds(seconds)).send(Self.message)
        }
        #expect(failure?.description == "mail.command \(reason)")
        #expect(began.duration(to: .now) < .seconds(300))
    }

    @Test func `a program that runs when the service stops can finish, and is not reported as timed out`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, gate) = (folder.appending(path: "late.txt"), folder.appending(path: "gate"))
        let script = "while [ ! -e '\(gate.path)' ]; do sleep 0.1; done; cat > '\(file.path)'"
        let command = command(script, deadline: .seconds(600))
        let sending = Task { try await command.send(Self.message) }
        sending.cancel()
        let failure = await #expect(throws: MessageFailure.self) { try await sending.value }
        #expect(failure?.description == "the service stopped before mail.command exited")
        try Data().write(to: gate)
        try await eventually("the program ends by itself") {
            (try? String(contentsOf: file, encoding: .utf8))?.contains("made-up-token") ?? false
        }
    }

    @Test func `a program that does not exist is reported`() async throws {
        let command = MessageCommand(key: .smsCommand, commandLine: ["/nowhere/send-sms"])
        let failure = await #expect(throws: MessageFailure.self) { try await command.send(Self.message) }
        #expect(failure?.description == "sms.command cannot be started")
    }
}
#endif
