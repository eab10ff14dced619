// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing
@testable import verify_token

extension Workspace {
    /// Returns a workspace for access tokens of an issuer.
    fileprivate static func forAccessTokens(
        of issuer: AccessTokenIssuer = .rfc9068(issuers: ["https://issuer.example"]),
        audience: String = "orders"
    ) throws -> Workspace {
        try Workspace(issuer: TestIssuer(accessTokensOf: issuer, audience: audience))
    }

    /// Verifies an access token in a file.
    fileprivate func access(
        _ token: String,
        issuer options: [String] = ["--issuer", "https://issuer.example", "--audience", "orders"],
        _ further: String...
    ) throws -> CommandLineRun {
        let file = try write(token + "\n", "token.jwt").path()
        let time = ["--keys", path("keys.json"), "--at", "1760000000"]
        return try CommandLineRun(["access", file] + options + time + further)
    }
}

/// `verify-token access`: verdicts and reports.
@Suite struct AccessCommandTests {
    @Test func `a verified access token ends with status 0, and the report has what an API decides by`() throws {
        let workspace = try Workspace.forAccessTokens()
        let run = try workspace.access(workspace.issuer.accessToken(scopes: ["orders:write", "orders:read"]))
        #expect(run.status == 0 && run.errors == "")
        #expect(run.output.hasPrefix("verified: access token of \"https://issuer.example\" for \"orders\"\n"))
        for line in [
            "subject            sha256:", "client             \"client-app\"\n",
            "scopes             orders:read orders:write\n", "expires            2025-10-09T09:52:20Z\n",
            "binding            not bound\n",
        ] { #expect(run.output.contains("\n  " + line), "\(line)") }
        #expect(!run.output.contains("1000000000000001"))
    }

    @Test func `a JSON report has the facts as a member, and the subject on request`() throws {
        let workspace = try Workspace.forAccessTokens()
        let token = workspace.issuer.accessToken(scopes: ["orders:read"])
        let report = try workspace.access(token, "--format", "json").json()
        let access = try #require(report["access"] as? [String: Any])
        #expect(report["verdict"] as? String == "verified" && report["proofChecks"] == nil)
        #expect(access["clientID"] as? String == "client-app" && access["scopes"] as? [String] == ["orders:read"])
        #expect(access["expiresAt"] as? String == "2025-10-09T09:52:20Z")
        #expect(access["possession"] as? String == "not-bound" && access["keyThumbprint"] is NSNull)
        #expect((access["subject"] as? String)?.hasPrefix("sha256:") == true)
        let shown = try workspace.access(token, "--format", "json", "--show-claims").json()
        #expect((shown["access"] as? [String: Any])?["subject"] as? String == "1000000000000001")
    }

    @Test func `an explained report lists every check of an access token`() throws {
        let workspace = try Workspace.forAccessTokens()
        let run = try workspace.access(workspace.issuer.accessToken(), "--explain", "--format", "json")
        let checks = try #require(try run.json()["checks"] as? [[String: String]])
        #expect(checks.map { $0["check"] } == Check.inAccessTokenOrder.map(\.rawValue))
    }

    @Test(
        arguments: [
            (["--scope", "orders:read"], nil), (["--scope", "orders:delete"], "insufficient-scope"),
            (["--client", "client-app"], nil), (["--client", "another"], "authorized-party"),
            (["--max-age", "90"], nil), (["--max-age", "10"], "too-old"),
            (["--algorithm", "RS256"], nil), (["--algorithm", "ES256"], "algorithm"),
            (["--require-value", "sub=1000000000000001"], nil), (["--require-value", "sub=2"], "claim-value"),
            (["--require-value", "sub=2", "--require-value", "sub=1000000000000001"], nil),
            (["--require-value", "tenant=a"], "claim-value"),
        ] as [([String], String?)]
    )
    func `each option of the policy accepts and refuses`(options: [String], code: String?) throws {
        let workspace = try Workspace.forAccessTokens()
        let file = try workspace.write(workspace.issuer.accessToken(scopes: ["orders:read"]), "token.jwt").path()
        let run = try CommandLineRun(
            [
                "access", file, "--issuer", "https://issuer.example", "--audience", "orders", "--leeway", "0",
                "--keys", workspace.path("keys.json"), "--at", "1760000000", "--format", "json",
            ] + options
        )
        #expect(try run.code() == code)
        #expect(run.status == (code == nil ? 0 : 1))
    }

    @Test func `a token is undecided without keys`() throws {
        let workspace = try Workspace.forAccessTokens()
        try workspace.write("{\"keys\":[]}", "keys.json")
        let run = try workspace.access(workspace.issuer.accessToken(), "--format", "json")
        #expect(run.status == 2)
        #expect(try run.code() == "keys-unavailable")
    }

    @Test(
        arguments: [
            ["--preset", "auth0:example.eu.auth0.com"], ["--audience", ""], ["--scope", "two scopes"],
            ["--method", "GET"], ["--proof", "missing"], ["--proof-max-age", "60"], ["--proof-leeway", "0"],
            ["--max-token-bytes", "16383"], ["--max-token-bytes", "65537"], ["--max-header-bytes", "-1"],
            ["--max-keys", "99"], ["--max-keys", "1001"], ["--max-age", "0"], ["--require-value", "tenant"],
            ["--require-value", "=a"], ["--require-value", "tenant="], ["--certificate", "missing"],
        ]
    )
    func `contradictory and impossible values are usage errors`(options: [String]) throws {
        let workspace = try Workspace.forAccessTokens()
        let file = try workspace.write(workspace.issuer.accessToken(), "token.jwt").path()
        let whole = [
            "--issuer", "https://issuer.example", "--audience", "orders", "--keys", workspace.path("keys.json"),
        ]
        let run = try CommandLineRun(["access", file] + whole + options)
        #expect(run.status == 64 && run.output == "")
    }
}

/// Presets of issuers, as `--preset` names them.
@Suite struct AccessTokenPresetTests {
    private static let tenant = "00000000-0000-4000-8000-000000000001"

