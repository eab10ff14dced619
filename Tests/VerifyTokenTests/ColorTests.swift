// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The conditions under which reports have colours.
@Suite struct ColorTests {
    private static let terminal = ["TERM": "xterm-256color"]

    /// Verifies a token, with a terminal for the report.
    private func verify(
        _ change: (inout TestToken) -> Void = { _ in },
        environment: [String: String] = terminal,
        _ further: String...
    ) throws -> CommandLineRun {
        let workspace = try Workspace()
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1", change), "token.jwt").path()
        let arguments = ["verify", file, "--nonce", "n-1"] + workspace.options + further
        return try CommandLineRun(atTerminal: arguments, environment: environment)
    }

    @Test func `the verdict and each check are colored on a terminal`() throws {
        let good = try verify({ _ in }, "--explain")
        #expect(good.status == 0)
        #expect(good.output.hasPrefix("\u{1B}[32mverified\u{1B}[0m: ID token of "))
        #expect(good.output.contains("\n  signature          \u{1B}[32mpass    \u{1B}[0m valid\n"))
        #expect(good.output.contains("\n  age                \u{1B}[2mskipped \u{1B}[0m no maximum age is set\n"))

        let bad = try verify({ $0.claims["aud"] = "another" }, "--explain")
        #expect(bad.status == 1)
        #expect(bad.output.hasPrefix("\u{1B}[31mtoken refused\u{1B}[0m: audience: "))
        #expect(bad.output.contains("\n  audience           \u{1B}[31mfail    \u{1B}[0m audience: "))
    }

    @Test func `an undecided verdict has a color of its own`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt").path()
        let options = workspace.options.map { $0.hasSuffix("keys.json") ? workspace.path("missing.json") : $0 }
        let run = try CommandLineRun(atTerminal: [file, "--nonce", "n-1"] + options, environment: Self.terminal)
        #expect(run.status == 64)
        #expect(run.output.hasPrefix("\u{1B}[33mundecided\u{1B}[0m: keys-unavailable: "))
    }

    @Test(
        arguments: [
            ["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "xterm", "NO_COLOR": "0"], ["TERM": "dumb"], ["TERM": ""], [:],
        ]
    )
    func `output has no colors with NO_COLOR or a terminal without colors`(environment: [String: String]) throws {
        let run = try verify(environment: environment, "--explain")
        #expect(run.output.hasPrefix("verified: "))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `an empty NO_COLOR does not disable colors`() throws {
        let run = try verify(environment: ["TERM": "xterm", "NO_COLOR": ""])
        #expect(run.output.hasPrefix("\u{1B}[32mverified"))
    }

    @Test func `a JSON report has no colors`() throws {
        let run = try verify({ _ in }, "--explain", "--format", "json")
        #expect(!run.output.contains("\u{1B}"))
        #expect(try run.json()["verdict"] as? String == "verified")
    }

    @Test func `a report that does not go to a terminal has no colors`() throws {
        let workspace = try Workspace()
        let run = try workspace.verify(workspace.issuer.token(nonce: "n-1"), "--explain")
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test func `a colored report differs only in colors, whatever the token contains`() throws {
        let hostile: (inout TestToken) -> Void = { $0.claims["na\u{1B}[2Jme"] = "\u{1B}[31mverified\u{1B}[0m \u{202E}" }
        let colored = try verify(hostile, "--explain", "--show-claims").output
        let plain = try verify(hostile, environment: [:], "--explain", "--show-claims").output
        #expect(!plain.contains("\u{1B}"))
        let ours = ["\u{1B}[32m", "\u{1B}[31m", "\u{1B}[2m", "\u{1B}[0m"]
        #expect(ours.reduce(colored) { $0.replacing($1, with: "") } == plain)
        // One sequence for the verdict and one for each check, and the end of each.
        #expect(colored.count { $0 == "\u{1B}" } == 2 * (1 + Check.inOrder.count))
    }
}
#endif
