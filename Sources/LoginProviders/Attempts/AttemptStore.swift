// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Stores the attempts of browser logins, and lets each be claimed once.
///
/// ``InMemoryAttemptStore`` serves a single process; `Auth.attempts` of LoginAccounts stores attempts beside accounts. Several servers
/// need a store that they share. Its ``claim(_:purpose:binding:)`` must look and mark in one step: in a database one statement that marks
/// the row where ID, purpose and binding are right, the expiry is not reached and no mark is set, and that returns what was encrypted. Only
/// if no row was marked is the row read, for the reason.
///
/// A reader of the store learns neither the state of a login nor what it keeps, and a writer cannot complete one.
public protocol AttemptStore: Sendable {
    /// Stores an attempt until its lifetime has passed.
    ///
    /// - Parameter attempt: The attempt. An ID that is known already is refused: stored again, it could be claimed again.
    /// - Throws: ``AttemptStoreError``, or an error of the store's own where it is unavailable.
    func insert(_ attempt: SignInAttempt) async throws

    /// Claims an attempt: of all calls that name it, exactly one gets ``AttemptClaim/claimed(sealed:)``.
    ///
    /// A call with another purpose or another binding changes nothing, so that a stranger who saw the state cannot use up the attempt of
    /// the browser that it belongs to.
    ///
    /// - Parameters:
    ///   - id: The ID of the attempt.
    ///   - purpose: The purpose of the current request.
    ///   - binding: The browser of the current request.
    /// - Returns: What was encrypted, or the reason why the attempt cannot be claimed.
    /// - Throws: An error of the store's own where it is unavailable. Whether the attempt is claimed is unknown then.
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
    /// The attempt belongs to another browser or another purpose, where it can still be completed.
    case startedElsewhere
    /// The attempt never began, or so long ago that nothing is remembered.
    case unknown
}

/// The reason why a store refused an attempt.
public enum AttemptStoreError: Error, Sendable, Hashable {
    /// An attempt with this ID is stored already.
    case known
    /// The store is full; room comes back as attempts expire.
    case full
    /// The lifetime is outside `Limits.nonceLifetime`.
    case lifetime
}

extension AttemptStoreError: CustomStringConvertible {
    /// What is wrong, for the operator.
    public var description: String {
        switch self {
        case .known: "an attempt with this ID is stored already"
        case .full: "the store of attempts is full: too many logins are under way"
        case .lifetime:
            "the lifetime of an attempt is \(Limits.nonceLifetime.lowerBound) to \(Limits.nonceLifetime.upperBound)"
        }
    }
}
