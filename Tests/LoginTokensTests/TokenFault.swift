// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// What can be wrong with a token, one fault for each check, made so that any two can be in one token.
enum TokenFault: String, CaseIterable, CustomTestStringConvertible {
    case size, segments, encoding, header, criticalHeader, tokenType, algorithm, payload, issuer, audience, key
    case signature, requiredClaims, claimTypes, authorizedParty, subject, expiry, notBefore, issuedAt, age, nonce

    var testDescription: String { rawValue }

    /// The check that finds it, and the code it is refused with.
    var found: (check: Check, code: TokenRefusal.Code) {
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
        case .nonce: (.nonce, .nonce)
        }
    }

    /// Whether one token cannot have both faults: only issued in the future and issued too long ago are such a pair.
    func excludes(_ other: TokenFault) -> Bool {
        Set([self, other]) == [.issuedAt, .age]
    }

    /// Changes what is signed.
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
        case .size, .segments, .encoding, .payload, .nonce: break
        }
    }

    /// Changes the finished text.
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
/// Its issuer is Facebook, for the sake of a required claim that nothing else looks at.
struct FaultBench {
    static let maximumAge = 300
    static let nonce = "nonce-of-this-attempt"
    static let otherNonce = "nonce-of-some-other-attempt"
    static let email = "ada.lovelace@private.example"

    let bench: Bench

    init() throws {
        let issuer = TestIssuer.facebook()
        let policy = try TokenPolicy(
            provider: .facebook,
            audiences: [issuer.audience],
            leeway: .zero,
            maximumAge: .seconds(Self.maximumAge)
        )
        bench = try Bench(issuer: issuer, policy: policy)
    }

    /// A token that is good but for these faults.
    func token(_ faults: [TokenFault]) -> String {
        let now = Int(bench.issuer.clock.now.timeIntervalSince1970)
        var text = bench.issuer.token(nonce: Self.nonce) { token in
            token.claims["email"] = .string(Self.email)
            for fault in faults { fault.apply(to: &token, now: now) }
            if faults.contains(.payload) { token.claims = [token.claims] }
        }
        for fault in faults { fault.apply(to: &text) }
        return text
    }

    /// What to expect of the nonce, so that the fault is not in the token.
    func nonce(_ faults: [TokenFault]) -> NonceExpectation {
        .exactly(faults.contains(.nonce) ? Self.otherNonce : Self.nonce)
    }

    /// Verifies a token with these faults through the synchronous door.
    @discardableResult
    func verify(
        _ faults: [TokenFault],
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        try bench.verifier.verify(token(faults), nonce: nonce(faults), with: bench.keys, explain: explain)
    }
}
