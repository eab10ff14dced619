// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTesting
public import LoginTokens

/// A test issuer and a verifier that trusts it, so that a test only sets what is special about its token.
///
/// ```swift
/// let bench = try Bench()
/// try bench.verify { $0.header["typ"] = "jwt" }
/// expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = "at+jwt" } }
/// ```
public struct Bench: Sendable {
    /// The issuer of the tokens.
    public let issuer: TestIssuer
    /// The policy of the verifier.
    public let policy: TokenPolicy
    /// The keys to verify with.
    public let keys: KeySnapshot

    /// The verifier, which shares the issuer's clock.
    public var verifier: TokenVerifier { TokenVerifier(policy: policy, keys: keys, clock: issuer.clock) }

    /// Creates a bench.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the tokens.
    ///   - keys: The keys to verify with; nil for the issuer's own.
    ///   - policy: The policy; nil for one that requires the issuer and its audience, without leeway.
    /// - Throws: `PolicyError` if the issuer has no name.
    public init(
        issuer: TestIssuer = TestIssuer(),
        keys: KeySnapshot? = nil,
        policy: TokenPolicy? = nil
    ) throws {
        self.issuer = issuer
        self.keys = keys ?? issuer.keys
        self.policy =
            try policy
            ?? TokenPolicy(
                provider: issuer.provider,
                audiences: [issuer.audience],
                algorithms: [issuer.key.algorithm],
                leeway: .zero
            )
    }

    /// Issues a token, and verifies it.
    @discardableResult
    public func verify(
        nonce: NonceExpectation = .mustBeAbsent,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        _ change: (inout TestToken) throws -> Void = { _ in }
    ) throws -> VerifiedToken {
        try verify(text: try issuer.token(change), nonce: nonce, accessToken: accessToken, code: code)
    }

    /// Verifies a token.
    @discardableResult
    public func verify(
        text: String,
        nonce: NonceExpectation = .mustBeAbsent,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        try verifier.verify(text, nonce: nonce, accessToken: accessToken, code: code, with: keys)
    }
}
