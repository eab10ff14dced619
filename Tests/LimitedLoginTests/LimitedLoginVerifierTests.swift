// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The façade: the same verdict as the general verifier, synchronously and asynchronously, with Facebook's defaults.
@Suite struct LimitedLoginVerifierTests {
    let bench: FacebookBench
    let nonce = NonceExpectation.exactly(FacebookBench.nonce)

    init() throws {
        bench = try FacebookBench()
    }

    @Test(arguments: [[], [""], ["1234567890", ""]])
    func `a verifier requires app IDs that are not empty`(appIDs: [String]) {
        #expect(throws: PolicyError.self) { try LimitedLoginVerifier(appIDs: appIDs, keys: bench.keys) }
    }

    @Test(.rule("T-130"))
    func `a verifier with a duration out of range is an error`() throws {
        func make(maximumAge: Duration? = nil, leeway: Duration = .zero) throws {
            _ = try LimitedLoginVerifier(appIDs: ["1"], keys: bench.keys, maximumAge: maximumAge, leeway: leeway)
        }
        try make(maximumAge: .nanoseconds(1), leeway: .seconds(300))
        try make()
        #expect(throws: PolicyError.self) { try make(maximumAge: .zero) }
        #expect(throws: PolicyError.self) { try make(maximumAge: .seconds(-1)) }
        #expect(throws: PolicyError.self) { try make(leeway: .nanoseconds(-1)) }
        #expect(throws: PolicyError.self) { try make(leeway: .seconds(300) + .nanoseconds(1)) }
    }

    @Test func `a verified token is returned with its text`() throws {
        let text = bench.token { $0.claims["name"] = "Ada" }
        let token = try bench.verify(text: text)
        #expect(token.tokenString == text)
        #expect(token.profile.name == "Ada")
        #expect(token.verified.issuer == "https://www.facebook.com")
        #expect(token.verified.jws.header.keyID == bench.issuer.key.keyID)
    }

    @Test(arguments: ["1234567890", "222", "333"])
    func `the matching one of several app IDs is reported`(appID: String) throws {
        let several = try FacebookBench(appIDs: ["222", "1234567890", "333"])
        #expect(try several.verify { $0.claims["aud"] = .string(appID) }.claims.aud == appID)
    }

    @Test func `the asynchronous and the synchronous method accept the same token`() async throws {
        let text = bench.token { $0.claims["email"] = "ada@example.com" }
        let waited = try await bench.verifier.verify(text, nonce: nonce)
        let direct = try bench.verify(text: text)
        #expect(waited.tokenString == direct.tokenString)
        #expect(waited.profile == direct.profile)
        #expect(waited.claims.jti == direct.claims.jti)
    }

    @Test(arguments: ["iss", "aud", "jti", "sub", "exp", "iat"])
    func `the asynchronous and the synchronous method refuse the same token for the same reason`(claim: String) async {
        let text = bench.token { $0.claims[claim] = nil }
        expectRefusal(.missingClaim) { try bench.verify(text: text) }
        await expectRefused(.missingClaim) { () async throws(VerificationError) in
            try await bench.verifier.verify(text, nonce: nonce)
        }
    }

    @Test(arguments: [false, true])
    func `the asynchronous and the synchronous method report each check once, in order`(isExpired: Bool) async throws {
        let text = bench.token { if isExpired { $0.claims["exp"] = 1 } }
        var direct: [CheckReport] = []
        _ = try? bench.verifier.verify(text, nonce: nonce, with: bench.keys) { direct.append($0) }
        var waited: [CheckReport] = []
        _ = try? await bench.verifier.verify(text, nonce: nonce) { waited.append($0) }
        #expect(direct == waited)
        #expect(direct.map(\.check) == Check.inOrder)
        #expect(direct.first { $0.outcome == .fail }?.check == (isExpired ? .expiry : nil))
        let notAsked: [Check] = [.authTime, .acr, .hostedDomain, .accessTokenHash, .codeHash, .singleUse]
        let notReached = Array(Check.inOrder.drop { $0 != .expiry }.dropFirst())
        #expect(direct.filter { $0.outcome == .skipped }.map(\.check) == (isExpired ? notReached : notAsked))
    }

    @Test func `a nonce that a store issued is accepted once`() async throws {
        let nonces = InMemoryNonceStore(clock: bench.issuer.clock)
        let binding = NonceBinding(secret: "what the app was given")
        let issued = try await nonces.issue(purpose: .signIn, binding: binding)
        let text = bench.issuer.token(nonce: issued)

        let other = NonceBinding(secret: "what another app was given")
        await #expect {
            try await bench.verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: other))
        } throws: {
            ($0 as? VerificationError)?.code == .nonce
        }

        let nonce = SingleUseNonce.singleUse(nonces, purpose: .signIn, binding: binding)
        let token = try await bench.verifier.verify(text, nonce: nonce)
        #expect(token.tokenString == text)
        #expect(token.verified.nonceCheck == .singleUse)

        await #expect {
            try await bench.verifier.verify(text, nonce: nonce)
        } throws: {
            ($0 as? VerificationError)?.code == .replayed
        }
    }

    @Test func `a report of checks shows neither the token nor data of the user`() throws {
        let text = bench.token {
            $0.claims["name"] = "Ada Example"
            $0.claims["email"] = "ada@example.com"
        }
        var details = ""
        let token = try bench.verifier.verify(text, nonce: nonce, with: bench.keys) { details += $0.detail + "\n" }
        for secret in [text, "Ada", "ada@", token.profile.userID, FacebookBench.nonce] {
            #expect(!details.contains(secret))
        }
    }

    /// Keys of another issuer are not used, even under the same ID.
    @Test(.rule("T-105"))
    func `keys of another issuer than Facebook are not used`() throws {
        let set = try JSONWebKeySet(json: bench.issuer.keySet.text)
        let foreign = KeySnapshot(issuers: ["https://issuer.example"], keys: set)
        expectRefusal(.keyNotFound) { try bench.verifier.verify(bench.token(), nonce: nonce, with: foreign) }
    }

    @Test func `the default leeway is 30 s and the default maximum age 10 min`() throws {
        let issuer = bench.issuer
        let verifier = try LimitedLoginVerifier(appIDs: [issuer.audience], keys: issuer.keys, clock: issuer.clock)
        func verify(iat: Int, exp: Int) throws {
            let text = bench.token {
                $0.claims["iat"] = .number("\(bench.now + iat)")
                $0.claims["exp"] = .number("\(bench.now + exp)")
            }
            _ = try verifier.verify(text, nonce: nonce, with: issuer.keys)
        }
        try verify(iat: -630, exp: -29)
        expectRefusal(.tooOld) { try verify(iat: -631, exp: -29) }
        expectRefusal(.expired) { try verify(iat: -630, exp: -30) }
        expectRefusal(.issuedInFuture) { try verify(iat: 31, exp: 60) }
    }

    @Test func `the clock is read for each verification`() throws {
        let text = bench.token()
        try bench.verify(text: text)
        bench.issuer.clock.advance(by: .seconds(3540))
        expectRefusal(.expired) { try bench.verify(text: text) }
        bench.issuer.clock.advance(by: .seconds(-3000))
        try bench.verify(text: text)
    }
}
