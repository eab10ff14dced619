// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Session {
    /// Sets the name and the picture that the user has chosen.
    ///
    /// Sign-ins and links no longer change them.
    ///
    /// A value that the user has not chosen is renewed at each sign-in with the login that it came from.
    /// ``Account/providerData`` contains the claims of each provider.
    ///
    /// - Parameters:
    ///   - displayName: The name, on one line of at most 512 bytes; nil to leave it unchanged.
    ///   - photoURL: The URL of a picture, which begins with `https://`; nil to leave it unchanged.
    /// - Returns: The account as it is now.
    /// - Throws: ``AuthError``: `invalid-profile` if a value is invalid, and then neither is set; `too-many-requests`
    ///   after 100 changes in an hour; `invalid-user-token` and others if the session is not open.
    @discardableResult
    public func updateProfile(displayName: String? = nil, photoURL: String? = nil) async throws(AuthError) -> Account {
        let name = displayName.flatMap { VerifiedCredential.line($0, bytes: VerifiedCredential.nameBytes) }
        guard (name == nil) == (displayName == nil) else {
            throw AuthError(.invalidProfile, "the name is empty, too long, or more than a line")
        }
        let photo = photoURL.flatMap { VerifiedCredential.address($0) }
        guard (photo == nil) == (photoURL == nil) else {
            throw AuthError(.invalidProfile, "the picture URL does not begin with https://, or is too long")
        }
        return try await auth.transaction { transaction in
            try transaction.profiles.update(displayName: name, photoURL: photo, in: self)
        }
    }
}

/// The steps with which a user changes the name and the picture of an account.
struct Profiles {
    let accounts: AccountTable
    let held: HeldSessions
    let reader: AccountReader
    let budgets: Budgets
    let audit: AuditTrail
    let context: TransactionContext

    /// Changes the name and the picture of the session's account.
    ///
    /// - Parameters:
    ///   - displayName: The name; nil to leave it.
    ///   - photoURL: The address of the picture; nil to leave it.
    ///   - session: The session.
    /// - Returns: The account as it is now.
    /// - Throws: ``AuthError``: `too-many-requests`, and others if the session is not open.
    func update(displayName: String?, photoURL: String?, in session: Session) throws -> Account {
        let held = try self.held.hold(session)
        let account = held.account
        // A change to the same values is not recorded, because a client may repeat it any number of times. A value of a
        // login becomes the user's own by being chosen.
        func isNew(_ new: String?, than old: String?, from source: String?) -> Bool {
            new.map { source != nil || !$0.utf8.elementsEqual((old ?? "").utf8) } ?? false
        }
        let hasNewName = isNew(displayName, than: account.displayName, from: account.displayNameSource)
        let hasNewPhoto = isNew(photoURL, than: account.photoURL, from: account.photoSource)
        guard hasNewName || hasNewPhoto else { return try reader.read(account.id) }
        var changed = account
        if hasNewName { (changed.displayName, changed.displayNameSource) = (displayName, nil) }
        if hasNewPhoto { (changed.photoURL, changed.photoSource) = (photoURL, nil) }
        changed.updatedAt = context.now
        try accounts.save(changed, from: account)
        // Each change is an entry of the audit, and an event.
        try budgets.spend(
            Budget(purpose: "profile", subject: account.id.rawValue, limit: 100, window: .seconds(3600))
        )
        try audit.record(.profileChanged, account: account.id, session: held.session.id)
        return try reader.read(account.id)
    }
}
