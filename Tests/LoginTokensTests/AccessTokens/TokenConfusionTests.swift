// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8725 §2.8 and §3.11: every kind of token is sent where every other kind is expected.
///
/// All tokens have the same audience and key, so the cells that the tests accept are those that rest on the audience.
@Suite struct TokenConfusionTests {
    /// A token that a policy for another kind accepts if both have the same audience, and the reason.
    struct Weakness: Hashable {
        let token: String
        let policy: String

        init(_ token: String, _ policy: String) {
            self.token = token
            self.policy = policy
        }
    }

    /// The cells that rest on the audience alone, and in sign-in also on the nonce, which these tests do not check.
    ///
    /// All but one are access tokens without a mark, which a client receives that is its own API.
    static let restingOnAudience: Set = [
        // typ is JWT in both, and azp is the client in both.
        Weakness("access microsoft/user", "id microsoft"), Weakness("access microsoft/application", "id microsoft"),
        // Only the token of a user names a second audience.
        Weakness("access auth0/machine", "id auth0"),
        // typ is missing in both.
        Weakness("access okta", "id okta"),
        // Only the claim typ differs, which OpenID Connect does not define.
        // Without a nonce, only the audience differs; the profile RFC 9068 has a typ of its own.
        Weakness("id auth0/party", "access auth0"),
        // Tokens of jobs are ID tokens by their form.
        Weakness("access gitlab", "id gitlab"),
        // A policy for ID tokens asks for no mark of access tokens.
        Weakness("access microsoft-b2c", "id microsoft-b2c"), Weakness("access jwt", "id jwt"),
    ]

    private static func tokens() throws -> [(name: String, sample: TokenSample)] {
        try TokenSample.idTokens().map { ("id \($0.name)", $0) }
            + TokenSample.accessTokens().map { ("access \($0.name)", $0) }
            + TokenSample.others().map { ("other \($0.name)", $0) }
    }

    /// The outcome of each policy for a token: nil if it accepts the token, or the code of the refusal.
    private static func outcomes(of sample: TokenSample) throws -> [(policy: String, code: VerificationCode?)] {
        try outcomes(of: sample.text, from: sample.provider)
    }

    private static func outcomes(
        of text: String,
        from provider: Provider
    ) throws -> [(policy: String, code: VerificationCode?)] {
        let clock = ManualClock()
        let identity = try TokenSample.idTokens().filter { !$0.name.contains("/") }.map { expected in
            let policy = try TokenPolicy(
                provider: expected.provider,
                audiences: [TokenSample.audience],
                authorizedParties: [TokenSample.client]
            )
            let keys = TestIssuer(provider: expected.provider).keys
            return (
                "id \(expected.name)",
                code {
                    _ = try TokenVerifier(policy: policy, keys: keys, clock: clock)
                        .verify(text, nonce: .notChecked(because: "the worst case"), with: keys)
                }
            )
        }
        let access = try SampleIssuers.all().map { name, issuer in
            let policy = try AccessTokenPolicy(
                issuer: issuer,
                audiences: [TokenSample.audience],
                algorithms: [.rs256]
            )
            let keys = TestIssuer(provider: issuer.provider).keys
            return (
                "access \(name)",
                code { _ = try AccessTokenVerifier(policy: policy, keys: keys, clock: clock).verify(text, with: keys) }
            )
        }
        return identity + access
    }

    private static func code(_ verify: () throws -> Void) -> VerificationCode? {
        do {
            try verify()
            return nil
        } catch {
            return (error as? TokenRefusal)?.code ?? .discovery
        }
    }

    @Test(.rule("T-229"))
    func `a token is accepted by the policy for its kind, and by another only where the audience separates them`()
        throws
    {
        var unexpected: [String] = []
        var weaknesses: Set<Weakness> = []
        for (name, sample) in try Self.tokens() {
            for (policy, code) in try Self.outcomes(of: sample) {
                let isOwn = name == policy || name.hasPrefix(policy + "/")
                switch (isOwn, code) {
                case (true, let code?): unexpected.append("\(policy) refuses \(name): \(code)")
                case (false, nil): weaknesses.insert(Weakness(name, policy))
                default: break
                }
            }
        }
        #expect(unexpected.isEmpty)
        #expect(weaknesses == Self.restingOnAudience)
    }