    private static func expected(_ text: String) throws -> AccessTokenIssuer? {
        switch text {
        case "auth0:example.eu.auth0.com": try .auth0(domain: "example.eu.auth0.com")
        case "cognito:eu-central-1_EXAMPLE": try .cognito(region: "eu-central-1", userPoolID: "eu-central-1_EXAMPLE")
        case "firebase:project": try .firebase(projectID: "project")
        case "firebase-app-check:1234": try .firebaseAppCheck(projectNumber: "1234")
        case "github-actions:octo-org": .gitHubActions(owner: "octo-org")
        case "github-actions:octo-org/octo-repo": .gitHubActions(repository: "octo-org/octo-repo")
        case "gitlab:group/project": .gitLab(project: "group/project")
        case "gitlab:https://git.example/group/project": .gitLab(url: "https://git.example", project: "group/project")
        case "keycloak:https://login.example/realms/main": .keycloak(issuer: "https://login.example/realms/main")
        case "kubernetes:default/worker@https://cluster.example":
            .kubernetes(issuer: "https://cluster.example", serviceAccounts: ["default/worker"])
        case "microsoft:\(tenant)": try .microsoft(tenantID: tenant)
        case "microsoft:any": .microsoft(.microsoftAnyTenant)
        case "microsoft-v1:\(tenant)": try .microsoftV1(tenantID: tenant)
        case "microsoft:\(tenant)@login.microsoftonline.us":
            try .microsoft(tenantID: tenant, host: "login.microsoftonline.us")
        case "microsoft-v1:\(tenant)@login.partner.microsoftonline.cn":
            try .microsoftV1(tenantID: tenant, host: "login.partner.microsoftonline.cn")
        case "microsoft-b2c:\(tenant)/B2C_1_signin@contoso.b2clogin.com":
            try .microsoftB2C(tenantID: tenant, userFlow: "B2C_1_signin", host: "contoso.b2clogin.com")
        case "cognito:cn-north-1_X": try .cognito(region: "cn-north-1", userPoolID: "cn-north-1_X")
        case "cognito:eu-west-1_X@issuer-cognito-idp.eu-west-1.amazonaws.com":
            try .cognito(
                region: "eu-west-1",
                userPoolID: "eu-west-1_X",
                host: "issuer-cognito-idp.eu-west-1.amazonaws.com"
            )
        case "github-actions:octo-org@https://github.example/_services/token":
            .gitHubActions(owner: "octo-org", issuer: "https://github.example/_services/token")
        case "github-actions:o/r@https://token.actions.octo.ghe.com":
            .gitHubActions(repository: "o/r", issuer: "https://token.actions.octo.ghe.com")
        case "supabase:https://api.example/auth/v1": .supabase(issuer: "https://api.example/auth/v1")
        case "okta:example.okta.com": try .okta(domain: "example.okta.com")
        case "okta:example.okta.com/aus1": try .okta(domain: "example.okta.com", authorizationServer: "aus1")
        case "supabase:reference": try .supabase(projectID: "reference")
        default: nil
        }
    }

