// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Issues nonces, and takes each back once.
///
/// A nonce protects only if the server made it, if it remembers for whom, and if it takes it back a single time. A store
/// does these three: the server asks it for a nonce when an attempt begins, and has the verifier return the nonce of the
/// token that ends the attempt (``SingleUseNonce``).
///
/// ``InMemoryNonceStore`` serves a single process. Several servers need a store that they share, and then the one thing
/// that is easy to get wrong is ``consume(_:purpose:binding:)``: looking and marking must be one step. In a database that is
/// one statement, which marks the row where digest, purpose and binding are right, the expiry is not reached and nobody
/// has marked it, and which tells whether it did. Only if it did not is the row read, for the reason.
///
/// It is no `AttemptStore` of LoginProviders: it serves apps of servers that keep no accounts, makes the nonces itself, and has nothing to
/// keep for a callback.
public protocol NonceStore: Sendable {
    /// Makes a nonce and remembers its digest, never the nonce itself.
    ///
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    ///   - lifetime: How long it may be used, within `Limits.nonceLifetime`.
    /// - Returns: The nonce, of 128 random bits and more, for the request to the provider.
    /// - Throws: ``NonceStoreError``, or an error of the store's own when it cannot be asked.
    func issue(purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) async throws -> String

    /// Takes a nonce back: of all calls that name it, exactly one is answered ``NonceUse/consumed``.
    ///
    /// A call with another purpose or another binding changes nothing, so a stranger who saw the nonce cannot spoil the
    /// attempt of the person it belongs to.
    ///
    /// - Parameters:
    ///   - nonce: The digest of the nonce that a proven token carries.
    ///   - purpose: What the token is used for.
    ///   - binding: Who sent it.
    /// - Returns: Whether it was consumed now, or why not.
    /// - Throws: An error of the store's own when it cannot be asked. Whether the nonce is consumed is not known then.
    func consume(_ nonce: NonceDigest, purpose: NoncePurpose, binding: NonceBinding) async throws -> NonceUse
}

extension NonceStore {
    /// Makes a nonce that may be used for as long as any may, ten minutes.
    ///
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    /// - Returns: The nonce, for the request to the provider.
    /// - Throws: As ``issue(purpose:binding:lifetime:)``.
    public func issue(purpose: NoncePurpose, binding: NonceBinding) async throws -> String {
        try await issue(purpose: purpose, binding: binding, lifetime: Limits.nonceLifetime.upperBound)
    }
}

/// What came of the attempt to consume a nonce.
public enum NonceUse: Sendable, Hashable {
    /// It was good, and is used up now.
    case consumed
    /// It was used before.
    case replayed
    /// Its time is over, whether it was used or not.
    case expired
    /// It was issued for another purpose or to another client, who may still use it.
    case issuedElsewhere
    /// It was never issued, or so long ago that nothing is remembered.
    case unknown
}

/// Why a store made no nonce.
public enum NonceStoreError: Error, Sendable, Hashable {
    /// As many attempts are under way as the store can hold; room comes back as they expire.
    case full
    /// The lifetime asked for is outside `Limits.nonceLifetime`.
    case lifetime
}

extension NonceStoreError: CustomStringConvertible {
    /// What is wrong, for the operator.
    public var description: String {
        switch self {
        case .full: "the store of nonces is full: too many attempts to sign in are under way"
        case .lifetime:
            "the lifetime of a nonce is \(Limits.nonceLifetime.lowerBound) to \(Limits.nonceLifetime.upperBound)"
        }
    }
}
