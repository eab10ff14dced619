// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing
@testable import verify_token

/// Mistakes in a call, and the messages about them.
@Suite struct UsageTests {
    private func errors(_ arguments: [String]) throws -> String {
        let run = try CommandLineRun(arguments)
        #expect(run.status == 64 && run.output == "", "\(arguments)")
        return run.errors
    }

    @Test func `an option in place of a value is reported as a missing value`() throws {
        for arguments in [
            ["--app-id", "--nonce", "x"], ["verify", "--provider", "google", "--nonce", "--audience=a"],
            ["verify", "--leeway", "--explain"], ["key", "convert", "file", "--key-id", "--help"],
        ] {
            let (option, next) = try #require(
                zip(arguments, arguments.dropFirst()).first { UsageCheck.takingAnyWord.contains($0.0) }
            )
            let word = next.prefix { $0 != "=" }
            let start = "verify-token: Error: \(option) has no value: the next argument, \(word), is an option."
            #expect(try errors(arguments).hasPrefix(start))
        }
    }

    @Test func `a value can look like an unknown option, or follow an equals sign`() throws {
        let workspace = try Workspace()
        for (nonce, options) in [("--none", ["--nonce", "--none"]), ("--explain", ["--nonce=--explain"])] {
            #expect(try workspace.verify(workspace.issuer.token(nonce: nonce), nonce: options).status == 0)
        }
    }

    @Test(arguments: ["verify", "batch"])
    func `a nonce with white space is a usage error for Facebook, whose tokens never have one`(_ command: String)
        throws
    {
        for nonce in ["a b", "a\n", "\u{a0}"] {
            let text = try errors([command, "--provider", "facebook", "--app-id", "1234567890", "--nonce", nonce])
            #expect(text.contains("--nonce contains white space or a line break"))
        }
        // Other providers copy any text into the token (OpenID Connect Core §3.1.2.1).
        #expect(throws: Never.self) { try NonceOptions.parse(["--nonce", "a b"]).validate(for: .google) }
    }

    /// The list of such options is a copy of what the parser knows, which would take too long to ask each time.
    @Test func `the options that accept any value are those that may begin with a hyphen for the parser`() throws {
        let commands: [[String]] = [
            ["verify"], ["access"], ["batch"], ["inspect"], ["jws"], ["keys"], ["signed-request"], ["key", "convert"],
            ["dpop", "make"], ["dpop", "check"],
        ]
        var names: Set<String> = []
        for command in commands {
            var dump = try CommandLineRun(["--experimental-dump-help"]).json()["command"] as? [String: Any]
            for word in command {
                let subcommands = dump?["subcommands"] as? [[String: Any]] ?? []
                dump = subcommands.first { $0["commandName"] as? String == word }
            }
            let arguments = try #require(dump?["arguments"] as? [[String: Any]])
            for argument in arguments where argument["parsingStrategy"] as? String == "unconditional" {
                for name in argument["names"] as? [[String: String]] ?? [] { names.insert("--" + (name["name"] ?? "")) }
            }
        }
        #expect(names == UsageCheck.takingAnyWord)
    }

    @Test func `an unknown option is reported before missing ones, with the usage of its command`() throws {
        let lists: [(arguments: [String], message: String, usage: String)] = [
            (["--appid", "1"], "verify-token verify has no option --appid; did you mean --app-id?", "verify [<file>]"),
            (["batch", "--nonce", "x", "--foo"], "verify-token batch has no option --foo.", "batch [<file>]"),
            (
                ["keys", "--provder=google"], "keys has no option --provder; did you mean --provider?",
                "keys (--provider"
            ),
            (
                ["key", "convert", "--keyid", "x"], "key convert has no option --keyid; did you mean --key-id?",
                "key convert"
            ),
        ]
        for (arguments, message, usage) in lists {
            let errors = try errors(arguments)
            #expect(errors.contains(message) && errors.contains("\nUsage: verify-token \(usage)"), "\(errors)")
        }
    }

    @Test func `an unknown command, or one that this build lacks, is named`() throws {
        #expect(try errors(["help", "nosuch"]).contains("unknown command \"nosuch\".\nThe commands are verify, "))
        #expect(
            try errors(["help", "key", "nosuch"]).contains("unknown command \"nosuch\".\nThe commands are convert.")
        )
        #expect(try CommandLineRun(["help", "key", "convert"]).output.contains("--key-id"))
        #if !Hummingbird
        for arguments in [["serve"], ["help", "serve"], ["serve", "--help"]] {
            #expect(
                try errors(arguments).contains(
                    "serve is not in this build; \"make install\" builds a verify-token that has it."
                )
            )
        }
        #endif
    }

    @Test func `a negative number is read as a value out of range`() throws {
        #expect(try errors(["--leeway", "-5"]).contains("--leeway: -5 s is not from 0 to 300 s."))
    }

    @Test func `a token in place of another argument is not shown`() throws {
        let token = TestIssuer().token()
        for arguments in [
            ["keys", token], ["sample", token], ["help", token], ["keys", "--keys", token], ["vectors", token],
        ] {
            let run = try CommandLineRun(arguments)
            let text = run.errors + run.output
            #expect(run.status == 64)
            #expect(text.contains("looks like a token") && !text.contains(token.prefix(12)), "\(text)")
        }
    }
}
#endif