    @Test(arguments: [
        "auth0:example.eu.auth0.com", "cognito:eu-central-1_EXAMPLE", "firebase:project", "firebase-app-check:1234",
        "github-actions:octo-org", "github-actions:octo-org/octo-repo", "gitlab:group/project",
        "gitlab:https://git.example/group/project", "keycloak:https://login.example/realms/main",
        "kubernetes:default/worker@https://cluster.example", "microsoft:\(tenant)", "microsoft:any",
        "microsoft-v1:\(tenant)", "okta:example.okta.com", "okta:example.okta.com/aus1", "supabase:reference",
        "microsoft:\(tenant)@login.microsoftonline.us", "microsoft-v1:\(tenant)@login.partner.microsoftonline.cn",
        "microsoft-b2c:\(tenant)/B2C_1_signin@contoso.b2clogin.com", "cognito:cn-north-1_X",
        "cognito:eu-west-1_X@issuer-cognito-idp.eu-west-1.amazonaws.com",
        "github-actions:octo-org@https://github.example/_services/token",
        "github-actions:o/r@https://token.actions.octo.ghe.com", "supabase:https://api.example/auth/v1",
    ])
    func `a preset is the one of the library`(text: String) throws {
        #expect(try AccessTokenPreset.issuer(text) == Self.expected(text))
    }

    @Test func `the help lists every preset`() throws {
        let help = try CommandLineRun(["access", "--help"]).output
        for preset in AccessTokenPreset.allCases { #expect(help.contains("  \(preset.rawValue): ")) }
    }

    @Test(arguments: [
        "", "auth0", "auth0:", ":x", "myspace:x", "auth0:https://example.eu.auth0.com", "microsoft:common",
        "kubernetes:https://cluster.example", "kubernetes:worker@https://cluster.example", "cognito:../x",
        "microsoft:any@login.microsoftonline.us", "microsoft-v1:\(tenant)@\(tenant).ciamlogin.com",
        "microsoft-b2c:\(tenant)", "microsoft-b2c:\(tenant)@contoso.b2clogin.com", "github-actions:@https://x.example",
        "microsoft:\(tenant)@", "cognito:eu-west-1_X@https://x.example",
    ])
    func `an invalid preset is a usage error`(text: String) throws {
        let run = try CommandLineRun(["access", "--preset", text, "--audience", "a"])
        #expect(run.status == 64 && run.output == "")
    }

    @Test func `a token of a preset is verified, and under another preset refused`() throws {
        let auth0 = try AccessTokenIssuer.auth0(domain: "example.eu.auth0.com")
        let workspace = try Workspace.forAccessTokens(of: auth0, audience: "https://orders.example")
        let token = workspace.issuer.accessToken(auth0)
        for (preset, status) in [("auth0:example.eu.auth0.com", 0), ("okta:example.okta.com", 1)] as [(String, Int32)] {
            let options = ["--preset", preset, "--audience", "https://orders.example"]
            #expect(try workspace.access(token, issuer: options).status == status)
        }
    }
}

/// `verify-token access --jwt-mark`: access tokens that do not follow RFC 9068.
@Suite struct GeneralAccessTokenTests {
    private static let options = ["--issuer", "https://as.example", "--audience", "orders", "--jwt-mark"]

    @Test func `a token with the mark is verified, and an ID token refused`() throws {
        let form = try AccessTokenIssuer.jwt(issuers: ["https://as.example"], mark: .claim("scp"), scopeClaim: "scp")
        let workspace = try Workspace.forAccessTokens(of: form)
        let token = workspace.issuer.accessToken(form, scopes: ["orders:read"])
        let mark = Self.options + ["scp", "--jwt-scope-claim", "scp", "--scope", "orders:read"]
        #expect(try workspace.access(token, issuer: mark).status == 0)
        let other = try workspace.access(token, issuer: Self.options + ["token_use=access"], "--format", "json")
        #expect(try other.code() == "token-type")
        let cid = try workspace.access(token, issuer: mark + ["--jwt-client-claim", "cid"], "--format", "json")
        #expect(try cid.code() == "missing-claim")
        #expect(try workspace.access(token, issuer: mark + ["--jwt-client-claim", "none"]).status == 0)
        let identity = workspace.issuer.token(nonce: "n-1")
        #expect(try workspace.access(identity, issuer: mark, "--format", "json").code() == "token-type")
    }

