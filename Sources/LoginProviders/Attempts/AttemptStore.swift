// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// Keeps logins that are under way, and gives each back once.
///
/// ``InMemoryAttemptStore`` serves a single process. Several servers need a store that they share, and then the one thing that
/// is easy to get wrong is ``take(_:purpose:binding:)``: looking and marking must be one step. In a database that is one
/// statement, which marks the row where ID, purpose and binding are right, the expiry is not reached and nobody has marked it, and
/// which returns what was sealed. Only if it returns nothing is the row read, for the reason.
///
/// Who reads a store learns neither the state of a login nor anything that it keeps, and who writes to it can finish none.
public protocol AttemptStore: Sendable {
    /// Keeps an attempt until its lifetime has passed.
    ///
    /// - Parameter attempt: What to keep. One whose ID is there already is refused: kept again, it could be taken again.
    /// - Throws: ``AttemptStoreError``, or an error of the store's own when it cannot be asked.
    func insert(_ attempt: LoginAttempt) async throws

    /// Gives an attempt back: of all calls that name it, exactly one is answered ``AttemptUse/taken(sealed:)``.
    ///
    /// A call with another purpose or another binding changes nothing, so a stranger who saw the state cannot spoil the attempt
    /// of the person it belongs to.
    ///
    /// - Parameters:
    ///   - id: The ID of the attempt.
    ///   - purpose: What the login is finished for.
    ///   - binding: Who finishes it.
    /// - Returns: What was sealed, or why not.
    /// - Throws: An error of the store's own when it cannot be asked. Whether the attempt is taken is not known then.
    func take(_ id: LoginAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptUse
}

/// A login that is under way, as a store keeps it.
public struct LoginAttempt: Sendable {
    /// What an attempt is known by: the SHA-256 of its state.
    public struct ID: Sendable, Hashable {
        /// The 32 bytes of the hash.
        public let bytes: [UInt8]

        /// An ID as a store has kept it.
        ///
        /// - Parameter bytes: The ``bytes`` of an ID; nil if there are not 32.
        public init?(bytes: [UInt8]) {
            guard bytes.count == Digest.sha256.byteCount else { return nil }
            self.bytes = bytes
        }

        init(state: String) {
            bytes = Digest.sha256.hash(state.utf8)
        }
    }

    /// What it is known by.
    public let id: ID

    /// What the end of the login will need, sealed with a key that only the state gives; at most some KiB.
    public let sealed: [UInt8]

    /// What it is for.
    public let purpose: NoncePurpose

    /// Whose it is.
    public let binding: NonceBinding

    /// How long it may be finished, within `Limits.nonceLifetime`.
    public let lifetime: Duration

    /// An attempt as a store has kept it, or one to test a store with.
    ///
    /// ``LoginManager`` makes those of logins. What it did not seal itself, it does not open.
    ///
    /// - Parameters:
    ///   - id: What it is known by.
    ///   - sealed: What is kept.
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    ///   - lifetime: How long it may be finished, within `Limits.nonceLifetime`.
    public init(id: ID, sealed: [UInt8], purpose: NoncePurpose, binding: NonceBinding, lifetime: Duration) {
        self.id = id
        self.sealed = sealed
        self.purpose = purpose
        self.binding = binding
        self.lifetime = lifetime
    }
}

/// What came of the attempt to take an attempt.
public enum AttemptUse: Sendable, Hashable {
    /// It was good, and is used up now.
    case taken(sealed: [UInt8])
    /// It was taken before.
    case replayed
    /// Its time is over, whether it was taken or not.
    case expired
    /// It was begun for another purpose or by another client, who may still finish it.
    case startedElsewhere
    /// It was never begun, or so long ago that nothing is remembered.
    case unknown
}

/// Why a store keeps no attempt.
public enum AttemptStoreError: Error, Sendable, Hashable {
    /// An attempt with this ID is kept already.
    case known
    /// As many attempts are under way as the store can hold; room comes back as they expire.
    case full
    /// The lifetime asked for is outside `Limits.nonceLifetime`.
    case lifetime
}

extension AttemptStoreError: CustomStringConvertible {
    /// What is wrong, for the operator.
    public var description: String {
        switch self {
        case .known: "an attempt with this ID is kept already, and none is kept twice"
        case .full: "the store of attempts is full: too many logins are under way"
        case .lifetime:
            "the lifetime of an attempt is \(Limits.nonceLifetime.lowerBound) to \(Limits.nonceLifetime.upperBound)"
        }
    }
}

extension LoginAttempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is for, and nothing that is kept.
    public var description: String { "attempt to log in, for \(purpose)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show whose it is.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
