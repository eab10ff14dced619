// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Stores the attempts of browser logins, and lets each be claimed once.
///
/// ``InMemoryAttemptStore`` serves a single process; `Auth.attempts` of LoginAccounts stores attempts beside accounts.
/// Several servers need a shared store.
///
/// ``claim(_:purpose:binding:)`` must be atomic. In a database, use one statement that marks the row whose ID, purpose
/// and binding match, that has not expired and has no mark, and that returns the encrypted content. Read the row for
/// the reason only if the statement marked none.
///
/// A reader of the store learns neither the state nor the content of a login. A writer cannot complete a login.
public protocol AttemptStore: Sendable {
    /// Stores an attempt until its lifetime has passed.
    ///
    /// - Parameter attempt: The attempt. A known ID must be refused; otherwise the attempt could be claimed twice.
    /// - Throws: ``AttemptStoreError``, or an error of the store if it is unavailable.
    func insert(_ attempt: SignInAttempt) async throws

    /// Claims an attempt.
    ///
    /// Of all calls for one attempt, exactly one returns ``AttemptClaim/claimed(sealed:)``.
    ///
    /// A call with another purpose or binding changes nothing. A third party that saw the state therefore cannot use up
    /// the attempt.
    ///
    /// - Parameters:
    ///   - id: The ID of the attempt.
    ///   - purpose: The purpose of the current request.
    ///   - binding: The browser of the current request.
    /// - Returns: The encrypted content, or the reason why the attempt cannot be claimed.
    /// - Throws: An error of the store if it is unavailable. It is then unknown whether the attempt was claimed.
    func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptClaim
}

/// The result of a claim.
public enum AttemptClaim: Sendable, Hashable {
    /// The attempt is claimed by this call.
    case claimed(sealed: [UInt8])
    /// The attempt was claimed before.
    case replayed
    /// The attempt has expired, claimed or not.
    case expired
    /// The attempt belongs to another browser or another purpose.
    case startedElsewhere
    /// The attempt never existed, or was deleted after its expiry.
    case unknown
}

/// The reason why a store refused an attempt.
public enum AttemptStoreError: Error, Sendable, Hashable {
    /// An attempt with this ID is stored already.
    case known
    /// The store is full until attempts expire.
    case full
    /// The lifetime is outside `Limits.nonceLifetime`.
    case lifetime
}

extension AttemptStoreError: CustomStringConvertible {
    /// The reason, for the operator.
    public var description: String {
        switch self {
        case .known: "an attempt with this ID already exists"
        case .full: "the attempt store is full: too many logins are in progress"
        case .lifetime:
            "the lifetime of an attempt must be \(Limits.nonceLifetime.lowerBound) to \(Limits.nonceLifetime.upperBound)"
        }
    }
}
