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
                run.output.contains("\n  ok       key                Key \"\(TestKey.shared.keyID)\" can be used: ")
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

    @Test func `exactly one issuer is required, and a token in its place is not accepted`() throws {
        let mistakes: [(arguments: [String], says: String)] = [
            ([], "Missing:\n  <issuer> or --provider"), (["https://a.example", "--provider", "google"], "only one of"),
            (["--provider", "microsoft"], "--tenant <id>"),
            (["--provider", "google", "--keys-host", "a"], "--keys-host requires"),
            ([TestIssuer().token()], "looks like a token"),
        ]
        for (arguments, says) in mistakes {
            let run = try CommandLineRun(["doctor"] + arguments)
            #expect(run.status == 64 && run.output == "")
            #expect(run.errors.contains(says), "\(run.errors)")
        }
        let secret = try CommandLineRun(["doctor", "https://user:secret@a.example"])
        #expect(secret.status == 1 && !secret.output.contains("secret"))
    }
}
#endif
