// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && SQLite
internal import Foundation
internal import LoginAccounts
import LoginProviders
internal import LoginServer
internal import Testing
@testable import verify_token

/// `verify-token accounts relink`.
@Suite struct RelinkCommandTests {
    private typealias Server = AccountsCommandTests.Server

    private static func line(_ old: String, _ new: String, provider: String = "google") -> String {
        #"{"provider":"\#(provider)","old":"\#(old)","new":"\#(new)"}"# + "\n"
    }

    private func relink(_ server: Server, _ lines: String, _ options: String...) throws -> CommandLineRun {
        let file = try server.folder.write(lines, "changes.jsonl").path()
        return try CommandLineRun(
            ["accounts", "relink", file, try server.secrets("01")] + options + server.options
        )
    }

    @Test(arguments: AccountsCommandTests.Engine.all)
    func `logins get their new subjects, and a second run finds them in place`(_ engine: AccountsCommandTests.Engine)
        async throws
    {
        let server = try await Server(engine)
        let lines = Self.line("lovelace-1815", "countess-1852")
        let trial = try relink(server, lines, "--dry-run")
        #expect(trial.status == 0 && trial.errors.isEmpty)
        #expect(trial.output == "to relink: 1\nalready: 0\nrefused: 0\nunknown: 0\nnothing was written\n")
        let first = try relink(server, lines)
        #expect(first.status == 0)
        #expect(first.output == "relinked: 1\nalready: 0\nrefused: 0\nunknown: 0\n")
        #expect(try relink(server, lines).output == "relinked: 0\nalready: 1\nrefused: 0\nunknown: 0\n")
        #expect(try await server.signIn().account.id == server.ada.account.id)
        let found = try server.run("show", "--provider", "google", "--uid", "countess-1852").output
        #expect(found.hasPrefix("account \(server.id): in use\n"))
        let audit = try server.run("audit", server.id).output
        #expect(audit.contains(" identity.rekeyed by service provider=google"))
        #expect(!audit.contains("lovelace") && !audit.contains("countess") && !audit.contains("ada@"))
        #expect(try server.run("check").output == "0 problems\n")
    }

    @Test(arguments: AccountsCommandTests.Engine.all)
    func `refused and unknown lines are listed by number, and the others are done`(
        _ engine: AccountsCommandTests.Engine
    ) async throws {
        let server = try await Server(engine)
        let bob = try await server.signIn(as: "bob-1", email: "bob@example.com").account.id.rawValue
        let lines =
            Self.line("nobody", "somebody") + "\n" + Self.line("lovelace-1815", "bob-1")
            + Self.line("bob-1", "bob-2")
        let run = try relink(server, lines)
        #expect(run.status == 1 && run.errors.isEmpty)
        #expect(
            run.output == """
                line 1: unknown: no account has the old subject
                line 3: refused: account \(bob) has the new subject, account \(server.id) the old one
                relinked: 1
                already: 0
                refused: 1
                unknown: 1

                """
        )
        let json = try relink(server, lines, "--dry-run", "--format", "json").json()
        #expect(json["unknown"] as? [Int] == [1] && json["already"] as? Int == 1)
        let refused = try #require((json["refused"] as? [[String: Any]])?.first)
        #expect(refused["line"] as? Int == 3 && refused["owner"] as? String == bob)
        #expect(json["isDryRun"] as? Bool == true)
    }

    @Test func `a malformed line stops the command before anything is written`() async throws {
        let server = try await Server()
        let run = try relink(server, Self.line("lovelace-1815", "countess-1852") + Self.line("secret-1", "secret-1"))
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors == "verify-token: line 2: old and new are the same subject\n")
        #expect(try server.run("show", "--provider", "google", "--uid", "countess-1852").status == 1)
    }

    @Test func `other keys than the servers' are refused`() async throws {
        let server = try await Server()
        let file = try server.folder.write(Self.line("lovelace-1815", "countess-1852"), "changes.jsonl").path()
        let run = try server.run("relink", file, try server.secrets("02"))
        #expect(run.status == 2 && run.errors.contains("another key"))
        #expect(try server.run("relink", server.folder.path("missing"), try server.secrets("01")).status == 64)
    }

    @Test(
        arguments: [
            ("", "the file has no changes"), ("[]", "line 1: not an object with three members"),
            (line("a", "b") + "{", "line 2: not strict JSON"), (#"{"provider":"google","old":"a"}"#, "three members"),
            (#"{"provider":"google","old":"a","neu":"b"}"#, "line 1: new is not a text"),
            (#"{"provider":"google","old":1,"new":"b"}"#, "line 1: old is not a text"),
            (#"{"provider":"google","old":"a","old":"c","new":"b"}"#, "line 1: "), (line("", "b"), "1 to 255 bytes"),
            (line("a", String(repeating: "b", count: 256)), "1 to 255 bytes"), (line(#"a\u0000"#, "b"), "line 1: "),
            (line("ada@example.com", "b", provider: "password"), "subjects of password"),
            (line("+14155550100", "b", provider: "phone"), "subjects of phone"),
            (line("a", "b") + line("a", "c"), "line 2: line 1 has the same old subject"),
            (line("a", "c") + "\n" + line("b", "c"), "line 3: line 1 has the same new subject"),
        ] as [(String, String)]
    )
    func `a file of another form is refused, by line`(_ text: String, _ says: String) {
        let failure = #expect(throws: OperationFailure.self) { try SubjectChangeFile(text.utf8) }
        #expect(failure?.description.contains(says) == true, "\(String(describing: failure))")
    }

    @Test func `lines may end with CR LF, and subjects may differ only in their bytes or providers`() throws {
        let text =
            Self.line("\u{E9}", "1").replacing("\n", with: "\r\n") + Self.line("e\u{301}", "2")
            + Self.line("\u{E9}", "1", provider: "apple")
        #expect(try SubjectChangeFile(text.utf8).lines.map(\.number) == [1, 2, 3])
    }

    @Test func `a file has a limited number of changes`() throws {
        let text = Self.line("a", "b") + Self.line("c", "d")
        #expect(try SubjectChangeFile(text.utf8, maximumChanges: 2).lines.count == 2)
        let failure = #expect(throws: OperationFailure.self) { try SubjectChangeFile(text.utf8, maximumChanges: 1) }
        #expect(failure?.description.contains("line 2: a file has at most 1 changes") == true)
    }
}
#endif
