// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// The result of a verified access token, the path to it, and its refusals from both sides.
@Suite struct AccessTokenVerifierTests {
    /// The thumbprint of the example of RFC 7638 §3.1.
    private static let thumbprint = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"

    let bench: AccessTokenBench

    init() throws {
        bench = try AccessTokenBench()
    }

    // MARK: The result

    @Test func `a token of RFC 9068 is accepted, and its claims are typed`() async throws {
        let text = bench.issuer.accessToken(scopes: ["orders:read", "orders:write"]) {
            $0.claims["roles"] = ["admin", "auditor"]
            $0.claims["groups"] = [["value": "staff", "display": "Staff"]]
            $0.claims["entitlements"] = []
            $0.claims["auth_time"] = 1_700_000_000
            $0.claims["acr"] = "urn:strong"
            $0.claims["amr"] = ["pwd", "otp"]
            $0.claims["cnf"] = ["jkt": .string(Self.thumbprint)]
        }
        let token = try await bench.verifier.verify(text)
        #expect(token.issuer == "https://issuer.example" && token.audience == AccessTokenBench.audience)
        #expect(token.subject == "1000000000000001" && token.clientID == "client-app")
        #expect(token.scopes == ["orders:read", "orders:write"])
        #expect(token.roles == ["admin", "auditor"] && token.groups == ["staff"] && token.entitlements.isEmpty)
        #expect(token.authenticatedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(token.authenticationContextClass == "urn:strong" && token.authenticationMethods == ["pwd", "otp"])
        #expect(token.expiresAt == bench.issuer.clock.now.addingTimeInterval(3540))
        #expect(token.issuedAt == bench.issuer.clock.now.addingTimeInterval(-60))
        #expect(token.tokenID == "made-up-jti" && token.tenantID == nil && token.provider == bench.form.provider)
        #expect(token.confirmation.keyThumbprint == Self.thumbprint)
        #expect(token.claims.names.contains("roles") && token.jws?.algorithm == .rs256)
        #expect(
            token.description == "access token of \"https://issuer.example\" for \"https://orders.example\", verified"
        )
    }

    @Test func `a token without optional claims has none, and is not bound`() throws {
        let token = try bench.verify(scopes: [])
        #expect(token.scopes.isEmpty && token.roles.isEmpty && token.groups.isEmpty && token.entitlements.isEmpty)
        #expect(token.authenticatedAt == nil && token.authenticationMethods.isEmpty && !token.confirmation.isBound)
    }

    @Test(.rule("T-222"))
    func `an empty client ID counts as missing, and no other claim of the issuer names the client`() async throws {
        let form = try AccessTokenIssuer.auth0(domain: "example.eu.auth0.com")
        let issuer = TestIssuer(accessTokensOf: form, audience: "https://orders.example")
        let policy = try AccessTokenPolicy(issuer: form, audiences: ["https://orders.example"])
        let verifier = AccessTokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
        let text = issuer.accessToken(form) {
            $0.claims["client_id"] = ""
            $0.claims["azp"] = "app"
        }
        await expectRefused(.missingClaim) { () async throws(VerificationError) in try await verifier.verify(text) }
    }

    @Test(arguments: [["kid": "some-key"], "thumbprint", ["jkt": 1], ["x5t#S256": .null]] as [TestJSON])
    func `a token that is bound in an unknown way counts as bound`(confirmation: TestJSON) throws {
        #expect(try bench.verify { $0.claims["cnf"] = confirmation }.confirmation.isBound)
    }

    @Test func `claims are decoded into a type of the caller`() throws {
        struct Own: Decodable { let plan: String }
        #expect(try bench.verify { $0.claims["plan"] = "gold" }.decode(Own.self).plan == "gold")
    }

    // MARK: The path, which ID tokens share

    @Test func `keys are fetched once, and once more for a new key`() async throws {
        let empty = TestIssuer(provider: bench.form.provider, key: .another).keys
        let spy = SpyKeySource(empty, then: bench.issuer.keys)
        let verifier = AccessTokenVerifier(policy: bench.policy, keys: spy, clock: bench.issuer.clock)
        _ = try await verifier.verify(bench.issuer.accessToken())
        let asked = "https://issuer.example"
        #expect(
            spy.calls == [.snapshot(issuer: asked), .refreshed(issuer: asked, unknownKeyID: bench.issuer.key.keyID)]
        )
    }

    @Test func `no key is requested for a token for another audience`() async throws {
        let spy = SpyKeySource(bench.issuer.keys)
        let verifier = AccessTokenVerifier(policy: bench.policy, keys: spy, clock: bench.issuer.clock)
        await expectRefused(.audience) { () async throws(VerificationError) in
            try await verifier.verify(bench.issuer.accessToken { $0.claims["aud"] = "another" })
        }
        #expect(spy.calls.isEmpty)
    }

    @Test func `a token is undecided if the keys are unavailable`() async {
        let nobody = Result<KeySnapshot, VerificationUnavailable>.failure(VerificationUnavailable(detail: "none"))
        let verifier = AccessTokenVerifier(policy: bench.policy, keys: SpyKeySource(nobody, then: nobody))
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier.verify(bench.issuer.accessToken())
        }
    }

    @Test func `each verdict is observed once`() throws {
        let told = Mutex<[String]>([])
        var verifier = bench.verifier
        verifier.onVerdict = { error in told.withLock { $0.append(error?.code.rawValue ?? "verified") } }
        _ = try verifier.verify(bench.issuer.accessToken(), with: bench.issuer.keys)
        _ = try? verifier.verify("opaque", with: bench.issuer.keys)
        #expect(told.withLock(\.self) == ["verified", "segments"])
    }

    @Test func `a cached token is checked again, except its signature`() throws {
        let cache = VerifiedTokenCache()
        let verifier = AccessTokenVerifier(
            policy: try AccessTokenBench(requiredScopes: ["orders:read"]).policy,
            keys: bench.issuer.keys,
            clock: bench.issuer.clock,
            cache: cache
        )
        let text = bench.issuer.accessToken(scopes: ["orders:read"])
        for _ in 1...2 {
            let token = try verifier.verify(text, with: bench.issuer.keys)
            #expect(token.scopes == ["orders:read"] && token.clientID == "client-app")
        }
        #expect(cache.status.hits == 1)
        bench.issuer.clock.advance(by: .seconds(4000))
        expectRefusal(.expired) { try verifier.verify(text, with: bench.issuer.keys) }
    }

    @Test func `verifiers of both kinds share a cache, and accept no token of the other kind from it`() throws {
        let cache = VerifiedTokenCache()
        let (keys, clock) = (bench.issuer.keys, bench.issuer.clock)
        let access = AccessTokenVerifier(policy: bench.policy, keys: keys, clock: clock, cache: cache)
        let policy = try TokenPolicy(provider: bench.form.provider, audiences: [AccessTokenBench.audience])
        let identity = TokenVerifier(policy: policy, keys: keys, clock: clock, cache: cache)
        let (accessToken, idToken) = (bench.issuer.accessToken(), bench.issuer.token())
        _ = try access.verify(accessToken, with: keys)
        _ = try identity.verify(idToken, nonce: .mustBeAbsent, with: keys)
        expectRefusal(.tokenType) { try access.verify(idToken, with: keys) }
        expectRefusal(.tokenType) { try identity.verify(accessToken, nonce: .mustBeAbsent, with: keys) }
    }
}
