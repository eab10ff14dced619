// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The faults of a token, one for each check; any two can be combined, with one exception.
///
/// The last check asks a nonce store, and has no fault.
enum TokenFault: String, CaseIterable, CustomTestStringConvertible {
    case size, segments, encoding, header, criticalHeader, tokenType, algorithm, payload, issuer, audience, key
    case signature, requiredClaims, claimTypes, authorizedParty, subject, expiry, notBefore, issuedAt, age
    case authTime, acr, hostedDomain, accessTokenHash, codeHash, nonce

    var testDescription: String { rawValue }

    /// The check that finds the fault, and the code of the refusal.
    var found: (check: Check, code: VerificationCode) {
        switch self {
        case .size: (.size, .tooLarge)
        case .segments: (.segments, .segments)
        case .encoding: (.encoding, .encoding)
        case .header: (.header, .header)
        case .criticalHeader: (.criticalHeader, .criticalHeader)
        case .tokenType: (.tokenType, .tokenType)
        case .algorithm: (.algorithm, .algorithm)
        case .payload: (.payload, .payload)
        case .issuer: (.issuer, .issuer)
        case .audience: (.audience, .audience)
        case .key: (.key, .keyNotFound)
        case .signature: (.signature, .signature)
        case .requiredClaims: (.requiredClaims, .missingClaim)
        case .claimTypes: (.claimTypes, .claimType)
        case .authorizedParty: (.authorizedParty, .authorizedParty)
        case .subject: (.subject, .subject)
        case .expiry: (.expiry, .expired)
        case .notBefore: (.notBefore, .notYetValid)
        case .issuedAt: (.issuedAt, .issuedInFuture)
        case .age: (.age, .tooOld)
        case .authTime: (.authTime, .authTime)
        case .acr: (.acr, .acr)
        case .hostedDomain: (.hostedDomain, .hostedDomain)
        case .accessTokenHash: (.accessTokenHash, .accessTokenHash)
        case .codeHash: (.codeHash, .codeHash)
        case .nonce: (.nonce, .nonce)
        }
    }

    /// Whether one token cannot have both faults: it cannot be issued in the future and too long ago.
    func excludes(_ other: TokenFault) -> Bool {
        Set([self, other]) == [.issuedAt, .age]
    }

    /// Changes the token before it is signed.
    fileprivate func apply(to token: inout TestToken, now: Int) {
        switch self {
        case .header: token.header["enc"] = "A256GCM"
        case .criticalHeader: token.header["crit"] = ["exp"]
        case .tokenType: token.header["typ"] = "at+jwt"
        case .algorithm: token.header["alg"] = "none"
        case .issuer: token.claims["iss"] = "https://issuer.invalid"
        case .audience: token.claims["aud"] = "somebody-else"
        case .key: token.header["kid"] = "nobody"
        case .signature: token.signing = .key(.another)
        case .requiredClaims: token.claims["jti"] = nil
        case .claimTypes: token.claims["nonce"] = 7
        case .authorizedParty: token.claims["azp"] = "somebody-else"
        case .subject: token.claims["sub"] = ""
        case .expiry: token.claims["exp"] = .number("\(now)")
        case .notBefore: token.claims["nbf"] = .number("\(now + 1)")
        case .issuedAt: token.claims["iat"] = .number("\(now + 1)")
        case .age: token.claims["iat"] = .number("\(now - FaultBench.maximumAge - 1)")
        case .authTime:
            token.claims["auth_time"] = .number("\(now - FaultBench.maximumAuthenticationAge - 1)")
        case .acr: token.claims["acr"] = "0"
        case .hostedDomain: token.claims["hd"] = "organization.invalid"
        case .accessTokenHash: token.claims["at_hash"] = .string(FaultBench.hash(FaultBench.code))
        case .codeHash: token.claims["c_hash"] = .string(FaultBench.hash(FaultBench.accessToken))
        case .size, .segments, .encoding, .payload, .nonce: break
        }
    }

    /// Changes the text of the signed token.
    fileprivate func apply(to text: inout String) {
        switch self {
        case .size: text += String(repeating: "A", count: Limits.tokenBytes)
        case .segments: text += ".AAAA"
        case .encoding: text = "=" + text
        default: break
        }
    }
}

