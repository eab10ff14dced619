// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && SQLite
internal import Foundation
internal import LoginAccounts
import LoginProviders
internal import Testing

/// `verify-token accounts unlink` and `accounts end-password`.
@Suite struct UnlinkCommandTests {
    private typealias Server = AccountsCommandTests.Server

    /// Writes the keys of the server, or others.
    private func keys(_ server: Server, _ byte: String = "01") throws -> String {
        let path = try server.folder.write(String(repeating: byte, count: 32) + "\n", "keys-\(byte)").path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    @Test(arguments: AccountsCommandTests.Engine.all)
    func `the last login is unlinked only by force, which disables the account`(_ engine: AccountsCommandTests.Engine)
        async throws
    {
        let server = try await Server(engine)
        let login = ["--provider", "google", "--uid", "lovelace-1815"]
        func run(_ more: String...) throws -> CommandLineRun {
            let keys = ["--secrets-file", try keys(server)]
            return try CommandLineRun(["accounts", "unlink", server.id] + login + keys + more + server.options)
        }
        let refused = try run()
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.errors
                == "verify-token: the account has no other way to sign in: --force unlinks it nevertheless, and disables the account\n"
        )
        #expect(try server.run("show", server.id).output.contains("\nlogins: 1\n"))
        #expect(try run("--force").output == "unlinked; 1 sessions closed; the account is disabled\n")
        await #expect(throws: AuthError.self) { try await server.auth.session(server.ada.tokens.sessionToken) }
        #expect(try server.run("check").output == "0 problems\n")
        #expect(try run("--force").status == 1)
        let audit = try server.run("audit", server.id).output
        #expect(audit.contains(" identity.unlinked by service provider=google") && !audit.contains("lovelace"))
        #expect(try await server.signIn().account.id != server.ada.account.id)
    }

    @Test(arguments: AccountsCommandTests.Engine.all)
    func `a password is ended, and its sessions with it`(_ engine: AccountsCommandTests.Engine) async throws {
        let server = try await Server(engine, offersPasswords: true)
        let password = "correct horse battery"
        _ = try await server.ada.session.setPassword(password, email: "ada@example.com")
        let credential = AuthCredential.password(email: "ada@example.com", password: password)
        let opened = try await server.auth.signIn(with: credential).get()
        let keys = try keys(server)
        let json = try server.run("end-password", server.id, "--secrets-file", keys, "--format", "json").json()
        #expect(json["account"] as? String == server.id && json["provider"] as? String == "password")
        #expect(json["closedSessions"] as? Int == 1 && json["isDisabled"] as? Bool == false)
        await #expect(throws: AuthError.self) { try await server.auth.session(opened.tokens.sessionToken) }
        await #expect(throws: AuthError.self) { try await server.auth.signIn(with: credential) }
        let again = try server.run("end-password", server.id, "--secrets-file", keys)
        #expect(again.status == 1)
        #expect(again.errors == "verify-token: the account has no such identity: accounts show lists its logins\n")
        #expect(try server.run("check").output == "0 problems\n")
    }

    @Test func `unlink needs the ID of an account, a provider and the keys of the servers`() async throws {
        let server = try await Server()
        let keys = try keys(server)
        #expect(try server.run("unlink", server.id, "--provider", "google").status == 64)
        #expect(try server.run("unlink", server.id, "--secrets-file", keys).status == 64)
        #expect(try server.run("unlink", "ada", "--provider", "google", "--secrets-file", keys).status == 64)
        let other = try server.run(
            "unlink",
            server.id,
            "--provider",
            "google",
            "--force",
            "--secrets-file",
            try self.keys(server, "02")
        )
        #expect(other.status == 2 && other.errors.contains("another key"))
        let unknown = "00000000-0000-7000-8000-000000000000"
        #expect(try server.run("unlink", unknown, "--provider", "google", "--secrets-file", keys).status == 1)
        #expect(try server.run("show", server.id).output.contains("\nlogins: 1\n"))
    }
}
#endif
