// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The particular settings of each provider, and their effect on tokens of Google and Apple.
@Suite struct ProviderTests {
    private static let tenant = "0f1e2d3c-4b5a-4697-8899-aabbccddee47"

    private static func ofAllTenants(_ provider: Provider) -> Provider {
        var provider = provider
        provider.documents.discoveryURL =
            "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
        provider.documents.discoveryIssuer = "https://login.microsoftonline.com/{tenantid}/v2.0"
        return provider
    }

    static let rows: [(seen: Provider, expected: Provider)] = [
        (
            .facebook,
            Provider(
                name: "facebook",
                issuers: ["https://www.facebook.com", "https://www.facebook.com/", "https://facebook.com"],
                keySetURL: "https://limited.facebook.com/.well-known/oauth/openid/jwks/",
                requiresKeyID: true,
                requiredClaims: ["jti"],
                hostedDomainClaim: nil,
                reauthentication: .facebook
            )
        ),
        (
            .google,
            Provider(
                name: "google",
                issuers: ["https://accounts.google.com", "accounts.google.com"],
                keySetURL: "https://www.googleapis.com/oauth2/v3/certs",
                requiresKeyID: true,
                reauthentication: .google
            )
        ),
        (
            .apple,
            Provider(
                name: "apple",
                issuers: ["https://appleid.apple.com"],
                keySetURL: "https://appleid.apple.com/auth/keys",
                requiresKeyID: true,
                stringBooleans: ["is_private_email"],
                privateEmailClaim: "is_private_email",
                hostedDomainClaim: nil,
                reauthentication: .apple
            )
        ),
        (
            .microsoftPersonal,
            Provider(
                name: "microsoft",
                issuers: ["https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"],
                keySetURL: "https://login.microsoftonline.com/consumers/discovery/v2.0/keys",
                requiresKeyID: true,
                requiredClaims: ["tid"],
                tenantClaim: "tid",
                hostedDomainClaim: nil
            )
        ),
        (
            .microsoftAnyTenant,
            ofAllTenants(
                Provider(
                    name: "microsoft",
                    issuers: ["https://login.microsoftonline.com/{tenantid}/v2.0"],
                    keySetURL: "https://login.microsoftonline.com/common/discovery/v2.0/keys",
                    requiresKeyID: true,
                    requiredClaims: ["tid"],
                    tenantClaim: "tid",
                    hostedDomainClaim: nil
                )
            )
        ),
        (
            .openID(issuers: ["https://issuer.example", "issuer.example"]),
            Provider(name: "https://issuer.example", issuers: ["https://issuer.example", "issuer.example"])
        ),
    ]

    @Test(.rule("T-104", "T-106"), arguments: rows.indices)
    func `each known provider has exactly the documented values`(row: Int) {
        let (seen, expected) = Self.rows[row]
        #expect(seen == expected)
        #expect(seen.issuers.map { Array($0.utf8) } == expected.issuers.map { Array($0.utf8) })
        #expect(seen.keySetURL.map { Array($0.utf8) } == expected.keySetURL.map { Array($0.utf8) })
    }

    @Test(.rule("T-106"))
    func `a Microsoft tenant has its own issuer and key set URL`() throws {
        let expected = Provider(
            name: "microsoft",
            issuers: ["https://login.microsoftonline.com/\(Self.tenant)/v2.0"],
            keySetURL: "https://login.microsoftonline.com/\(Self.tenant)/discovery/v2.0/keys",
            requiresKeyID: true,
            requiredClaims: ["tid"],
            tenantClaim: "tid",
            hostedDomainClaim: nil
        )
        #expect(try Provider.microsoft(tenantID: Self.tenant) == expected)
    }

    @Test
    func `a provider has no special rules by default`() {
        let plain = Provider(name: "p", issuers: ["i"])
        #expect(plain.keySetURL == nil && !plain.requiresKeyID && plain.requiredClaims.isEmpty)
        #expect(plain.tenantClaim == nil && plain.stringBooleans.isEmpty && plain.hostedDomainClaim == "hd")
        #expect(Provider.openID(issuers: []).name.isEmpty)
        #expect(plain.reauthentication == .openID && Provider.openID(issuers: []).reauthentication == .openID)
    }

    /// The documented reauthentication of each provider, written independently of the source.
    private static let reauthentications: [(Provider.Reauthentication, [String: String], Bool, String)] = [
        (.openID, ["prompt": "login"], true, "optional"),
        (.microsoft, ["prompt": "login"], true, "optional"),
        (.google, ["prompt": "select_account"], false, "ignored"),
        (.apple, [:], false, "ignored"),
        (.facebook, ["auth_type": "reauthenticate"], false, "ignored"),
    ]

    @Test(arguments: reauthentications.indices)
    func `a reauthentication request has the parameters that the provider documents`(row: Int) {
        let (seen, parameters, sendsMaximumAge, authenticationTime) = Self.reauthentications[row]
        #expect(seen.parameters == parameters && seen.sendsMaximumAge == sendsMaximumAge)
        #expect(seen.authenticationTime.rawValue == authenticationTime)
    }