    @Test(arguments: [
        ["--jwt-mark", ""], ["--jwt-mark", "azp"], ["--jwt-mark", "auth_time=1"], ["--jwt-mark", "token_use="],
        ["--jwt-mark", "=x"], ["--jwt-client-claim", "cid"], ["--jwt-scope-claim", "scp"],
        ["--jwt-mark", "scp", "--jwt-scope-claim", ""], ["--jwt-mark", "scp", "--client", "orders"],
    ])
    func `a mark that separates nothing, or is missing, is a usage error`(options: [String]) throws {
        let run = try CommandLineRun(["access", "--issuer", "https://as.example", "--audience", "orders"] + options)
        #expect(run.status == 64 && run.output == "")
    }

    @Test func `a preset has no further mark`() throws {
        let run = try CommandLineRun([
            "access", "--preset", "auth0:example.eu.auth0.com", "--audience", "orders", "--jwt-mark", "scp",
        ])
        #expect(run.status == 64)
    }
}

/// Access tokens that are bound to a key or a certificate.
@Suite struct BoundAccessTokenTests {
    private static let request = ["--method", "GET", "--url", "https://api.example/orders?page=2"]

    private static func proof(_ prover: TestProver, _ token: String, method: String = "GET") -> String {
        prover.proof(method: method, url: "https://api.example/orders", token: token)
    }

    private func run(
        _ workspace: borrowing Workspace,
        _ token: String,
        proof: String?,
        _ further: [String] = []
    ) throws -> CommandLineRun {
        let file = try workspace.write(token, "token.jwt").path()
        let options = [
            "access", file, "--issuer", "https://issuer.example", "--audience", "orders", "--keys",
            workspace.path("keys.json"), "--at", "1760000000", "--format", "json",
        ]
        guard let proof else { return try CommandLineRun(options + further) }
        let proofFile = try workspace.write(proof + "\n", "proof").path()
        return try CommandLineRun(options + ["--proof", proofFile] + Self.request + further)
    }

    @Test func `a bound token with its proof is verified, and all checks of the proof are listed`() throws {
        let workspace = try Workspace.forAccessTokens()
        let prover = TestProver(clock: workspace.issuer.clock)
        let token = workspace.issuer.accessToken { $0.claims["cnf"] = prover.confirmation }
        let run = try run(workspace, token, proof: Self.proof(prover, token))
        #expect(run.status == 0)
        let report = try run.json()
        let (access, proof) = (report["access"] as? [String: Any], report["proof"] as? [String: Any])
        #expect(access?["possession"] as? String == "proven")
        #expect(access?["keyThumbprint"] as? String == prover.keyThumbprint)
        #expect(proof?["keyThumbprint"] as? String == prover.keyThumbprint)
        #expect(proof?["accessToken"] as? String == "verified")
        let checks = try #require(report["proofChecks"] as? [[String: String]])
        #expect(checks.map { $0["check"] } == Check.inProofOrder.map(\.rawValue))
    }

    @Test func `the options for clocks that differ accept a proof that is ahead or old`() throws {
        let workspace = try Workspace.forAccessTokens()
        let prover = TestProver(clock: workspace.issuer.clock)
        let token = workspace.issuer.accessToken { $0.claims["cnf"] = prover.confirmation }
        for (seconds, code, option) in [
            (60, "proof-in-future", "--proof-leeway"), (-299, "proof-too-old", "--proof-max-age"),
        ] {
            let proof = prover.proof(method: "GET", url: "https://api.example/orders", token: token) {
                $0.claims["iat"] = .number("\(1_760_000_000 + seconds)")
            }
            #expect(try run(workspace, token, proof: proof).code() == code)
            let most = seconds > 0 ? "60" : "300"
            #expect(try run(workspace, token, proof: proof, [option, most]).status == 0)
            #expect(try run(workspace, token, proof: proof, [option, most + "0"]).status == 64)
        }
    }

