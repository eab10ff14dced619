// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The effect of a password reset, decided from the rows before anything is written.
///
/// A message proves control of an address, and not of the account.
enum ResetDecision: Sendable, Hashable {
    /// The account has verified the address: its password changes.
    case change
    /// The unverified address is the account's only login: its password changes, and the account is given to the reader
    /// of the message.
    case changeAndEvict
    /// The account has other logins: the unverified address leaves it, for the account that has verified it or for a
    /// new one.
    case leave

    /// Decides.
    ///
    /// - Parameters:
    ///   - identity: The identity of the address.
    ///   - identities: The identities of its account, this one among them.
    /// - Returns: The decision.
    static func decide(_ identity: IdentityRecord, among identities: [IdentityRecord]) -> Self {
        // Another login of the same account may have verified the address.
        if identity.emailVerified || identities.contains(where: { $0.proves(identity.subject) }) { return .change }
        return identities.count > 1 ? .leave : .changeAndEvict
    }
}
