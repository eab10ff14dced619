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

/// A provider for tests that has keys and issues tokens, valid ones and every kind of invalid one.
///
/// ```swift
/// let facebook = TestIssuer.facebook(appID: "1234567890")
/// let verifier = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: facebook.keys, clock: facebook.clock)
///
/// let good = facebook.token(nonce: "n-1")
/// let expired = facebook.token(nonce: "n-1") { $0.claims["exp"] = 1 }
/// ```
public struct TestIssuer: Sendable {
    /// The provider's properties.
    public let provider: Provider

    /// The audience of the tokens.
    public let audience: String

    /// The clock of the issuer, to be shared with the verifiers under test.
    public let clock: ManualClock

    /// The signing key.
    public let key: TestKey

    /// The tenant of the users, if the provider has tenants.
    public let tenant: String

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - provider: The provider to emulate; tokens carry the first of its issuers.
    ///   - audience: The client ID for which tokens are issued.
    ///   - clock: The clock used for the times in tokens.
    ///   - key: The signing key.
    ///   - tenant: The tenant of the users, if the provider has tenants; nil for the first tenant in its issuers, or a
    ///     made-up one if they contain none.
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

    /// Creates an issuer that emulates Facebook.
    public static func facebook(
        appID: String = "1234567890",
        clock: ManualClock = ManualClock(),
        key: TestKey = .shared
    ) -> TestIssuer {
        TestIssuer(provider: .facebook, audience: appID, clock: clock, key: key)
    }

    /// The key set as the provider would publish it.
    ///
    /// Modify it to get an invalid set.
    public var keySet: TestJSON { ["keys": [key.json]] }

    /// The keys for a verifier.
    public var keys: KeySnapshot {
        guard let keys = try? JSONWebKeySet(json: keySet.text) else {
            // A key that is too weak is set aside, so the set remains valid.
            preconditionFailure("the key set of a test issuer can be read")
        }
        return KeySnapshot(provider: provider, keys: keys)
    }

    /// Returns a valid token: issued a minute ago, valid for an hour in total, for a made-up user.
    ///
    /// - Parameter nonce: The nonce claim; nil for none.
    /// - Returns: The token in its compact serialization.
    public func token(nonce: String? = nil) -> String {
        token(nonce: nonce) { _ in }
    }

    /// Returns a modified token.
    ///
    /// - Parameters:
    ///   - nonce: The nonce claim; nil for none.
    ///   - change: A closure that modifies the token before it is signed.
    /// - Returns: The token in its compact serialization.
    /// - Throws: Rethrows errors of `change`.
    public func token<Failure: Error>(
        nonce: String? = nil,
        _ change: (inout TestToken) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var token = TestToken(header: header, claims: claims(nonce: nonce))
        try change(&token)
        return token.text(key: key)
    }

    var header: TestJSON {
        ["alg": .string(key.algorithm.rawValue), "typ": "JWT", "kid": .string(key.keyID)]
    }

    /// The first of the provider's issuers; if the provider has tenants, the first that contains the tenant.
    private var issuer: String {
        guard provider.tenantClaim != nil else { return provider.issuers[0] }
        let issuers = provider.issuers.map { $0.replacing(Provider.tenantPlaceholder, with: tenant) }
        return issuers.first { $0.contains(tenant) } ?? issuers[0]
    }

    func claims(nonce: String?) -> TestJSON {
        let now = Int(clock.now.timeIntervalSince1970)
        var claims: TestJSON = [
            "iss": .string(issuer),
            "aud": .string(audience), "sub": "1000000000000001",
            "iat": .number(String(now - 60)), "exp": .number(String(now + 3540)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        if let tenantClaim = provider.tenantClaim { claims[tenantClaim] = .string(tenant) }
        if provider.requiredClaims.contains("jti") {
            // Each attempt has its own ID, so two tokens issued at the same moment differ.
            claims["jti"] = .string("TEST." + hexadecimal(Digest.sha256.hash(claims.text.utf8)))
        }
        return claims
    }
}

/// A token before it is signed.
public struct TestToken: Sendable {
    /// The signer of a test token, and the algorithm.
    public enum Signing: Sendable {
        /// The issuer's key and its algorithm, whatever the header says.
        case issuer
        /// Another key and its algorithm, whatever the header says.
        case key(TestKey)
        /// HMAC with a shared secret, or with a public key in its place, as in attacks.
        case hmac(secret: [UInt8], SharedSecret.Algorithm = .hs256)
        /// The given bytes instead of a signature.
        case bytes([UInt8])
    }

    /// The header.
    public var header: TestJSON
    /// The claims.
    public var claims: TestJSON
    /// The signer.
    public var signing = Signing.issuer

    /// Returns the token in its compact serialization.
    func text(key: TestKey) -> String {
        TestToken.compact(header: Array(header.text.utf8), payload: Array(claims.text.utf8), signing: signing, key: key)
    }

    /// Returns a token made from arbitrary bytes.
    ///
    /// - Parameters:
    ///   - header: The bytes of the header, JSON or not.
    ///   - payload: The bytes of the payload, JSON or not.
    ///   - signing: The signer.
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
            case .hmac(let secret, let algorithm): algorithm.digest.authenticationCode(of: input.utf8, key: secret)
            case .bytes(let bytes): bytes
            }
        return input + "." + Base64URL.encode(signature)
    }
}