    @Test func `a bound token without its proof is refused with a hint, unless that is allowed`() throws {
        let workspace = try Workspace.forAccessTokens()
        let prover = TestProver(clock: workspace.issuer.clock)
        let token = workspace.issuer.accessToken { $0.claims["cnf"] = prover.confirmation }
        let refused = try run(workspace, token, proof: nil)
        #expect(refused.status == 1)
        #expect(try refused.code() == "proof-required")
        let hints = try refused.json()["hints"] as? [String]
        #expect(hints?.first?.contains("--allow-bound") == true)
        let allowed = try run(workspace, token, proof: nil, ["--allow-bound"])
        #expect(allowed.status == 0 && allowed.output.contains(", POSSESSION NOT PROVEN\""))
        let access = try allowed.json()["access"] as? [String: Any]
        #expect(access?["possession"] as? String == "not-proven")
    }

    @Test func `a token with a confirmation that cannot be checked is always refused`() throws {
        let workspace = try Workspace.forAccessTokens()
        let token = workspace.issuer.accessToken { $0.claims["cnf"] = ["kid": "key-1"] }
        for further in [[], ["--allow-bound"]] {
            let run = try run(workspace, token, proof: nil, further)
            #expect(run.status == 1)
            #expect(try run.code() == "confirmation-unsupported")
        }
    }

    @Test func `a token that is bound to a certificate is shown only if that is allowed`() throws {
        let workspace = try Workspace.forAccessTokens()
        let thumbprint = TestJSON.string(String(repeating: "A", count: 43))
        let token = workspace.issuer.accessToken { $0.claims["cnf"] = ["x5t#S256": thumbprint] }
        #expect(try run(workspace, token, proof: nil).code() == "certificate-required")
        #expect(try run(workspace, token, proof: nil, ["--allow-bound"]).status == 0)
    }

    @Test func `a token that is bound to a certificate is verified with this certificate`() throws {
        let workspace = try Workspace.forAccessTokens()
        let certificate = try ClientCertificate(der: [0x30, 0x00])
        let token = workspace.issuer.accessToken {
            $0.claims["cnf"] = ["x5t#S256": .string(certificate.thumbprint)]
        }
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        try workspace.write(key + Self.pem("MAA="), "client.pem")
        let proven = try run(workspace, token, proof: nil, ["--certificate", workspace.path("client.pem")])
        #expect(proven.status == 0)
        let access = try proven.json()["access"] as? [String: Any]
        #expect(access?["possession"] as? String == "proven")
        try workspace.write(Self.pem("MAEA"), "other.pem")
        let other = try run(workspace, token, proof: nil, ["--certificate", workspace.path("other.pem")])
        #expect(other.status == 1)
        #expect(try other.code() == "certificate-binding")
    }

    @Test func `a token that is bound to a key and to a certificate needs the proof and the certificate`() throws {
        let workspace = try Workspace.forAccessTokens()
        let prover = TestProver(clock: workspace.issuer.clock)
        let certificate = try ClientCertificate(der: [0x30, 0x00])
        let token = workspace.issuer.accessToken {
            $0.claims["cnf"] = prover.confirmation
            $0.claims["cnf"]?["x5t#S256"] = .string(certificate.thumbprint)
        }
        let option = ["--certificate", try workspace.write(Self.pem("MAA="), "client.pem").path()]
        let proof = Self.proof(prover, token)
        #expect(try run(workspace, token, proof: nil, option).code() == "proof-required")
        #expect(try run(workspace, token, proof: proof).code() == "certificate-required")
        #expect(try run(workspace, token, proof: proof, option).status == 0)
    }

    @Test(arguments: ["", "MAA=", pem("AAAA"), pem("MAA=") + pem("MAA=")])
    func `a file without exactly one certificate is an error that leaves the token undecided`(content: String) throws {
        let workspace = try Workspace.forAccessTokens()
        let file = try workspace.write(content, "client.pem").path()
        let run = try run(workspace, workspace.issuer.accessToken(), proof: nil, ["--certificate", file])
        #expect(run.status == 2 && run.output == "")
        #expect(run.errors.hasPrefix("verify-token: cannot use "))
    }

    private static func pem(_ base64: String) -> String {
        "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
    }

