// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The part of an account that is read together with a session, when its token is presented.
package struct SessionOwner: Sendable {
    /// The e-mail address; nil if there is none, or it is not verified.
    package let verifiedEmail: String?

    /// Whether the account is anonymous.
    package let isAnonymous: Bool

    init(_ account: AccountRecord) {
        verifiedEmail = account.emailVerified ? account.email : nil
        isAnonymous = account.isAnonymous
    }

    /// Creates the part of an account that was read by itself.
    package init(_ account: Account) {
        verifiedEmail = account.isEmailVerified ? account.email : nil
        isAnonymous = account.isAnonymous
    }
}

extension Session {
    /// Returns the owner, which was read with the session, or is read now.
    ///
    /// - Throws: ``AuthError``: those of ``account()``, if it is read now.
    package func owner() async throws(AuthError) -> SessionOwner {
        if let readOwner { return readOwner }
        return SessionOwner(try await account())
    }
}
