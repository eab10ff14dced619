// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The expectation of a nonce that a ``NonceStore`` issued, and consumes once.
public struct SingleUseNonce: Sendable {
    private let store: any NonceStore
    private let purpose: NoncePurpose
    private let binding: NonceBinding
    private let isHashedByApp: Bool

    /// Expects an unused nonce that the store issued for this purpose and to this client.
    ///
    /// Verification consumes the nonce as its last step; a token that is refused for another reason consumes nothing.
    ///
    /// - Parameters:
    ///   - store: The store that issued the nonce.
    ///   - purpose: The purpose for which it was issued.
    ///   - binding: The binding to the client, made from the secret that the client received when the attempt began.
    ///   - hashedByApp: Whether the app sends the provider the SHA-256 of the nonce in lower-case hexadecimal instead
    ///     of the nonce itself, as with Firebase.
    /// - Returns: The expectation.
    public static func singleUse(
        _ store: any NonceStore,
        purpose: NoncePurpose,
        binding: NonceBinding,
        hashedByApp: Bool = false
    ) -> Self {
        Self(store: store, purpose: purpose, binding: binding, isHashedByApp: hashedByApp)
    }

    /// Consumes the nonce of a token that has passed all other checks.
    ///
    /// - Returns: The refusal, or nil if the nonce was consumed.
    /// - Throws: Rethrows errors of the store.
    func refusal(of token: VerifiedToken) async throws -> TokenRefusal? {
        let claim = token.claims.nonce ?? ""
        guard let digest = isHashedByApp ? NonceDigest(hexadecimal: claim) : NonceDigest(of: claim) else {
            return TokenRefusal(.nonce, "the nonce is not a SHA-256 in lower-case hexadecimal", member: "nonce")
        }
        let problem: (code: VerificationCode, detail: String)
        switch try await store.consume(digest, purpose: purpose, binding: binding) {
        case .consumed: return nil
        case .replayed: problem = (.replayed, "was used before")
        case .expired: problem = (.nonce, "has expired")
        case .issuedElsewhere where binding.isOfNobody:
            problem = (.nonce, "was issued to a client with a secret, but no secret was presented")
        case .issuedElsewhere: problem = (.nonce, "was issued for another purpose or to another client")
        case .unknown where !isHashedByApp && NonceDigest(hexadecimal: claim) != nil:
            problem = (.nonce, "was not issued here; it looks like a SHA-256: does the app hash its nonce?")
        case .unknown: problem = (.nonce, "was not issued here, or was deleted after its expiry")
        }
        return TokenRefusal(problem.code, "the nonce \(fingerprint(claim)) \(problem.detail)", member: "nonce")
    }
}

extension SingleUseNonce: Redacted {
    /// A fixed text without the binding.
    public var description: String { "single-use nonce" }
}
