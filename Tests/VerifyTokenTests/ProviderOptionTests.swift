// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The providers that the command knows by name.
@Suite struct ProviderOptionTests {
    private static let tenant = "11111111-2222-4333-8444-555555555555"
    private static let another = "66666666-7777-4888-9999-aaaaaaaaaaaa"
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// Returns the code of the refusal; nil for a verified token.
    private func code(
        _ options: String...,
        change: (inout TestToken) -> Void
    ) throws -> String? {
        let workspace = try Workspace(issuer: TestIssuer())
        let token = try workspace.write(workspace.issuer.token(nonce: "n-1", change), "token.jwt")
        let run = try CommandLineRun(
            [
                token.path(), "--audience", "client-1", "--nonce", "n-1", "--keys", workspace.path("keys.json"),
                "--at", "1760000000", "--format", "json",
            ] + options
        )
        let report = try run.json()
        let code = report["code"] as? String
        #expect(run.status == (code == nil ? 0 : 1))
        #expect(report["verdict"] as? String == (code == nil ? "verified" : "refused"))
        return code
    }

    @Test(arguments: ["https://accounts.google.com", "accounts.google.com"])
    func `both issuers of Google are accepted`(issuer: String) throws {
        #expect(try code("--provider", "google") { $0.claims["iss"] = .string(issuer) } == nil)
        #expect(try code("--provider", "google") { $0.claims["iss"] = .string(issuer + "/") } == "issuer")
        #expect(try code("--provider", "apple") { $0.claims["iss"] = .string(issuer) } == "issuer")
    }

    @Test func `Apple has one issuer and always sends a key ID`() throws {
        #expect(try code("--provider", "apple") { $0.claims["iss"] = "https://appleid.apple.com" } == nil)
        let nameless: (inout TestToken) -> Void = { token in
            token.claims["iss"] = "https://appleid.apple.com"
            token.header["kid"] = nil
        }
        #expect(try code("--provider", "apple", change: nameless) == "key-id")
        #expect(try code("--issuer", "https://appleid.apple.com", change: nameless) == nil)
    }

    private static func microsoft(_ tenant: String, issuer: String? = nil) -> (inout TestToken) -> Void {
        { token in
            token.claims["tid"] = .string(tenant)
            token.claims["iss"] = .string("https://login.microsoftonline.com/\(issuer ?? tenant)/v2.0")
        }
    }

    @Test func `--tenant is required for Microsoft`() throws {
        let options = ["--provider", "microsoft", "--tenant"]
        for (tenant, own, other) in [
            (Self.tenant, Self.tenant, Self.another), ("personal", Self.personal, Self.tenant),
        ] {
            #expect(try code(options[0], options[1], options[2], tenant, change: Self.microsoft(own)) == nil)
            #expect(try code(options[0], options[1], options[2], tenant, change: Self.microsoft(other)) == "issuer")
        }
    }

    @Test func `--tenant any accepts every tenant, but the issuer must match it`() throws {
        for tenant in [Self.tenant, Self.another, Self.personal] {
            #expect(try code("--provider", "microsoft", "--tenant", "any", change: Self.microsoft(tenant)) == nil)
        }
        let mixed = Self.microsoft(Self.tenant, issuer: Self.another)
        #expect(try code("--provider", "microsoft", "--tenant", "any", change: mixed) == "issuer")
    }

    @Test(
        arguments: [
            ["--provider", "microsoft"], ["--provider", "microsoft", "--tenant", ""],
            ["--provider", "microsoft", "--tenant", "common"], ["--provider", "microsoft", "--tenant", "Any"],
            ["--provider", "microsoft", "--tenant", "66666666-7777-4888-9999-AAAAAAAAAAAA"],
            ["--provider", "microsoft", "--tenant", "contoso.example"], ["--provider", "google", "--tenant", "any"],
            ["--issuer", "https://issuer.example", "--tenant", "any"], ["--provider", "Google"],
        ]
    )
    func `any other use of --tenant is a usage error`(options: [String]) throws {
        let run = try CommandLineRun(
            ["verify", "missing.jwt", "--audience", "client-1", "--nonce", "n-1", "--keys", "missing.json"] + options
        )
        #expect(run.status == 64)
        #expect(run.output == "")
    }