    @Test(.rule("T-229"))
    func `an ID token with a nonce is accepted by no policy for access tokens`() throws {
        for sample in try TokenSample.idTokens() {
            let text = TestIssuer(provider: sample.provider, audience: TokenSample.audience).token(nonce: "n-1") {
                $0.header["typ"] = sample.type
                sample.change(&$0.claims)
            }
            let outcomes = try Self.outcomes(of: text, from: sample.provider)
            for (policy, code) in outcomes where policy.hasPrefix("access ") {
                #expect(code != nil, "\(policy) accepts the ID token of \(sample.name)")
            }
        }
    }

    /// The claims by which servers name other kinds of tokens: refresh tokens, logout tokens and ID tokens.
    static let otherKinds: [(name: String, claim: String, value: TestJSON)] = [
        ("Keycloak's refresh token", "typ", "Refresh"), ("Keycloak's offline token", "typ", "Offline"),
        ("Keycloak's logout token", "typ", "Logout"), ("Keycloak's ID token", "typ", "ID"),
        ("Hydra's refresh token", "token_use", "refresh_token"), ("Cognito's ID token", "token_use", "id"),
        ("a refresh token", "token_type", "refresh_token"), ("a refresh token in words", "typ", "Refresh Token"),
        ("an ID token by its URN", "token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("no kind", "token_use", .null),
        ("a logout token", "events", ["http://schemas.openid.net/event/backchannel-logout": [:]]),
        ("an ID token of the hybrid flow", "c_hash", "x"), ("an ID token with an access token", "at_hash", "x"),
    ]

    @Test(.rule("T-229"), arguments: otherKinds.map(\.name))
    func `a refresh, logout or ID token that has all claims of an access token is accepted by no policy`(name: String)
        throws
    {
        let kind = try #require(Self.otherKinds.first { $0.name == name })
        for (issuerName, form) in try SampleIssuers.all() {
            // The typ of RFC 9068 is conclusive: a claim that nothing asks for is not judged then.
            let isTyped = !form.types.contains("jwt")
            guard !isTyped || ["events", "at_hash", "c_hash"].contains(kind.claim) else { continue }
            let text = TestIssuer(accessTokensOf: form, audience: TokenSample.audience).accessToken(form) {
                $0.header["typ"] = isTyped ? "at+jwt" : "JWT"
                $0.claims[kind.claim] = kind.value
            }
            for (policy, code) in try Self.outcomes(of: text, from: form.provider) where policy.hasPrefix("access ") {
                #expect(code != nil, "\(policy) accepts \(name) of \(issuerName)")
            }
        }
    }

    @Test(.rule("T-229"))
    func `a token for another audience is accepted by no policy`() throws {
        for (name, sample) in try Self.tokens() {
            let text = TestIssuer(provider: sample.provider, audience: "another-audience").token {
                $0.header["typ"] = sample.type
                sample.change(&$0.claims)
                for claim in ["aud", "client_id"] where $0.claims[claim] != nil {
                    $0.claims[claim] = "another-audience"
                }
            }
            for (policy, code) in try Self.outcomes(of: text, from: sample.provider) {
                #expect(code != nil, "\(policy) accepts \(name)")
            }
        }
    }

    @Test(
        .rule("T-229"),
        arguments: ["", "EAABwzLixnjYBO0ZBabc", "ya29.a0AfB_byC1dE-f", "c2ln.eyJhbGdvcml0aG0iOiJITUFDLVNIQTI1NiJ9"]
    )
    func `a text that is no JWT is accepted by no policy`(text: String) throws {
        #expect(try Self.outcomes(of: text, from: .facebook).allSatisfy { $0.code != nil })
    }
}
