// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import TestSupport
internal import Testing

/// `verify-token access --introspect`: opaque tokens.
@Suite struct IntrospectionOptionTests {
    private static let token = "2YotnFZFEjr1zCsicMWpAA"
    private static let secret = "made-up-client-secret-0123456789"

    /// The members of an answer about a valid token.
    private static let members: TestJSON = [
        "active": true, "iss": "https://issuer.example", "aud": "orders", "sub": "1000000000000001",
        "client_id": "client-app", "scope": "orders:read", "token_type": "Bearer", "iat": 1_759_999_940,
        "exp": 1_760_003_540,
    ]

    /// Runs an endpoint and the command.
    ///
    /// - Parameters:
    ///   - answer: The answer of the endpoint.
    ///   - options: Further options of the command.
    ///   - mode: The mode of the file with the secret.
    ///   - body: Receives the run, and the requests to the endpoint.
    /// - Throws: Rethrows errors of the body, or throws the reason why the command or the endpoint cannot run.
    private func introspect(
        _ answer: ServerScript,
        _ options: [String] = [],
        mode: Int = 0o600,
        _ body: (CommandLineRun, [ReceivedRequest]) throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "verify-token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (token, secret) = (folder.appending(path: "token"), folder.appending(path: "secret"))
        try Data((Self.token + "\n").utf8).write(to: token)
        try Data((Self.secret + "\n").utf8).write(to: secret)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secret.path())
        try await ScriptedServer.run { server in
            server.answer("/introspect", with: answer)
            let arguments = [
                "access", token.path(), "--issuer", "https://issuer.example", "--audience", "orders", "--scope",
                "orders:read", "--at", "1760000000", "--format", "json", "--introspect", server.url("/introspect"),
                "--introspection-client", "orders-api", "--introspection-secret-file", secret.path(),
                "--allow-loopback-http",
            ]
            let run = try await CommandLineRun.beside(arguments + options)
            try body(run, server.requests)
        }
    }

    private func answer(_ change: (inout TestJSON) -> Void) -> ServerScript {
        var members = Self.members
        change(&members)
        return .json(members)
    }

    @Test func `an active token is verified, and the report has what an API decides by`() async throws {
        try await introspect(.json(Self.members)) { run, requests in
            #expect(run.status == 0 && run.errors == "")
            let report = try run.json()
            let message = try #require(report["message"] as? String)
            #expect(message == "verified: access token of \"https://issuer.example\" for \"orders\"")
            let access = try #require(report["access"] as? [String: Any])
            #expect(access["clientID"] as? String == "client-app" && access["scopes"] as? [String] == ["orders:read"])
            #expect(access["expiresAt"] as? String == "2025-10-09T09:52:20Z")
            #expect((access["subject"] as? String)?.hasPrefix("sha256:") == true)
            #expect(requests.count == 1)
            let credentials = Data("orders-api:\(Self.secret)".utf8).base64EncodedString()
            #expect(requests.first?.values(of: "Authorization") == ["Basic \(credentials)"])
            for hidden in [Self.token, Self.secret, credentials] { #expect(!run.output.contains(hidden)) }
        }
    }

    @Test func `a token that is not active is refused`() async throws {
        try await introspect(.json(["active": false])) { run, _ in
            #expect(run.status == 1)
            let code = try run.code()
            #expect(code == "inactive")
        }
    }

    @Test func `a token is undecided if the endpoint fails, or rejects the credentials`() async throws {
        for status in [401, 500] {
            try await introspect(.json([:], status: status)) { run, _ in
                #expect(run.status == 2)
                let code = try run.code()
                #expect(code == "introspection-unavailable")
                #expect(!run.output.contains(Self.secret))
            }
        }
    }

    @Test func `a member may be missing only if that is allowed`() async throws {
        let answer = answer { $0["aud"] = nil }
        try await introspect(answer) { run, _ in
            #expect(run.status == 1)
            #expect(try run.code() == "missing-claim")
            let hints = try #require(try run.json()["hints"] as? [String])
            #expect(hints.first?.hasPrefix("--introspection-optional aud ") == true)
        }
        try await introspect(answer, ["--introspection-optional", "aud"]) { run, _ in
            #expect(run.status == 0)
            #expect(run.output.contains("for an unnamed audience"))
        }
    }

    @Test func `a token that is bound to a key needs its proof`() async throws {
        let thumbprint = TestJSON.string(String(repeating: "A", count: 43))
        let answer = answer { $0["cnf"] = ["jkt": thumbprint] }
        try await introspect(answer) { run, _ in
            #expect(run.status == 1)
            let code = try run.code()
            #expect(code == "proof-required")
        }
        try await introspect(answer, ["--allow-bound"]) { run, _ in #expect(run.status == 0) }
    }

    @Test func `a secret that other users can read is not sent`() async throws {
        try await introspect(.json(Self.members), mode: 0o640) { run, requests in
            #expect(run.status == 2 && run.output == "")
            #expect(run.errors.hasPrefix("verify-token: other users have access to "))
            #expect(requests.isEmpty)
        }
    }

    @Test(
        arguments: [
            ["--keys", "keys.json"], ["--keys-cache", "cache"], ["--algorithm", "ES256"],
            ["--keys-host", "keys.example"], ["--max-keys", "100"], ["--follow-redirects"],
            ["--secret-file", "secret"],
            ["--introspection-optional", "jti"],
            ["--introspection-optional", "iat", "--max-age", "60"], ["--introspection-client", ""],
        ]
    )
    func `options that contradict introspection are usage errors`(options: [String]) async throws {
        try await introspect(.json(Self.members), options) { run, requests in
            #expect(run.status == 64 && run.output == "")
            #expect(requests.isEmpty)
        }
    }

    @Test(
        arguments: [
            ["--introspection-optional", "aud"], ["--introspection-client", "a"],
            ["--introspect", "https://issuer.example/i"],
            [
                "--introspect", "http://issuer.example/i", "--introspection-client", "a",
                "--introspection-secret-file", "a",
            ],
        ]
    )
    func `an incomplete or unencrypted endpoint is a usage error`(options: [String]) throws {
        let run = try CommandLineRun(
            ["access", "--issuer", "https://issuer.example", "--audience", "orders"] + options
        )
        #expect(run.status == 64 && run.output == "")
    }
}
#endif