    @Test func `a proof of another request, by another key, or for a token that is not bound is refused`() throws {
        let workspace = try Workspace.forAccessTokens()
        let prover = TestProver(clock: workspace.issuer.clock)
        let other = TestProver(key: .proofRS256, clock: workspace.issuer.clock)
        let bound = workspace.issuer.accessToken { $0.claims["cnf"] = prover.confirmation }
        let unbound = workspace.issuer.accessToken()
        for (token, proof, code) in [
            (bound, Self.proof(prover, bound, method: "POST"), "proof-method"),
            (bound, Self.proof(other, bound), "proof-binding"),
            (bound, Self.proof(prover, unbound), "proof-token-hash"),
            (unbound, Self.proof(prover, unbound), "proof-binding"),
        ] {
            let run = try run(workspace, token, proof: proof)
            #expect(run.status == 1)
            #expect(try run.code() == code)
        }
    }
}

/// The hints on refused access tokens.
@Suite struct AccessTokenHintTests {
    private func hints(_ run: CommandLineRun) throws -> String {
        #expect(run.status == 1)
        return try #require(try run.json()["hints"] as? [String]).joined(separator: "\n")
    }

    @Test func `an ID token sent as an access token is recognized, and the command for it is named`() throws {
        let workspace = try Workspace.forAccessTokens()
        let run = try workspace.access(workspace.issuer.token(nonce: "n-1"), "--format", "json")
        #expect(try run.json()["recognizedAs"] as? String == "id-token")
        #expect(try hints(run) == "verify-token verify verifies it")
    }

    @Test func `an access token sent as an ID token is recognized, and the command for it is named`() throws {
        let workspace = try Workspace.forAccessTokens()
        let options = [
            "--issuer", "https://issuer.example", "--audience", "client-1", "--nonce-absent", "--keys",
            workspace.path("keys.json"), "--at", "1760000000", "--format", "json",
        ]
        let marked = try workspace.write(workspace.issuer.accessToken(), "marked.jwt").path()
        #expect(try hints(CommandLineRun(["verify", marked] + options)) == "verify-token access verifies it")
        // Without the type of RFC 9068, only the scopes tell.
        let text = workspace.issuer.accessToken(scopes: ["orders:read"]) { $0.header["typ"] = "JWT" }
        let unmarked = try workspace.write(text, "unmarked.jwt").path()
        #expect(
            try hints(CommandLineRun(["verify", unmarked] + options)).contains("verify-token access verifies those")
        )
    }

    @Test func `the hint on a wrong audience names the audience of the token`() throws {
        let workspace = try Workspace.forAccessTokens()
        let token = workspace.issuer.accessToken { $0.claims["aud"] = ["billing", "shipping"] }
        let hints = try hints(workspace.access(token, "--format", "json"))
        #expect(
            hints.hasPrefix("the token is for \"billing\", \"shipping\": if that is your API, give it with --audience")
        )
    }

    @Test func `the hint on a missing scope names the scopes of the token`() throws {
        let workspace = try Workspace.forAccessTokens()
        let some = workspace.issuer.accessToken(scopes: ["orders:read", "profile"])
        let none = workspace.issuer.accessToken()
        for (token, words) in [
            (some, "the token has \"orders:read\", \"profile\": the client must request"),
            (none, "the token has no scopes: "),
        ] {
            let run = try workspace.access(token, "--scope", "orders:write", "--format", "json")
            #expect(try hints(run).hasPrefix(words))
        }
    }

    @Test func `the hint on a claim with another value does not show the value`() throws {
        let workspace = try Workspace.forAccessTokens()
        let run = try workspace.access(workspace.issuer.accessToken(), "--require-value", "sub=2", "--format", "json")
        #expect(try hints(run) == "verify-token inspect --show-claims shows the values of the token's claims")
        #expect(!run.output.contains("1000000000000001"))
    }

    @Test func `the hint on an opaque token names introspection`() throws {
        let workspace = try Workspace.forAccessTokens()
        let run = try workspace.access("2YotnFZFEjr1zCsicMWpAA", "--format", "json")
        #expect(try run.json()["recognizedAs"] as? String == "opaque-token")
        #expect(try hints(run).contains("introspection endpoint (RFC 7662)"))
    }

    @Test func `the hint on another type names presets`() throws {
        let workspace = try Workspace.forAccessTokens()
        let token = workspace.issuer.accessToken { $0.header["typ"] = "JWT" }
        let shown = try hints(workspace.access(token, "--format", "json"))
        #expect(shown.contains("--preset and --jwt-mark accept the form"))
    }
}
#endif
