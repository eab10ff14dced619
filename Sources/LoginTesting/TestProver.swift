// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A client for tests that has a key and makes DPoP proofs (RFC 9449), valid ones and every kind of invalid one.
///
/// ```swift
/// let prover = TestProver(clock: issuer.clock)
/// let token = issuer.token { $0.claims["cnf"] = prover.confirmation }
///
/// let good = prover.proof(method: "GET", url: "https://api.example/v1/me", token: token)
/// let old = prover.proof(method: "GET", url: "https://api.example/v1/me", token: token) { $0.claims["iat"] = 1 }
/// ```
public struct TestProver: Sendable {
    /// The key of the proofs.
    public let key: TestKey

    /// The clock used for the times in proofs, to be shared with the verifiers under test.
    public let clock: ManualClock

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - key: The key of the proofs.
    ///   - clock: The clock used for the times in proofs.
    public init(key: TestKey = .proofES256, clock: ManualClock = ManualClock()) {
        self.key = key
        self.clock = clock
    }

    /// The public key as the header parameter `jwk`: only the members that every such key has.
    public var jwk: TestJSON {
        var json = key.json
        for name in ["use", "alg", "kid"] { json[name] = nil }
        return json
    }

    /// The thumbprint of the key (RFC 7638), the `jkt` of tokens that are bound to it.
    public var keyThumbprint: String {
        guard let key = try? key.publicKey() else { preconditionFailure("the key of a prover is usable") }
        return key.thumbprint
    }

    /// The claim `cnf` of tokens that are bound to the key.
    public var confirmation: TestJSON { ["jkt": .string(keyThumbprint)] }

    /// Returns a valid proof, made now, with a random ID.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request.
    ///   - token: The token that is sent with the proof; nil for none.
    ///   - nonce: The server nonce; nil for none.
    /// - Returns: The proof in its compact serialization.
    public func proof(method: String, url: String, token: String? = nil, nonce: String? = nil) -> String {
        proof(method: method, url: url, token: token, nonce: nonce) { _ in }
    }

    /// Returns a modified proof.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request.
    ///   - token: The token that is sent with the proof; nil for none.
    ///   - nonce: The server nonce; nil for none.
    ///   - change: A closure that modifies the proof before it is signed.
    /// - Returns: The proof in its compact serialization.
    /// - Throws: Rethrows errors of `change`.
    public func proof<Failure: Error>(
        method: String,
        url: String,
        token: String? = nil,
        nonce: String? = nil,
        _ change: (inout TestToken) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var claims: TestJSON = [
            "jti": .string(Nonce.random()), "htm": .string(method), "htu": .string(url),
            "iat": .number(String(Int(clock.now.timeIntervalSince1970))),
        ]
        claims["ath"] = token.map { .string(Base64URL.encode(Digest.sha256.hash($0.utf8))) }
        claims["nonce"] = nonce.map { .string($0) }
        var proof = TestToken(
            header: ["typ": "dpop+jwt", "alg": .string(key.algorithm.rawValue), "jwk": jwk],
            claims: claims
        )
        try change(&proof)
        return proof.text(key: key)
    }
}

extension TestKey {
    /// An ES256 key for proofs, shared by all tests of a process.
    public static let proofES256 = TestKey(.es256)

    /// An RS256 key for proofs, shared by all tests of a process.
    public static let proofRS256 = TestKey(.rs256)
}
