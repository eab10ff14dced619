// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8725 §3.8: keys belong to an issuer.
@Suite struct IssuerKeyTests {
    private static let names = ["https://a.example", "https://b.example"]
    private let policy: TokenPolicy
    private let issuers: [TestIssuer]
    private let keys: KeySnapshot

    /// Creates a verifier that trusts two issuers, whose different keys have the same ID.
    init() throws {
        policy = try TokenPolicy(issuers: Self.names, audiences: ["client-1"])
        issuers = zip(Self.names, [TestKey.shared, .another]).map {
            TestIssuer(provider: .openID(issuers: [$0]), key: $1)
        }
        keys = KeySnapshot(
            try issuers.map {
                var key = $0.key.json
                key["kid"] = "1"
                return KeySnapshot(provider: $0.provider, keys: JSONWebKeySet([try JSONWebKey(json: key.text)]))
            }
        )
    }

    @Test(.rule("T-105"))
    func `keys of one issuer never verify tokens of another, even with the same ID`() throws {
        let verifier = TokenVerifier(policy: policy, keys: keys, clock: issuers[0].clock)
        for (issuer, other) in [(issuers[0], issuers[1]), (issuers[1], issuers[0])] {
            let name = issuer.provider.issuers[0]
            let own = issuer.token { $0.header["kid"] = "1" }
            #expect(try verifier.verify(own, nonce: .mustBeAbsent, with: keys).issuer == name)
            let foreign = issuer.token {
                $0.header["kid"] = "1"
                $0.signing = .key(other.key)
            }
            expectRefusal(.signature) { try verifier.verify(foreign, nonce: .mustBeAbsent, with: keys) }
        }
    }

    @Test(.rule("T-105"))
    func `keys of another issuer are not used for an issuer without keys`() throws {
        let verifier = TokenVerifier(policy: policy, keys: keys, clock: issuers[0].clock)
        let onlyFirst = KeySnapshot(
            provider: issuers[0].provider,
            keys: issuers[0].keys.keys(of: Self.names[0]) ?? .init([])
        )
        _ = try verifier.verify(issuers[0].token(), nonce: .mustBeAbsent, with: onlyFirst)
        let token = issuers[1].token { $0.signing = .key(issuers[0].key) }
        expectRefusal(.keyNotFound) { try verifier.verify(token, nonce: .mustBeAbsent, with: onlyFirst) }
    }

    @Test(.rule("T-105"))
    func `keys are requested by the issuer in the policy, and only for its issuers`() async throws {
        let spy = SpyKeySource(keys)
        let verifier = TokenVerifier(policy: policy, keys: spy, clock: issuers[0].clock)
        let good = issuers[1].token { $0.header["kid"] = "1" }
        _ = try await verifier.verify(good, nonce: .mustBeAbsent)
        #expect(spy.calls == [.snapshot(issuer: "https://b.example")])

        let unknown = issuers[1].token { $0.claims["iss"] = "https://c.example" }
        await expectRefused(.issuer) { () async throws(VerificationError) in
            try await verifier.verify(unknown, nonce: .mustBeAbsent)
        }
        #expect(spy.calls.count == 1)
    }
}
