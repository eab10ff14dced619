// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginTestServers
internal import LoginTesting
internal import Testing

@testable internal import verify_token

/// `verify-token login`.
@Suite struct LoginCommandTests {
    @Test func `service and file are required, and a provider if there is no session`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        let options = ["--service", "https://a.example", "--session", file]
        let mistakes: [(arguments: [String], says: String)] = [
            ([], "--service <url>"), (["--service", "https://a.example"], "--session <file>"),
            (["--service", "http://a.example", "--session", file], "--service: "),
            (options + ["--provider", "facebook"], "Facebook"), (options + ["--port", "65536"], "--port"),
            (options + ["--client-id", "tool"], "There is no valid session"),
        ]
        for (arguments, says) in mistakes {
            let run = try CommandLineRun(["login"] + arguments)
            #expect(run.status == 64 && run.output == "")
            #expect(run.errors.contains(says), "\(run.errors)")
        }
    }

    @Test func `without a session and options of a sign-in, nobody is signed in`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        let run = try CommandLineRun(["login", "--service", "https://a.example", "--session", file])
        #expect(run.status == 1 && run.errors.contains("not signed in"), "\(run.errors)")
    }

    @Test func `a session that the service has closed is reported`() async throws {
        try await ScriptedServer.run { server in
            let file = try sessionFile(of: server.url(""))
            defer { try? FileManager.default.removeItem(atPath: file) }
            let code = "invalid-user-token"
            server.answer(with: .json(["code": .string(code)], status: 401, headers: ["X-Auth-Error: \(code)"]))
            let run = try CommandLineRun([
                "login", "--service", server.url(""), "--session", file, "--allow-loopback-http",
            ])
            #expect(
                run.status == 1 && run.errors.contains("the session has ended: \(code)"),
                "\(run.errors)"
            )
            #expect(run.errors.contains("not signed in") && !FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `without a session there is nothing to sign out of, and an unusable file is a usage error`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        let arguments = ["login", "--service", "https://a.example", "--session", file, "--sign-out"]
        let nothing = try CommandLineRun(arguments)
        #expect(nothing.status == 0 && nothing.output == "not signed in\n")
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o644])
        )
        let shared = try CommandLineRun(arguments)
        #expect(shared.status == 64 && shared.errors.contains("cannot use the session file"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let empty = try CommandLineRun(arguments)
        #expect(empty.status == 64 && empty.errors.contains("it contains no session; if you do not need it, delete it"))
    }

    @Test func `a port that is in use is a usage error, noticed before any request`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        try await ScriptedServer.run { server in
            let run = try CommandLineRun([
                "login", "--service", server.url(""), "--session", file, "--service-provider", "corp",
                "--issuer", server.url(""), "--client-id", "tool", "--allow-loopback-http",
                "--port", String(server.port),
            ])
            #expect(run.status == 64 && run.errors.contains("cannot listen on port"))
            #expect(server.requestCount() == 0)
        }
    }

    @Test(arguments: [(-60.0, 300), (600, 600), (86_400, 3600)])
    func `the wait lasts until the attempt expires, at least five minutes and at most an hour`(
        expiry: Double,
        seconds: Int
    ) {
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        #expect(LoginCommand.timeout(until: now + expiry, now: now) == .seconds(seconds))
    }

    /// Writes a session for a service into a file, and returns its path.
    private func sessionFile(of service: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        let session = #"""
            {"sessionToken":"lls_1","refreshToken":"llr_1","service":"\#(service)","accountID":"a1","provider":"corp",
            "expiresAt":"2100-01-01T00:00:00Z"}
            """#
        try #require(
            FileManager.default.createFile(
                atPath: file,
                contents: Data(session.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        return file
    }

    @Test func `a service at a private address is a usage error, and a refused connection is shown`() throws {
        let service = "https://127.0.0.1:1"
        let file = try sessionFile(of: service)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let arguments = ["login", "--service", service, "--session", file]
        let forbidden = try CommandLineRun(arguments)
        #expect(forbidden.status == 64 && forbidden.errors.contains("--allow-network"), "\(forbidden.errors)")
        let refused = try CommandLineRun(arguments + ["--allow-network", "127.0.0.0/8"])
        #expect(refused.status == 2 && refused.errors.contains("the connection was refused"), "\(refused.errors)")
    }

    @Test func `the service of the session file is compared with that of the option, and both are named`() throws {
        let file = try sessionFile(of: "https://127.0.0.1:1")
        defer { try? FileManager.default.removeItem(atPath: file) }
        let other = try CommandLineRun(["login", "--service", "https://127.0.0.1:2", "--session", file])
        #expect(other.status == 1)
        #expect(other.errors.contains("belongs to https://127.0.0.1:1, not to https://127.0.0.1:2"), "\(other.errors)")
    }

    @Test func `a sign-out without a response keeps the session file for a repetition`() throws {
        let service = "https://127.0.0.1:1"
        let file = try sessionFile(of: service)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let run = try CommandLineRun([
            "login", "--service", service, "--session", file, "--sign-out", "--allow-network", "127.0.0.0/8",
        ])
        #expect(run.status == 2 && run.output == "", "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: file))
    }
}
#endif
