// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Required options, and the messages when they are missing.
@Suite struct OptionTests {
    private func verify(_ arguments: [String]) throws -> CommandLineRun {
        let workspace = try Workspace()
        let input = try workspace.write(workspace.issuer.token(nonce: "n-1"), "input")
        let keys = workspace.path("keys.json")
        return try CommandLineRun(arguments.map { $0 == "KEYS" ? keys : $0 }, input: input)
    }

    private static let whole = [
        "--provider", "facebook", "--app-id", "1234567890", "--nonce", "n-1", "--keys", "KEYS", "--at", "1760000000",
    ]

    @Test func `a complete command line verifies a token`() throws {
        #expect(try verify(Self.whole).status == 0)
    }

    @Test(.rule("T-181"), arguments: ["--provider", "--app-id", "--nonce"])
    func `issuer, audience and nonce have no default`(option: String) throws {
        var arguments = Self.whole
        let index = try #require(arguments.firstIndex(of: option))
        arguments.removeSubrange(index...(index + 1))
        let run = try verify(arguments)
        #expect(run.status == 64)
        #expect(run.errors.contains("Error: Missing:\n  "))
    }

    @Test func `all missing options are reported at once, and no others`() throws {
        let whole = ["--provider <name> or", "--audience <id> or", "--nonce <value> or"]
        let lists: [(arguments: [String], missing: [String])] = [
            ([], whole), (["verify"], whole), (["--nonce", "n-1"], [whole[0], whole[1]]),
            (["--provider", "google", "--audience", "a"], [whole[2]]),
            (["--provider", "microsoft"], ["--tenant <id>: ", whole[1], whole[2]]),
            (["--provider", "microsoft", "--tenant", "any"], [whole[1], whole[2]]),
            (["jws"], ["--keys <file or url>: "]), (["keys"], ["--provider <name>, --issuer <url> or --keys "]),
            (["keys", "--provider", "microsoft"], ["--tenant <id>: "]),
            (["access"], ["--issuer <url> or --preset ", "--audience <id>: "]),
            (["access", "--preset", "auth0:example.eu.auth0.com"], ["--audience <id>: "]),
            (["dpop", "make"], ["--key <file> or --new-key ", "--method <method>: ", "--url <url>: "]),
            (["dpop", "check", "--method", "GET"], ["--url <url>: "]),
        ]
        for (arguments, missing) in lists {
            let run = try CommandLineRun(arguments)
            #expect(run.status == 64 && run.output == "")
            // A build without the trait HTTPClient also lists a missing key file, with these words.
            let shown = run.errors.split(separator: "\n")
                .filter { $0.hasPrefix("  --") && !$0.hasSuffix("which this build cannot fetch") }
            #expect(shown.count == missing.count, "\(arguments)")
            for (line, option) in zip(shown, missing) { #expect(line.hasPrefix("  " + option)) }
        }
    }

    @Test func `the usage shows the required options`() throws {
        for errors in [try CommandLineRun([]).errors, try CommandLineRun(["verify", "--help"]).output] {
            let usage = errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(
                usage.contains(
                    "verify-token verify [<file>] (--provider <name> | --issuer <url>) --audience <id> (--nonce <value> |"
                )
            )
        }
    }

    @Test func `a first argument that is neither a command nor a file is reported as such`() throws {
        for arguments in [["vector", "TestVectors"], ["vector"], ["missing.jwt", "--provider", "google"], [""]] {
            let run = try CommandLineRun(arguments)
            #expect(run.status == 64 && run.output == "")
            #expect(
                run.errors.hasPrefix("verify-token: Error: \"\(arguments[0])\" is neither a command nor a file.\n")
            )
            // These commands exist only with the traits they need.
            let commands = ["accounts, ", "doctor, ", "login, ", ", serve"].reduce(run.errors) {
                $0.replacing($1, with: "")
            }
            #expect(
                commands.contains(
                    "verify, access, dpop, batch, inspect, jws, keys, key, signed-request, vectors, sample."
                )
            )
        }
        let workspace = try Workspace()
        let token = workspace.issuer.token()
        let pasted = try CommandLineRun([token]).errors
        #expect(pasted.hasPrefix("verify-token: Error: the first argument looks like a token. Give the name of a file"))
        #expect(!pasted.contains(token.prefix(8)))
        let hostile = try CommandLineRun(["x\u{1B}[31m\nverified: forged"]).errors
        #expect(!hostile.contains("\u{1B}") && !hostile.contains("\nverified: forged"))
    }

    @Test func `a first argument that is a file or a command is not reported`() throws {
        let workspace = try Workspace()
        for arguments in [[workspace.path("keys.json")], ["verify"], ["vectors"], ["-"], ["--nonce", "vector"]] {
            let run = try CommandLineRun(arguments)
            #expect(run.status == 64 && !run.errors.contains("neither a command nor a file"))
        }
        // All options are given, so the word can only be the name of a file.
        let options = workspace.options + ["--nonce", "n-1"]
        let run = try CommandLineRun([workspace.path("missing.jwt")] + options)
        #expect(run.status == 64 && run.errors.contains("cannot read"))
    }

    @Test(
        arguments: [
            ["--issuer", "https://www.facebook.com"], ["--nonce-absent"], ["--nonce-sha256", "n-1"],
            ["--nonce-unchecked", "because"], ["--leeway", "-1"], ["--leeway", "301"], ["--max-age", "0"],
            ["--at", "yesterday"], ["--at", "nan"], ["--at", "1e300"], ["--at", "-1"], ["--at", "0x1p3"],
            ["--at", "2025-02-31T00:00:00Z"], ["--at", "2025-10-09T99:99:99Z"], ["--algorithm", "none"],
            ["--algorithm", "HS256"],
            ["--app-id", ""], ["--app-id", "another"], ["--app-id", "123456789012345678901"], ["--app-id", "12a"],
            ["--format", "xml"], ["--provider", "myspace"], ["--token", "x", "file"], ["--no-such-option"],
            ["--max-auth-age", "-1"], ["--max-auth-age", "soon"], ["--acr", ""], ["--hosted-domain", ""],
            ["--tenant", "any"], ["--algorithm", "rs256"], ["--max-token-bytes", "16383"],
            ["--max-token-bytes", "65537"],
            ["--max-header-bytes", "4095"], ["--max-header-bytes", "16385"], ["--max-keys", "99"],
            ["--max-keys", "1001"],
        ]
    )
    func `contradictory and impossible values are usage errors`(further: [String]) throws {
        let run = try verify(Self.whole + further)
        #expect(run.status == 64)
        #expect(run.output == "")
    }

    @Test(
        arguments: [
            ["--leeway", "0"], ["--leeway", "300"], ["--max-age", "60"], ["--at", "2025-10-09T08:53:20Z"],
            ["--algorithm", "RS256"], ["--app-id", "12345678901234567890"], ["--max-token-bytes", "16384"],
            ["--max-token-bytes", "65536"], ["--max-header-bytes", "4096"], ["--max-header-bytes", "16384"],
            ["--max-keys", "100"], ["--max-keys", "1000"],
        ]
    )
    func `the extreme values of each option are accepted`(further: [String]) throws {
        #expect(try verify(Self.whole + further).status == 0)
    }

    @Test(.rule("T-181"))
    func `the nonce can be given in each of its forms`() throws {
        let workspace = try Workspace()
        let plain = workspace.issuer.token(nonce: "plain")
        #expect(try workspace.verify(plain, nonce: ["--nonce", "plain"]).status == 0)
        #expect(try workspace.verify(plain, nonce: ["--nonce-sha256", "n-1"]).status == 1)
        #expect(try workspace.verify(plain, nonce: ["--nonce-absent"]).status == 1)
        #expect(try workspace.verify(plain, nonce: ["--nonce-unchecked", "test"]).status == 0)
        #expect(try workspace.verify(workspace.issuer.token(), nonce: ["--nonce-absent"]).status == 0)
        // printf n-1 | sha256sum
        let hashed = workspace.issuer.token(nonce: "51aeea8ffa05d2620d35c87463465885e77df13171d5708746df1a9f36d47f35")
        #expect(try workspace.verify(hashed, nonce: ["--nonce-sha256", "n-1"]).status == 0)
    }

    @Test(arguments: [
        "--generate-completion-script", "--generate-completion-script=bash", "--help", "--version",
        "--experimental-dump-help",
    ])
    func `no option value makes the command exit with 0 for an unverified token`(value: String) throws {
        let workspace = try Workspace()
        let forged = workspace.issuer.token(nonce: "n-1") { $0.signing = .bytes([1]) }
        let file = try workspace.write(forged, "token.jwt").path()
        let options = workspace.options
        for arguments in [
            ["verify", "--token", value, "--nonce", "n-1"] + options, ["verify", file, "--nonce", value] + options,
            ["verify", file, "--nonce", "n-1", "--keys", value] + options.filter { $0 != "--keys" },
            ["verify", "--token=" + value, "--nonce", "n-1"] + options, ["inspect", "--token", value],
        ] {
            #expect(try CommandLineRun(arguments).status != 0, "\(arguments)")
        }
    }

    @Test func `completion scripts and machine-readable help are available`() throws {
        #expect(try CommandLineRun(["--generate-completion-script", "bash"]).status == 0)
        let help = try CommandLineRun(["--experimental-dump-help"])
        #expect(try help.status == 0 && help.json()["command"] != nil)
        #expect(try CommandLineRun(["inspect", "missing.jwt", "--experimental-dump-help"]).status == 64)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `--tenant is completed with its values`(shell: String) throws {
        let script = try CommandLineRun(["--generate-completion-script", shell]).output
        let lines = script.split(separator: "\n")
        #expect(lines.contains { $0.contains("personal") && $0.contains("any") })
    }

    @Test func `the help of --algorithm lists every name`() throws {
        let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
        for command in ["verify", "batch", "jws", "access", "sample"] {
            let help = try CommandLineRun(["help", command]).output.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            let end = command == "sample" ? "; default: RS256)" : ", HS256, HS384, HS512)"
            #expect(help.contains("(values: \(names)\(end)"))
        }
    }

    @Test(.rule("T-181"))
    func `--at sets the time, so that a token is accepted until its exp`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(workspace.issuer.token(nonce: "n-1"), "token.jwt").path()
        let options = workspace.options.dropLast(2) + ["--nonce", "n-1", "--leeway", "0", "--format", "json"]
        let good = try CommandLineRun([file, "--at", "2025-10-09T09:52:19Z"] + options)
        #expect(good.status == 0)
        let late = try CommandLineRun([file, "--at", "2025-10-09T09:52:20Z"] + options)
        #expect(try late.status == 1 && late.json()["code"] as? String == "expired")
        #expect(try CommandLineRun([file, "--at", "1760003539"] + options).status == 0)
        #expect(try CommandLineRun([file, "--at", "1760003540"] + options).status == 1)
    }

    @Test func `a usage error shows no token and adds no line`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1")
        let file = try workspace.write(token, "token.jwt").path()
        let beginning = String(token.prefix(8))
        for further in [[token], ["--leeway", token], ["--leeway=" + token], ["--format", token]] {
            let run = try CommandLineRun(["verify", file, "--nonce", "n-1"] + workspace.options + further)
            #expect(run.status == 64)
            #expect(!run.errors.contains(beginning) && !run.output.contains(beginning))
        }
        let hostile = ["\u{1B}[31mextra\nverified: forged", "--format=\u{1B}]0;x\u{7}\nverified: forged"]
        for argument in hostile {
            let run = try CommandLineRun(["verify", file, "--nonce", "n-1"] + workspace.options + [argument])
            #expect(run.status == 64)
            #expect(!run.errors.contains("\u{1B}") && !run.errors.contains("\nverified: forged"))
        }
    }

    @Test func `keys can come from a pipe, which is read once`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1") { $0.header["kid"] = "unknown" }
        let file = try workspace.write(token, "token.jwt").path()
        let keys = try workspace.write(workspace.issuer.keySet.text, "keys.json")
        let options = workspace.options.map { $0.hasSuffix("keys.json") ? "/dev/stdin" : $0 }
        let run = try CommandLineRun([file, "--nonce", "n-1", "--format", "json"] + options, input: keys)
        #expect(try run.json()["code"] as? String == "key-not-found")
        #expect(run.status == 1)
    }

    @Test func `a nonce can begin with a hyphen`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "-nonce")
        #expect(try workspace.verify(token, nonce: ["--nonce", "-nonce"]).status == 0)
        #expect(try workspace.verify(token, nonce: ["--nonce=-nonce"]).status == 0)
    }

    @Test(.rule("T-181"))
    func `any other provider is named by its issuer`() throws {
        let workspace = try Workspace(issuer: TestIssuer())
        let token = try workspace.write(workspace.issuer.token(), "token.jwt")
        let options = ["--audience", "client-1", "--keys", workspace.path("keys.json"), "--at", "1760000000"]
        let good = ["--issuer", "https://issuer.example", "--nonce-absent"]
        let bad = ["--issuer", "https://issuer.example/", "--nonce-absent"]
        #expect(try CommandLineRun([token.path()] + options + good).status == 0)
        #expect(try CommandLineRun([token.path()] + options + bad).status == 1)
    }

    @Test(arguments: [
        (["verify"], ["--audience", "--trusted-audience", "--authorized-party", "--acr", "--hosted-domain"]),
        (["batch"], ["--audience", "--acr"]),
        (["access"], ["--issuer", "--audience", "--scope", "--client", "--require-value"]),
    ])
    func `a value from an unset variable, or with a space at an end, is refused and does not remove a restriction`(
        _ command: [String],
        _ options: [String]
    ) throws {
        for option in options {
            for (value, words) in [("", "is empty"), (" ", "begins or ends with a space"), ("a ", "begins or ends")] {
                let others = ["--issuer", "https://a.example", "--audience", "a"]
                let run = try CommandLineRun(command + (option == "--issuer" ? [] : others) + [option, value])
                #expect(run.status == 64 && run.errors.contains(option) && run.errors.contains(words), "\(run.errors)")
            }
        }
    }
}
#endif
