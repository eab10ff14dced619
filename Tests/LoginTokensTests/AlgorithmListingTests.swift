// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// Algorithms that a provider's metadata lists, which may become known or change while a verifier is used.
@Suite struct AlgorithmListingTests {
    /// A listing that a test changes.
    private final class Listing: AlgorithmListing {
        private let state = Mutex<(known: [SignatureAlgorithm]?, next: [SignatureAlgorithm]?, loads: Int)>(
            (nil, nil, 0)
        )

        var known: [SignatureAlgorithm]? { state.withLock { $0.known } }
        var loads: Int { state.withLock { $0.loads } }

        /// Sets the known algorithms, and those after the next load; nil for metadata that is unavailable.
        func set(_ known: [SignatureAlgorithm]?, next: [SignatureAlgorithm]? = nil) {
            state.withLock { ($0.known, $0.next) = (known, next) }
        }

        func load() async throws(VerificationUnavailable) {
            let isKnown = state.withLock { state in
                state.loads += 1
                state.known = state.next ?? state.known
                return state.known != nil
            }
            guard isKnown else { throw VerificationUnavailable(detail: "no metadata") }
        }
    }

    private let listing = Listing()

    private func verifier(_ issuer: TestIssuer, cache: VerifiedTokenCache? = nil) throws -> TokenVerifier {
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        return try TokenVerifier(
            policy: policy,
            secret: nil,
            otherwise: issuer.keys,
            listing: listing,
            clock: issuer.clock,
            cache: cache
        )
    }

    private func verdict(_ verifier: TokenVerifier, _ token: String) async -> VerificationCode? {
        do throws(VerificationError) {
            _ = try await verifier.verify(token, nonce: .mustBeAbsent)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(.rule("T-020"))
    func `a listing replaces the algorithms of the policy, and an unlisted one is looked up once for each token`()
        async throws
    {
        let issuer = TestIssuer(key: TestKey(.es256))
        let verifier = try verifier(issuer)
        listing.set([.rs256])
        #expect(await verdict(verifier, issuer.token()) == .algorithm)
        #expect(listing.loads == 1)
        listing.set([.rs256], next: [.es256])
        #expect(await verdict(verifier, issuer.token()) == nil)
        #expect(await verdict(verifier, issuer.token()) == nil)
        #expect(listing.loads == 2)
        #expect(await verdict(verifier, TestIssuer(clock: issuer.clock).token()) == .algorithm)
    }

    @Test func `without metadata RS256 is accepted, another algorithm is undecided, and none is refused`() async throws
    {
        let (rsa, curve) = (TestIssuer(), TestIssuer(key: TestKey(.es256)))
        let (ofRSA, ofCurve) = (try verifier(rsa), try verifier(curve))
        #expect(await verdict(ofRSA, rsa.token()) == nil)
        #expect(listing.loads == 0)
        #expect(await verdict(ofCurve, curve.token()) == .keysUnavailable)
        #expect(listing.loads == 1)
        let unsigned = rsa.token { $0.header["alg"] = "none" }
        #expect(await verdict(ofRSA, unsigned) == .algorithm)
        #expect(listing.loads == 1)
        // With given keys nothing is waited for.
        let refusal = #expect(throws: TokenRefusal.self) {
            try ofCurve.verify(curve.token(), nonce: .mustBeAbsent, with: curve.keys)
        }
        #expect(refusal?.code == .algorithm)
    }

    @Test(.rule("T-020"))
    func `a cached token is refused once its algorithm is no longer listed`() async throws {
        let issuer = TestIssuer()
        let verifier = try verifier(issuer, cache: VerifiedTokenCache())
        let token = issuer.token()
        listing.set([.rs256])
        #expect(await verdict(verifier, token) == nil)
        #expect(await verdict(verifier, token) == nil)
        listing.set([.es256])
        #expect(await verdict(verifier, token) == .algorithm)
        let refusal = #expect(throws: TokenRefusal.self) {
            try verifier.verify(token, nonce: .mustBeAbsent, with: issuer.keys)
        }
        #expect(refusal?.code == .algorithm)
    }

    @Test(
        arguments: [
            (nil, [.rs256]), ([], [.rs256]), (["RS256", "ES256"], [.rs256, .es256]), (["HS256", "none"], []),
            (["rs256", "RSA-OAEP", "Ed25519"], [.ed25519]), ("PS512", [.ps512]),
        ] as [(TestJSON?, Set<SignatureAlgorithm>)]
    )
    func `metadata has the listed algorithms of keys, and RS256 without a list`(
        list: TestJSON?,
        algorithms: Set<SignatureAlgorithm>
    ) throws {
        var json: TestJSON = ["issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys"]
        json["id_token_signing_alg_values_supported"] = list
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        #expect(try ProviderMetadata(json: json.text, provider: provider).algorithms == algorithms)
    }
}
