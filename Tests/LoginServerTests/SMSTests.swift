// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
@testable import LoginAccounts
import Testing

@testable import LoginServer

/// Codes to phones, which an external program sends.
@Suite struct SMSTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "sms-\(UUID().uuidString)")

    init() throws {
        // The service ignores it too: a program that ends early closes the pipe.
        signal(SIGPIPE, SIG_IGN)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func message(
        _ purpose: PhoneCodeMessage.Purpose = .signIn,
        until expiresAt: Date = .now + 300
    ) -> PhoneCodeMessage {
        PhoneCodeMessage(
            number: "+14155550100",
            code: "123456",
            purpose: purpose,
            expiresAt: expiresAt
        )
    }

    private func sender(_ script: String) -> CommandSMSSender {
        CommandSMSSender(
            command: MessageCommand(key: .smsCommand, commandLine: ["/bin/sh", "-c", script]),
            publicURL: "https://login.example.com:8443"
        )
    }

    @Test func `the SMS program reads the number and the text, whose last line binds the code to the host`()
        async throws
    {
        let file = folder.appending(path: "sms.txt")
        try await sender("cat > '\(file.path)'").send(message())
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        #expect(lines.count == 6)
        #expect(lines.first == "To: +14155550100" && lines[1].isEmpty)
        #expect(lines[2].hasPrefix("123456 is your code to sign in."))
        #expect(lines[4] == "@login.example.com #123456")
    }

    @Test func `an expired code is not sent`() async throws {
        let file = folder.appending(path: "never.txt")
        let failure = await #expect(throws: MessageFailure.self) {
            try await sender("cat > '\(file.path)'").send(message(until: .now))
        }
        #expect(failure?.description == "the code has expired")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(arguments: PhoneCodeMessage.Purpose.allCases)
    func `the message for every purpose fits in one SMS`(_ purpose: PhoneCodeMessage.Purpose) throws {
        let text = sender("").text(of: message(purpose)).split(separator: "\n").dropFirst().joined(separator: "\n\n")
        #expect(text.utf8.count <= 160, "\(text)")
    }
}
#endif
