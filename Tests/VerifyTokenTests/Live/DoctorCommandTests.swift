// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token doctor`.
@Suite struct DoctorCommandTests {
    private func doctor(_ provider: LiveProvider, _ options: String...) async throws -> CommandLineRun {
        try await CommandLineRun.beside(["doctor", provider.name, "--allow-loopback-http"] + options)
    }

    @Test func `each check is a line, and the exit status tells whether a retry can help`() async throws {
        try await LiveProvider.run { provider in
            let run = try await doctor(provider)
            #expect(run.status == 0 && run.errors == "")
            #expect(run.output.hasPrefix("\"\(provider.name)\": works, with warnings\n\n  warning  issuer "))
            #expect(
                run.output.contains("\n  ok       key                   Key \"\(TestKey.shared.keyID)\" can be used: ")
            )
            #expect(run.output.contains("\n  warning  endpoints "))

            provider.server.answer("/jwks", with: .redirect(to: "https://keys.example/"))
            let redirected = try await doctor(provider)
            #expect(redirected.status == 1 && redirected.output.contains("redirects to \"https://keys.example/\""))

            await provider.server.kill()
            let unreachable = try await doctor(provider)
            #expect(unreachable.status == 2 && unreachable.output.contains(": could not be reached, try again\n"))
        }
    }

    @Test(arguments: ["text", "json"])
    func `texts of the issuer are escaped on a terminal`(format: String) async throws {
        try await LiveProvider.run { provider in
            provider.announce(keySetURL: provider.server.url("/jwks"), issuer: "\u{1B}[31m\n  ok \u{202E}")
            let run = try await doctor(provider, "--format", format)
            #expect(run.status == 1)
            #expect(!run.output.contains("\u{1B}") && !run.output.contains("\u{202E}"))
            guard format == "json" else { return }
            let report = try run.json()
            #expect(report["verdict"] as? String == "failed" && report["issuer"] as? String == provider.name)
            let checks = try #require(report["checks"] as? [[String: Any]])
            let failed = try #require(checks.first { $0["outcome"] as? String == "failed" })
            #expect(failed["check"] as? String == "discovery-issuer" && failed["advice"] is String)
        }
    }

    @Test func `the redirect URI, and what was not checked, are in the report`() async throws {
        try await LiveProvider.run { provider in
            let options = ["--public-url", "https://login.example.com", "--name", "example"]
            let run = try await doctor(provider, options[0], options[1], options[2], options[3])
            #expect(run.output.contains("is https://login.example.com/login/example/callback."))
            #expect(run.output.contains("\n\nNot checked:\n  - the authorization endpoint"))
            let json = try await doctor(provider, "--format", "json").json()
            #expect((json["notChecked"] as? [String])?.contains { $0.contains("--try-secret") } == true)
        }
    }

    /// Runs a provider with TLS, whose token endpoint answers every request in one way, and the command with a secret.
    private func trySecret(_ answer: ServerScript, _ body: (LiveProvider, CommandLineRun) throws -> Void) async throws {
        try await ThrowAwayCA.run { authority in
            let pair = try await authority.pair(for: ["DNS:localhost"])
            let identity = ServerIdentity(certificateChain: pair.certificate, privateKey: pair.privateKey)
            try await LiveProvider.run(identity: identity) { provider in
                provider.announce(
                    keySetURL: provider.server.url("/jwks", name: "localhost"),
                    tokenEndpoint: provider.server.url("/token", name: "localhost")
                )
                provider.server.answer("/token", with: answer)
                let file = provider.path("secret")
                try Data("a-client-secret\n".utf8).write(to: URL(filePath: file))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
                let run = try await CommandLineRun.beside(
                    [
                        "doctor", provider.name, "--ca-file", authority.certificatePath, "--allow-network",
                        "127.0.0.0/8", "--allow-network", "::1", "--client-id", "web", "--try-secret", file,
                    ]
                )
                #expect(provider.server.requestCount(of: "/token") == 1)
                #expect(run.errors.contains("sending the client secret once to \"\(provider.name)/token\""))
                #expect(!run.output.contains("a-client-secret") && !run.errors.contains("a-client-secret"))
                try body(provider, run)
            }
        }
    }

    @Test func `a secret is sent once to the named server, and proven by invalid_grant`() async throws {
        try await trySecret(.json(["error": "invalid_grant"], status: 400)) { _, run in
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("  ok       client-secret         The client secret is proven: "))
            #expect(!run.output.contains("--try-secret"))
        }
    }

    @Test func `a refused secret is a failure, and a redirect proves nothing and is not followed`() async throws {
        try await trySecret(.json(["error": "invalid_client"], status: 401)) { _, run in
            #expect(run.status == 1 && run.output.contains("  failed   client-secret "))
        }
        try await trySecret(.redirect(to: "/elsewhere")) { provider, run in
            #expect(run.status == 0 && run.output.contains("  warning  client-secret "))
            #expect(provider.server.requestCount(of: "/elsewhere") == 0)
        }
    }

    @Test func `a secret is not sent without https`() async throws {
        try await LiveProvider.run { provider in
            provider.announce(keySetURL: provider.server.url("/jwks"), tokenEndpoint: provider.server.url("/token"))
            let file = provider.path("secret")
            try Data("a-client-secret".utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            let run = try await doctor(provider, "--client-id", "web", "--try-secret", file)
            #expect(run.output.contains("The client secret was not sent: "))
            #expect(provider.server.requestCount(of: "/token") == 0 && run.errors.isEmpty)
        }
    }

    @Test func `exactly one issuer is required, and a token in its place is not accepted`() throws {
        let mistakes: [(arguments: [String], says: String)] = [
            ([], "Missing:\n  <issuer> or --provider"), (["https://a.example", "--provider", "google"], "only one of"),
            (["--provider", "microsoft"], "--tenant <id>"),
            (["--provider", "google", "--keys-host", "a"], "--keys-host requires"),
            ([TestIssuer().token()], "looks like a token"),
            (["https://a.example", "--try-secret", "/none"], "--client-id and --try-secret require each other"),
            (
                ["--provider", "facebook", "--client-id", "1", "--try-secret", "/none"],
                "--try-secret requires a provider with a discovery document"
            ), (["https://a.example", "--client-id", "1", "--try-secret", "/none"], "no such file"),
            (["https://a.example", "--public-url", "https://b.example/login"], "--public-url must be an https origin"),
            (["https://a.example", "--public-url", "https://b.example", "--name", "B"], "--name: a name has"),
            (["https://a.example", "--name", "b"], "--name requires --public-url"),
        ]
        for (arguments, says) in mistakes {
            let run = try CommandLineRun(["doctor"] + arguments)
            #expect(run.status == 64 && run.output == "")
            #expect(run.errors.contains(says), "\(run.errors)")
        }
        let secret = try CommandLineRun(["doctor", "https://user:hunter2@a.example"])
        #expect(secret.status == 1 && !secret.output.contains("hunter2"))
    }
}
#endif
