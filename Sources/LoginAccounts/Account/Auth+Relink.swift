// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginText

/// A new subject that a provider has given a user, for example because the app has a new registration there.
///
/// A subject may be pairwise, which is another one for each client (OpenID Connect Core §8.1).
public struct SubjectChange: Sendable, Hashable {
    /// The provider.
    public let providerID: ProviderID

    /// The previous subject, compared byte for byte.
    public let old: String

    /// The new subject: 1 … 255 bytes.
    public let new: String

    /// Creates a change.
    public init(providerID: ProviderID, from old: String, to new: String) {
        (self.providerID, self.old, self.new) = (providerID, old, new)
    }
}

/// The outcome of ``Auth/relink(_:isDryRun:)``.
public enum SubjectChangeOutcome: Sendable, Hashable {
    /// The new subject signs in to the account, and so does the old one.
    case relinked(AccountID)

    /// The new subject signed in to the account before.
    case alreadyRelinked(AccountID)

    /// No account has the old subject.
    case unknown

    /// The account has the old subject, and another account has the new one. Nothing was changed.
    case taken(AccountID, by: AccountID)

    /// Returns the outcome of a change, from the identities that have its subjects; nil for none.
    init(old: IdentityRecord?, new: IdentityRecord?) {
        switch (old?.accountID, new?.accountID) {
        case (nil, _): self = .unknown
        case (let account?, nil): self = .relinked(account)
        case (let account?, let owner?):
            self = account == owner ? .alreadyRelinked(account) : .taken(account, by: owner)
        }
    }
}

extension Auth {
    /// Gives the login of a user the new subject of a provider that has issued its subjects again.
    ///
    /// The subjects alone decide: an equal address never does. The login keeps its old subject too, so that both sign in
    /// during the change, and a repeated call changes nothing; ``rekey(providerID:from:to:)`` removes it. The change is
    /// one transaction, sessions stay open, and the audit names the service.
    ///
    /// - Parameters:
    ///   - change: The provider and both subjects.
    ///   - isDryRun: Whether only the outcome is determined, and nothing is written.
    /// - Returns: The outcome.
    /// - Throws: ``AuthError``: `invalid-credential` if the new subject has an invalid length or contains NUL;
    ///   `no-such-provider` for passwords and phone numbers, whose subjects no provider issues; `conflict-retry`,
    ///   `store-unavailable`.
    public func relink(_ change: SubjectChange, isDryRun: Bool = false) async throws(AuthError) -> SubjectChangeOutcome
    {
        try Self.checkSubject(change.new)
        guard ![.password, .phone].contains(change.providerID) else {
            throw AuthError(.noSuchProvider, "no provider issues the subjects of passwords and phone numbers")
        }
        guard !isDryRun else {
            return try await read { transaction in try transaction.revocations.outcome(of: change) }
        }
        return try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.revocations.relink(change)
        }
    }

    /// Checks the form of a new subject.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`.
    static func checkSubject(_ subject: String) throws(AuthError) {
        // No store has texts with NUL.
        guard (1...255).contains(subject.utf8.count), !subject.utf8.contains(0) else {
            throw AuthError(.invalidCredential, "a subject must have 1 to 255 bytes, and no NUL")
        }
    }
}
