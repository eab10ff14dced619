// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A provider for tests: it has keys and makes tokens, good ones and every kind of bad one.
///
/// ```swift
/// let facebook = TestIssuer.facebook(appID: "1234567890")
/// let verifier = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: facebook.keys, clock: facebook.clock)
///
/// let good = facebook.token(nonce: "n-1")
/// let expired = facebook.token(nonce: "n-1") { $0.claims["exp"] = 1 }
/// ```
public struct TestIssuer: Sendable {
    /// What it is like as a provider.
    public let provider: Provider

    /// The audience of its tokens.
    public let audience: String

    /// What time it is, for the issuer and for verifiers that should agree with it.
    public let clock: ManualClock

    /// The key it signs with.
    public let key: TestKey

    /// The tenant of the people it signs in, where the provider has tenants.
    public let tenant: String

    /// An issuer of some provider.
    ///
    /// - Parameters:
    ///   - provider: Whom to play; tokens carry the first of its issuers.
    ///   - audience: The client ID that tokens are for.
    ///   - clock: What time it is.
    ///   - key: The key to sign with.
    ///   - tenant: The tenant of the people it signs in, where the provider has tenants; nil for the first that its issuers
    ///     name, and where they name none for a made-up one.
    public init(
        provider: Provider = .openID(issuers: ["https://issuer.example"]),
        audience: String = "client-1",
        clock: ManualClock = ManualClock(),
        key: TestKey = .shared,
        tenant: String? = nil
    ) {
        let named = provider.issuers.flatMap { $0.split(separator: "/") }.map(String.init)
            .first(where: Provider.isTenantID)
        self.tenant = tenant ?? named ?? "00000000-0000-4000-8000-000000000001"
        self.provider = provider
        self.audience = audience
        self.clock = clock
        self.key = key
    }

    /// An issuer that plays Facebook.
    public static func facebook(
        appID: String = "1234567890",
        clock: ManualClock = ManualClock(),
        key: TestKey = .shared
    ) -> TestIssuer {
        TestIssuer(provider: .facebook, audience: appID, clock: clock, key: key)
    }

    /// Its key set, as it would publish it.
    ///
    /// Change it for a set that is wrong.
    public var keySet: TestJSON { ["keys": [key.json]] }

    /// Its keys, ready for a verifier.
    public var keys: KeySnapshot {
        guard let keys = try? JSONWebKeySet(json: keySet.text.utf8) else {
            // A key that is too weak is set aside, so the set is a set all the same.
            preconditionFailure("the key set of a test issuer can be read")
        }
        return KeySnapshot(provider: provider, keys: keys)
    }

    /// Makes a good token: issued a minute ago, good for an hour, about a made-up person.
    ///
    /// - Parameter nonce: The nonce claim; nil for none.
    /// - Returns: The token in its compact serialization.
    public func token(nonce: String? = nil) -> String {
        token(nonce: nonce) { _ in }
    }

    /// Makes a token that differs from a good one.
    ///
    /// - Parameters:
    ///   - nonce: The nonce claim; nil for none.
    ///   - change: Changes the token before it is signed.
    /// - Returns: The token in its compact serialization.
    /// - Throws: What `change` throws.
    public func token<Failure: Error>(
        nonce: String? = nil,
        _ change: (inout TestToken) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var token = TestToken(header: header, claims: claims(nonce: nonce))
        try change(&token)
        return token.text(key: key)
    }

    private var header: TestJSON {
        ["alg": .string(key.algorithm.rawValue), "typ": "JWT", "kid": .string(key.keyID)]
    }

    /// The first of the provider's issuers, and where it has tenants the first that is the tenant's.
    private var issuer: String {
        guard provider.tenantClaim != nil else { return provider.issuers[0] }
        let issuers = provider.issuers.map { $0.replacing(Provider.tenantPlaceholder, with: tenant) }
        return issuers.first { $0.contains(tenant) } ?? issuers[0]
    }

    private func claims(nonce: String?) -> TestJSON {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims: TestJSON = [
            "iss": .string(issuer),
            "aud": .string(audience), "sub": "1000000000000001",
            "iat": .number(String(now - 60)), "exp": .number(String(now + 3540)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        if let tenantClaim = provider.tenantClaim { claims[tenantClaim] = .string(tenant) }
        if provider.requiredClaims.contains("jti") {
            // One attempt, one ID: two tokens of one moment differ.
            claims["jti"] = .string("TEST." + hexadecimal(Digest.sha256.hash(claims.text.utf8)))
        }
        return claims
    }
}

/// A token before it is signed.
public struct TestToken: Sendable {
    /// Who signs it, and how.
    public enum Signing: Sendable {
        /// The issuer, by its key's algorithm, whatever the header says.
        case issuer
        /// The owner of another key, by that key's algorithm, whatever the header says.
        case key(TestKey)
        /// HMAC with SHA-256, as in attacks that take a public key for a secret.
        case hmac(secret: [UInt8])
        /// These bytes stand in the signature's place.
        case bytes([UInt8])
    }

    /// The header.
    public var header: TestJSON
    /// The claims.
    public var claims: TestJSON
    /// Who signs it.
    public var signing = Signing.issuer

    /// The token in its compact serialization.
    func text(key: TestKey) -> String {
        TestToken.compact(header: Array(header.text.utf8), payload: Array(claims.text.utf8), signing: signing, key: key)
    }

    /// A token of any bytes.
    ///
    /// - Parameters:
    ///   - header: The bytes of the header, JSON or not.
    ///   - payload: The bytes of the payload, JSON or not.
    ///   - signing: Who signs.
    ///   - key: The issuer's key.
    /// - Returns: The token in its compact serialization.
    public static func compact(
        header: [UInt8],
        payload: [UInt8],
        signing: Signing = .issuer,
        key: TestKey = .shared
    ) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let signature =
            switch signing {
            case .issuer: key.signature(of: Array(input.utf8))
            case .key(let other): other.signature(of: Array(input.utf8))
            case .hmac(let secret): Digest.sha256.authenticationCode(of: input.utf8, key: secret)
            case .bytes(let bytes): bytes
            }
        return input + "." + Base64URL.encode(signature)
    }
}