    @Test func `the hosted domain is a claim of the account, not the domain of its address`() throws {
        let google: (String?) -> (inout TestToken) -> Void = { domain in
            { token in
                token.claims["iss"] = "https://accounts.google.com"
                token.claims["email"] = "ada@example.com"
                token.claims["hd"] = domain.map { .string($0) }
            }
        }
        let options = ("--provider", "google", "--hosted-domain", "example.com")
        for (domain, expected) in [
            ("example.com", nil), ("example.org", "hosted-domain"), ("EXAMPLE.com", "hosted-domain"),
            (nil, "hosted-domain"),
        ] as [(String?, String?)] {
            #expect(try code(options.0, options.1, options.2, options.3, change: google(domain)) == expected)
            #expect(try code("--provider", "google", change: google(domain)) == nil)
        }
    }
}

/// Additional audiences, and the authorized party.
@Suite struct AudienceOptionTests {
    private func status(_ options: [String], _ claims: [String: TestJSON]) throws -> Int32 {
        let workspace = try Workspace(issuer: TestIssuer())
        let text = workspace.issuer.token { token in
            for (name, value) in claims { token.claims[name] = value }
        }
        let file = try workspace.write(text, "token.jwt")
        let arguments = [
            "verify", file.path(), "--issuer", "https://issuer.example", "--audience", "client-1", "--nonce-absent",
            "--keys", workspace.path("keys.json"), "--at", "1760000000",
        ]
        return try CommandLineRun(arguments + options).status
    }

    @Test(.rule("T-181"))
    func `further audiences and authorized parties are accepted if they are named`() throws {
        let several: [String: TestJSON] = ["aud": ["client-1", "api"], "azp": "client-1"]
        #expect(try status(["--trusted-audience", "api"], several) == 0)
        #expect(try status(["--trusted-audience", "other"], several) == 1)
        #expect(try status([], several) == 1)
        let party: [String: TestJSON] = ["azp": "android"]
        #expect(try status(["--authorized-party", "web", "--authorized-party", "android"], party) == 0)
        #expect(try status(["--authorized-party", "web"], party) == 1)
        #expect(try status([], party) == 1)
        #expect(try status(["--authorized-party", ""], [:]) == 64)
    }
}

/// Authentication requirements, and the credentials that accompany the token.
@Suite struct AuthenticationOptionTests {
    // OpenID Connect Core, Appendix A.4.
    private static let accessToken = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
    private static let accessTokenHash = "77QmUPtjPfzWtF2AnpK9RQ"
    private static let authorizationCode = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
    private static let codeHash = "LDktKdoQak3Pk0cnXxCltA"

    /// Runs the command with a file `secret`, on a token with these claims.
    private func run(
        _ options: [String],
        secret: String = "",
        _ claims: [String: TestJSON] = [:]
    ) throws -> CommandLineRun {
        let workspace = try Workspace(issuer: TestIssuer())
        try workspace.write(secret, "secret")
        let text = workspace.issuer.token(nonce: "n-1") { token in
            for (name, value) in claims { token.claims[name] = value }
        }
        let token = try workspace.write(text, "token.jwt")
        let said = options.map { ["secret", "missing"].contains($0) ? workspace.path($0) : $0 }
        return try CommandLineRun(
            [
                token.path(), "--issuer", "https://issuer.example", "--audience", "client-1", "--nonce", "n-1",
                "--keys", workspace.path("keys.json"), "--at", "1760000000", "--leeway", "0", "--format", "json",
            ] + said
        )
    }

    private func code(
        _ options: [String],
        secret: String = "",
        _ claims: [String: TestJSON] = [:]
    ) throws -> String? {
        try run(options, secret: secret, claims).json()["code"] as? String
    }