/// A bench for tokens with faults.
///
/// Its issuers are Facebook's, and it requires a claim that no other check reads.
struct FaultBench {
    static let maximumAge = 300
    static let nonce = "nonce-of-this-attempt"
    static let otherNonce = "nonce-of-some-other-attempt"
    static let email = "ada.lovelace@private.example"
    static let maximumAuthenticationAge = 600
    static let acr = "urn:issuer:strong"
    static let hostedDomain = "organization.example"
    static let accessToken = "access-token-that-came-with-it"
    static let code = "authorization-code-that-came-with-it"

    let bench: Bench

    init() throws {
        // Based on Facebook, with a hosted domain, so that every check has something to verify.
        let provider = Provider(
            name: "facebook-and-more",
            issuers: Provider.facebook.issuers,
            requiresKeyID: true,
            requiredClaims: ["jti"]
        )
        let issuer = TestIssuer(provider: provider, audience: "1234567890")
        let policy = try TokenPolicy(
            provider: provider,
            audiences: [issuer.audience],
            leeway: .zero,
            maximumAge: .seconds(Self.maximumAge),
            maximumAuthenticationAge: .seconds(Self.maximumAuthenticationAge),
            acceptedACRs: [Self.acr],
            hostedDomain: Self.hostedDomain
        )
        bench = try Bench(issuer: issuer, policy: policy)
    }

    /// Returns a token that is valid but for these faults, and for one more change.
    func token(_ faults: [TokenFault], change: (inout TestToken) -> Void = { _ in }) -> String {
        let now = Int(bench.issuer.clock.now.timeIntervalSince1970)
        var text = bench.issuer.token(nonce: Self.nonce) { token in
            token.claims["email"] = .string(Self.email)
            token.claims["auth_time"] = .number("\(now - Self.maximumAuthenticationAge)")
            token.claims["acr"] = .string(Self.acr)
            token.claims["hd"] = .string(Self.hostedDomain)
            token.claims["at_hash"] = .string(Self.hash(Self.accessToken))
            token.claims["c_hash"] = .string(Self.hash(Self.code))
            change(&token)
            for fault in faults { fault.apply(to: &token, now: now) }
            if faults.contains(.payload) { token.claims = [token.claims] }
        }
        for fault in faults { fault.apply(to: &text) }
        return text
    }

    /// Returns the expected nonce; for the nonce fault it is another one, so that the token stays unchanged.
    func nonce(_ faults: [TokenFault]) -> NonceExpectation {
        .exactly(faults.contains(.nonce) ? Self.otherNonce : Self.nonce)
    }

    /// Returns the hash of an access token or a code in a token signed with RS256.
    static func hash(_ value: String) -> String {
        Base64URL.encode(Digest.sha256.hash(value.utf8).prefix(16))
    }

    /// Verifies a token with these faults synchronously.
    @discardableResult
    func verify(
        _ faults: [TokenFault],
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        try verify(text: token(faults), nonce: nonce(faults), explain: explain)
    }

    /// Verifies any token synchronously.
    @discardableResult
    func verify(
        text: String,
        nonce: NonceExpectation,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        try bench.verifier.verify(
            text,
            nonce: nonce,
            accessToken: .required(Self.accessToken),
            code: .required(Self.code),
            with: bench.keys,
            explain: explain
        )
    }

    /// Verifies any token asynchronously, optionally with keys from another source.
    @discardableResult
    func verifyWaiting(
        text: String,
        nonce: NonceExpectation,
        keys: (any KeySource)? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        let verifier = TokenVerifier(policy: bench.policy, keys: keys ?? bench.keys, clock: bench.issuer.clock)
        return try await verifier.verify(
            text,
            nonce: nonce,
            accessToken: .required(Self.accessToken),
            code: .required(Self.code),
            explain: explain
        )
    }

    /// Verifies a token with these faults, with the nonce consumed from a spy store.
    @discardableResult
    func verify(
        _ faults: [TokenFault],
        askingOnce store: SpyNonceStore,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        try await bench.verifier.verify(
            token(faults),
            askingOnce: store,
            accessToken: .required(Self.accessToken),
            code: .required(Self.code),
            explain: explain
        )
    }
}