    @Test func `changing the reauthentication of a provider changes nothing else`() {
        var reauthentication = Provider.Reauthentication.openID
        reauthentication.authenticationTime = .required
        let changed = Provider.google.with(reauthentication)
        #expect(changed.reauthentication.authenticationTime == .required)
        #expect(changed != .google && changed.with(.google) == .google)
        #expect(changed.issuers == Provider.google.issuers && changed.requiresKeyID)
    }

    @Test(.rule("T-041"), arguments: [Provider.google, .apple, .facebook])
    func `a token without a key ID is refused if its provider always sends one`(provider: Provider) throws {
        let bench = try Bench(issuer: TestIssuer(provider: provider))
        try bench.verify()
        expectRefusal(.keyID) { try bench.verify { $0.header["kid"] = nil } }
        let other = try Bench(issuer: TestIssuer(provider: .openID(issuers: provider.issuers)))
        try other.verify { $0.header["kid"] = nil }
    }

    // MARK: Google

    @Test(.rule("T-104"), arguments: ["https://accounts.google.com", "accounts.google.com"])
    func `both spellings of Google's issuer are accepted, and reported as the token has it`(issuer: String) throws {
        let bench = try Bench(issuer: TestIssuer(provider: .google))
        let token = try bench.verify { $0.claims["iss"] = .string(issuer) }
        #expect(token.issuer == issuer && token.provider.name == "google")
    }

    @Test(
        .rule("T-104"),
        arguments: [
            "http://accounts.google.com", "//accounts.google.com", "https://accounts.google.com/",
            "accounts.google.com/", "Accounts.google.com", "https://www.accounts.google.com", "google.com",
            "https://accounts.google.com:443", "accounts.google.com.evil.example", "https://securetoken.google.com/p",
        ]
    )
    func `no other spelling of Google's issuer is accepted`(issuer: String) throws {
        let bench = try Bench(issuer: TestIssuer(provider: .google))
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer) } }
    }

    @Test(
        .rule("T-104"),
        arguments: [Provider.apple, .facebook, .microsoftPersonal, .openID(issuers: ["https://a.example"])]
    )
    func `Google's issuer without https is refused for other providers`(provider: Provider) throws {
        let bench = try Bench(issuer: TestIssuer(provider: provider))
        for issuer in Provider.google.issuers {
            expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer) } }
        }
    }

    @Test(.rule("T-105"), arguments: Provider.google.issuers)
    func `Google's keys are requested by the policy's issuer entry that the token matches`(issuer: String) async throws
    {
        let google = TestIssuer(provider: .google)
        let spy = SpyKeySource(google.keys)
        let policy = try TokenPolicy(provider: .google, audiences: [google.audience])
        let verifier = TokenVerifier(policy: policy, keys: spy, clock: google.clock)
        _ = try await verifier.verify(google.token { $0.claims["iss"] = .string(issuer) }, nonce: .mustBeAbsent)
        #expect(spy.calls == [.snapshot(issuer: issuer)])
    }

    @Test(.rule("T-120"))
    func `a Google token for an Android app and its server is accepted if the app is listed`() throws {
        let google = TestIssuer(provider: .google, audience: "server.apps.example")
        let change: (inout TestToken) -> Void = { $0.claims["azp"] = "android.apps.example" }
        expectRefusal(.authorizedParty) { try Bench(issuer: google).verify(change) }
        let policy = try TokenPolicy(
            provider: .google,
            audiences: [google.audience],
            authorizedParties: ["android.apps.example"]
        )
        try Bench(issuer: google, policy: policy).verify(change)
    }

    // MARK: Apple

    @Test(.rule("T-101"), arguments: ["https://appleid.apple.com/", "appleid.apple.com", "https://account.apple.com"])
    func `Apple has exactly one issuer`(issuer: String) throws {
        let bench = try Bench(issuer: TestIssuer(provider: .apple))
        #expect(try bench.verify().provider.name == "apple")
        expectRefusal(.issuer) { try bench.verify { $0.claims["iss"] = .string(issuer) } }
    }

    @Test(.rule("T-132", "T-142"))
    func `a token in Apple's form is verified, with a hashed or a plain nonce`() throws {
        let bench = try Bench(issuer: TestIssuer(provider: .apple, audience: "com.example.app"))
        // SHA-256 of "abc" (FIPS 180-4).
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        for (nonce, expected) in [("abc", .exactly("abc")), (hash, .sha256(of: "abc"))] as [(String, NonceExpectation)]
        {
            let token = try bench.verify(nonce: expected) {
                $0.header = ["kid": .string(bench.issuer.key.keyID), "alg": "RS256"]
                $0.claims["nonce"] = .string(nonce)
                $0.claims["nonce_supported"] = true
                $0.claims["email"] = "x7k2@privaterelay.example"
                $0.claims["email_verified"] = "true"
                $0.claims["is_private_email"] = "true"
                $0.claims["auth_time"] = 1_759_999_940
                $0.claims["real_user_status"] = 2
            }
            #expect(token.boolean("email_verified") == true && token.boolean("is_private_email") == true)
        }
    }
}