    @Test func `--max-auth-age limits the age of the authentication`() throws {
        #expect(try code(["--max-auth-age", "60"], ["auth_time": 1_759_999_940]) == nil)
        #expect(try code(["--max-auth-age", "60"], ["auth_time": 1_759_999_939]) == "auth-time")
        #expect(try code(["--max-auth-age", "60"]) == "auth-time")
        #expect(try code(["--max-auth-age", "0"], ["auth_time": 1_760_000_000]) == nil)
        #expect(try code([], ["auth_time": 1]) == nil)
    }

    @Test func `the required authentication context class is compared`() throws {
        let options = ["--acr", "urn:one", "--acr", "-2"]
        #expect(try code(options, ["acr": "urn:one"]) == nil)
        #expect(try code(options, ["acr": "-2"]) == nil)
        #expect(try code(options, ["acr": "urn:On"]) == "acr")
        #expect(try code(options) == "acr")
        #expect(try code([], ["acr": "0"]) == nil)
    }

    private static let responses = [
        ("--access-token-file", accessToken, "at_hash", accessTokenHash, "access-token-hash"),
        ("--code-file", authorizationCode, "c_hash", codeHash, "code-hash"),
    ]

    @Test(arguments: responses)
    func `an access token or a code must match its hash`(
        option: String,
        secret: String,
        claim: String,
        hash: String,
        refusal: String
    ) throws {
        for end in ["", "\n", "\r\n"] {
            #expect(try code([option, "secret"], secret: secret + end, [claim: .string(hash)]) == nil)
        }
        #expect(try code([option, "secret"], secret: secret + "x", [claim: .string(hash)]) == refusal)
        #expect(try code([option, "secret"], secret: secret, [claim: .string(hash + "A")]) == refusal)
        #expect(try code([option, "secret"], secret: secret) == refusal)
        #expect(try code([], [claim: "anything"]) == nil)
    }

    @Test(arguments: responses)
    func `a missing hash is accepted only if that is allowed, and a wrong one never is`(
        option: String,
        secret: String,
        claim: String,
        hash: String,
        refusal: String
    ) throws {
        let options = [option, "secret", "--hashes-if-present"]
        #expect(try code(options, secret: secret) == nil)
        #expect(try code(options, secret: secret, [claim: .string(hash)]) == nil)
        #expect(try code(options, secret: secret + "x", [claim: .string(hash)]) == refusal)
        #expect(try run(["--hashes-if-present"]).status == 64)
    }

    @Test(arguments: responses)
    func `a file without a valid access token or code leaves the token undecided`(
        option: String,
        secret: String,
        claim: String,
        hash: String,
        refusal: String
    ) throws {
        for content in ["", "\n", secret + "\n\n", secret + "\nmore", "\u{FEFF}" + secret, secret + "\0"] {
            let run = try run([option, "secret"], secret: content, [claim: .string(hash)])
            #expect(run.status == 2 && run.output == "")
            #expect(run.errors.hasPrefix("verify-token: ") && !run.errors.contains(secret))
        }
        #expect(try run([option, "missing"], [claim: .string(hash)]).status == 64)
        #expect(try run([option]).status == 64)
    }

    @Test func `access token and code are neither shown nor accepted as arguments`() throws {
        let refused = try run(["--access-token-file", "secret", "--explain"], secret: Self.accessToken)
        #expect(refused.status == 1)
        #expect(!refused.output.contains(Self.accessToken) && !refused.errors.contains(Self.accessToken))
        for option in ["--access-token", "--code"] {
            #expect(try run([option, "secret"]).status == 64)
        }
    }

    @Test func `a published private key must be allowed explicitly`() throws {
        let demo = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../TestVectors/demo")
        let arguments = [
            demo.appending(path: "token.jwt").path(), "--provider", "facebook", "--app-id", "1234509876543210",
            "--nonce", "made-up-nonce-4f1c9a", "--keys", demo.appending(path: "keys.json").path(),
            "--at", "1760000000", "--format", "json",
        ]
        let refused = try CommandLineRun(arguments)
        #expect(try refused.status == 1 && refused.json()["code"] as? String == "key-unusable")
        #expect(try CommandLineRun(arguments + ["--allow-published-test-keys"]).status == 0)
    }
}
#endif
