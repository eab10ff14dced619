// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A store that issues nonces, and consumes each of them once.
///
/// A nonce protects only if the server generates it, remembers the client it was issued to, and accepts it a single
/// time. A store does all three: the server requests a nonce from it when an attempt begins, and the verifier consumes
/// the nonce of the token that ends the attempt (``SingleUseNonce``).
///
/// ``InMemoryNonceStore`` serves a single process. Several servers need a shared store. The critical part is
/// ``consume(_:purpose:binding:)``, which must check and mark the nonce in one atomic step. In a database this is one
/// `UPDATE` statement: it marks the row if digest, purpose and binding match, the nonce has not expired, and it is not
/// yet marked; the row count tells whether it succeeded. Only if it did not is the row read, to find the reason.
///
/// A `NonceStore` is not an `AttemptStore` of LoginProviders. It serves apps of servers that keep no accounts,
/// generates the nonces itself, and stores no data for a callback.
public protocol NonceStore: Sendable {
    /// Generates a nonce and stores its digest, never the nonce itself.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the nonce.
    ///   - binding: The binding to the client.
    ///   - lifetime: The lifetime of the nonce, within `Limits.nonceLifetime`.
    /// - Returns: The nonce, with at least 128 random bits, for the request to the provider.
    /// - Throws: ``NonceStoreError``, or an error of the store if it is unavailable.
    func issue(purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) async throws -> String

    /// Consumes a nonce: exactly one of all calls for a nonce returns ``NonceUse/consumed``.
    ///
    /// A call with another purpose or another binding changes nothing, so an attacker who saw the nonce cannot end the
    /// attempt of its owner.
    ///
    /// - Parameters:
    ///   - nonce: The digest of the nonce in a verified token.
    ///   - purpose: The purpose for which the token is used.
    ///   - binding: The binding of the client that sent the token.
    /// - Returns: `consumed`, or the reason why the nonce was not consumed.
    /// - Throws: An error of the store if it is unavailable. The nonce may then be consumed or not.
    func consume(_ nonce: NonceDigest, purpose: NoncePurpose, binding: NonceBinding) async throws -> NonceUse
}

extension NonceStore {
    /// Generates a nonce with the maximum lifetime, ten minutes.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the nonce.
    ///   - binding: The binding to the client.
    /// - Returns: The nonce, for the request to the provider.
    /// - Throws: The errors of ``issue(purpose:binding:lifetime:)``.
    public func issue(purpose: NoncePurpose, binding: NonceBinding) async throws -> String {
        try await issue(purpose: purpose, binding: binding, lifetime: Limits.nonceLifetime.upperBound)
    }
}

/// The result of an attempt to consume a nonce.
public enum NonceUse: Sendable, Hashable {
    /// The nonce was valid, and is now consumed.
    case consumed
    /// The nonce was consumed before.
    case replayed
    /// The nonce has expired, whether it was consumed or not.
    case expired
    /// The nonce was issued for another purpose or to another client, which may still use it.
    case issuedElsewhere
    /// The nonce was never issued, or so long ago that the store has forgotten it.
    case unknown
}

/// An error for a nonce that could not be issued.
public enum NonceStoreError: Error, Sendable, Hashable {
    /// The store is full; capacity becomes available as nonces expire.
    case full
    /// The requested lifetime is outside `Limits.nonceLifetime`.
    case lifetime
}

extension NonceStoreError: CustomStringConvertible {
    /// A description of the error, for the operator.
    public var description: String {
        switch self {
        case .full: "the nonce store is full: too many sign-ins are in progress"
        case .lifetime:
            "the lifetime of a nonce must be \(Limits.nonceLifetime.lowerBound) to \(Limits.nonceLifetime.upperBound)"
        }
    }
}
