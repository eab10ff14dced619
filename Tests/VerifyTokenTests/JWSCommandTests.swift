// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// `verify-token jws`.
@Suite struct JWSCommandTests {
    private static let vectors = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../TestVectors"
    )

    /// Returns a signed token with this payload.
    private static func token(_ payload: [UInt8], key: TestKey = .shared) -> String {
        let header = "{\"alg\":\"\(key.algorithm.rawValue)\",\"kid\":\"\(key.keyID)\"}"
        return TestToken.compact(header: Array(header.utf8), payload: payload, key: key)
    }

    private func jws(
        _ token: String,
        key: TestKey = .shared,
        _ further: String...
    ) throws -> CommandLineRun {
        let workspace = try Workspace(issuer: TestIssuer(key: key))
        let file = try workspace.write(token + "\n", "token.jwt")
        return try CommandLineRun(["jws", file.path(), "--keys", workspace.path("keys.json")] + further)
    }

    @Test(arguments: [[], [0x7B, 0x7D], [0x0A], [0x00, 0xFF, 0x1B, 0x5B, 0x32, 0x4A, 0x0D, 0x0A]] as [[UInt8]])
    func `the payload is written to standard output byte for byte, and nothing else is`(payload: [UInt8]) throws {
        let run = try jws(Self.token(payload))
        #expect(run.status == 0)
        #expect(Array(run.outputBytes) == payload)
        #expect(run.errors == "")
    }

    @Test func `the payload is not checked`() throws {
        let issuer = TestIssuer()
        let token = issuer.token { token in
            token.claims["exp"] = 1
            token.claims["iss"] = nil
        }
        #expect(try jws(token).status == 0)
    }

    @Test func `nothing is written to standard output if the signature is invalid`() throws {
        let token = Self.token(Array("{}".utf8))
        let run = try jws(token.dropLast(3) + "AAA")
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(
            run.errors
                == "verify-token: token refused: signature: not a valid RS256 signature by the key that the token names\n"
        )
    }

    @Test func `a text that is not a token is refused`() throws {
        for text in ["", "garbage", "a.b.c", Self.token([]) + " "] {
            let run = try jws(text)
            #expect(run.status == 1 && run.output == "")
            #expect(run.errors.hasPrefix("verify-token: token refused: "))
        }
    }

    @Test(arguments: [SignatureAlgorithm.rs512, .ps256, .es256, .es384, .es512, .edDSA, .ed25519])
    func `an algorithm is accepted if it is named`(algorithm: SignatureAlgorithm) throws {
        let key = TestKey(algorithm)
        let token = Self.token([0x7B, 0x7D], key: key)
        #expect(try jws(token, key: key, "--algorithm", algorithm.rawValue).output == "{}")
        #expect(try jws(token, key: key, "--algorithm", "RS256", "--algorithm", algorithm.rawValue).output == "{}")
        for further in [[], ["--algorithm", "RS384"]] {
            let workspace = try Workspace(issuer: TestIssuer(key: key))
            let file = try workspace.write(token, "token.jwt")
            let run = try CommandLineRun(["jws", file.path(), "--keys", workspace.path("keys.json")] + further)
            #expect(run.status == 1 && run.output == "")
            #expect(run.errors.contains("token refused: algorithm: "))
        }
    }

    @Test func `other input is recognized, and the right command is named`() throws {
        let workspace = try Workspace()
        let token = Self.token([])
        let input = try workspace.write("\(token)\n\(token)\n", "tokens.txt").path()
        let run = try CommandLineRun(["jws", input, "--keys", workspace.path("keys.json")])
        #expect(run.status == 1 && run.output == "")
        #expect(run.errors.contains("more than one begins like a token. There are several tokens"))
        #expect(run.errors.contains("\n  hint: verify-token batch verifies"))
    }

    @Test(arguments: ["missing.json", "broken.json", "empty.json"])
    func `the result is undecided without keys`(name: String) throws {
        let workspace = try Workspace()
        try workspace.write("{\"keys\":", "broken.json")
        try workspace.write("{\"keys\":[]}", "empty.json")
        let file = try workspace.write(Self.token([]), "token.jwt")
        let run = try CommandLineRun(["jws", file.path(), "--keys", workspace.path(name)])
        #expect(run.status == (name == "missing.json" ? 64 : 2))
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("verify-token: undecided: keys-unavailable: "))
    }

    @Test func `a published private key must be allowed explicitly`() throws {
        let demo = Self.vectors.appending(path: "demo")
        let arguments = [
            "jws", demo.appending(path: "token.jwt").path(), "--keys", demo.appending(path: "keys.json").path(),
        ]
        let refused = try CommandLineRun(arguments)
        #expect(refused.status == 1 && refused.output == "")
        #expect(refused.errors.contains("token refused: key-unusable: "))
        #expect(try CommandLineRun(arguments + ["--allow-published-test-keys"]).status == 0)
    }

    @Test func `the token can come from standard input, or with a warning from the arguments`() throws {
        let workspace = try Workspace(issuer: TestIssuer())
        let token = Self.token([0x7B, 0x7D])
        let keys = ["--keys", workspace.path("keys.json")]
        let input = try CommandLineRun(["jws"] + keys, input: try workspace.write(token + "\n", "token.jwt"))
        #expect(input.status == 0 && input.output == "{}" && input.errors == "")
        let argument = try CommandLineRun(["jws", "--token", token] + keys)
        #expect(argument.status == 0 && argument.output == "{}")
        #expect(argument.errors.contains("other users of this machine can see the value of --token"))
    }

    @Test(
        arguments: [
            ["token.jwt"], ["token.jwt", "--keys"], ["token.jwt", "--keys", "keys.json", "--algorithm", "none"],
            ["token.jwt", "--keys", "keys.json", "--algorithm", "HS256"],
            ["token.jwt", "--keys", "keys.json", "--nonce", "n-1"],
            ["token.jwt", "--keys", "keys.json", "--token", "x"], ["token.jwt", "more", "--keys", "keys.json"],
        ]
    )
    func `contradictory arguments are a usage error`(arguments: [String]) throws {
        let run = try CommandLineRun(["jws"] + arguments)
        #expect(run.status == 64)
        #expect(run.output == "")
    }

    @Test func `control characters are escaped on a terminal, with a note`() throws {
        let workspace = try Workspace(issuer: TestIssuer())
        let payload = "{\"name\":\"\u{1B}[2J\u{202E}x\r\"}"
        let file = try workspace.write(Self.token(Array(payload.utf8)), "token.jwt").path()
        let run = try CommandLineRun(
            atTerminal: ["jws", file, "--keys", workspace.path("keys.json")],
            environment: ["TERM": "xterm"]
        )
        #expect(run.status == 0)
        #expect(run.output == "{\"name\":\"\\u{1b}[2J\\u{202e}x\\u{d}\"}\n")
        #expect(
            run.errors
                == "verify-token: characters that are unsafe on a terminal are escaped; a file or a pipe receives the payload unchanged\n"
        )
    }

    @Test func `printable text goes to a terminal unchanged, on a line of its own`() throws {
        let workspace = try Workspace(issuer: TestIssuer())
        let file = try workspace.write(Self.token(Array("{\n\"name\":\"Zoë\"}".utf8)), "token.jwt").path()
        let run = try CommandLineRun(
            atTerminal: ["jws", file, "--keys", workspace.path("keys.json")],
            environment: ["TERM": "xterm"]
        )
        #expect(run.status == 0)
        #expect(run.output == "{\n\"name\":\"Zoë\"}\n")
        #expect(run.errors == "")
    }
}
#endif
