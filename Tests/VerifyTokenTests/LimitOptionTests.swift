// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing
@testable import verify_token

/// The options that raise a limit: `--max-token-bytes`, `--max-header-bytes` and `--max-keys`.
@Suite struct LimitOptionTests {
    private static let issuer = ["--issuer", "https://issuer.example", "--audience", "orders", "--at", "1760000000"]

    private static func workspace() throws -> Workspace {
        let form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        return try Workspace(issuer: TestIssuer(accessTokensOf: form, audience: "orders"))
    }

    @Test func `a token of more than 16 KiB is refused with the option that accepts it`() throws {
        let workspace = try Self.workspace()
        let token = workspace.issuer.accessToken { $0.claims["fill"] = .string(String(repeating: "x", count: 20_000)) }
        let file = try workspace.write(token, "token.jwt").path()
        let keys = ["--keys", workspace.path("keys.json")]
        for (command, name) in [(["access", file] + Self.issuer + keys, "access"), (["jws", file] + keys, "jws")] {
            let refused = try CommandLineRun(command)
            #expect(refused.status == 1, "\(name)")
            let message = "token refused: too-large: the token has more than 16384 bytes; "
            let shown = name == "access" ? refused.output : refused.errors
            #expect(shown.contains(message + "--max-token-bytes can be up to 65536"))
            #expect(try CommandLineRun(command + ["--max-token-bytes", "65536"]).status == 0, "\(name)")
        }
        #expect(try CommandLineRun(["inspect", file]).status == 0)
    }

    @Test func `a header of more than 4 KiB is refused with the option that accepts it`() throws {
        let workspace = try Self.workspace()
        let token = workspace.issuer.accessToken { $0.header["x"] = .string(String(repeating: "x", count: 5000)) }
        let file = try workspace.write(token, "token.jwt").path()
        let command = ["access", file] + Self.issuer + ["--keys", workspace.path("keys.json")]
        let refused = try CommandLineRun(command)
        #expect(refused.status == 1 && refused.output.contains("; --max-header-bytes can be up to 16384"))
        #expect(try CommandLineRun(command + ["--max-header-bytes", "8192"]).status == 0)
    }

    @Test func `a key set of more than 100 keys needs --max-keys`() throws {
        let workspace = try Self.workspace()
        let own = workspace.issuer.key.json
        let others = (0..<100).map { number in
            var key = own
            key["kid"] = .string("\(number)")
            return key
        }
        try workspace.write((["keys": .array(others + [own])] as TestJSON).text, "keys.json")
        let file = try workspace.write(workspace.issuer.accessToken(), "token.jwt").path()
        let command = ["access", file] + Self.issuer + ["--keys", workspace.path("keys.json")]
        let refused = try CommandLineRun(command)
        #expect(refused.status == 2 && refused.output.contains("--max-keys can be up to 1000"))
        #expect(try CommandLineRun(command + ["--max-keys", "101"]).status == 0)
    }
}
#endif
