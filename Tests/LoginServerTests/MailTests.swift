// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
@testable import LoginAccounts
import Testing

@testable import LoginServer

/// E-mail messages, which an external program sends.
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

    private func mailer(_ script: String) -> CommandMailer {
        CommandMailer(
            command: MessageCommand(key: .mailCommand, commandLine: ["/bin/sh", "-c", script]),
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

    @Test func `an international address is passed on as it is stored`() {
        let mail = mailer("true").text(of: message(to: "j\u{F6}rg@xn--bcher-kva.example"))
        #expect(mail.hasPrefix("To: j\u{F6}rg@xn--bcher-kva.example\nSubject: "))
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
}
#endif
