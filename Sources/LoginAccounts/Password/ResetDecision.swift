// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The effect of a new password that the reader of a message sets: decided on what was read, before anything is written.
///
/// A message proves an address, and not an account.
enum ResetDecision: Sendable, Hashable {
    /// The account has proven the address: its password changes.
    case change
    /// The unproven address is the account's only login: its password changes, and the account is given to the reader of the message.
    case changeAndEvict
    /// The account has other logins: the unproven address leaves it, for the account that has proven it or for a new one.
    case leave

    /// Decides.
    ///
    /// - Parameters:
    ///   - identity: The identity of the address.
    ///   - identities: The identities of its account, this one among them.
    /// - Returns: The decision.
    static func decide(_ identity: IdentityRecord, among identities: [IdentityRecord]) -> Self {
        // The address may be proven by another login of the same account.
        if identity.emailVerified || identities.contains(where: { $0.proves(identity.subject) }) { return .change }
        return identities.count > 1 ? .leave : .changeAndEvict
    }
}
