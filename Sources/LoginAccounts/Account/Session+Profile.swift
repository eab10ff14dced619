// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Session {
    /// Sets the name and the picture that the person has chosen: no sign-in and no link changes them then.
    ///
    /// What a provider says of somebody fills only what nobody has set; ``Account/providerData`` has what each of them says.
    ///
    /// - Parameters:
    ///   - displayName: The name, on one line of at most 512 bytes; nil to leave it as it is.
    ///   - photoURL: The address of a picture, beginning with `https://`; nil to leave it as it is.
    /// - Returns: The account as it is now.
    /// - Throws: ``AuthError``: `invalid-profile` where one of them is not of this form, and then neither is set; `too-many-requests`
    ///   after 100 changes in an hour; `invalid-user-token` and others where the session is not open.
    @discardableResult
    public func updateProfile(displayName: String? = nil, photoURL: String? = nil) async throws(AuthError) -> Account {
        let name = displayName.flatMap { VerifiedCredential.line($0, bytes: VerifiedCredential.nameBytes) }
        guard (name == nil) == (displayName == nil) else {
            throw AuthError(.invalidProfile, "the name is empty, too long, or more than a line")
        }
        let photo = photoURL.flatMap { VerifiedCredential.address($0) }
        guard (photo == nil) == (photoURL == nil) else {
            throw AuthError(.invalidProfile, "the picture is no address that begins with https://, or too long")
        }
        return try await auth.transaction { transaction in
            try transaction.updateProfile(displayName: name, photoURL: photo, in: transaction.hold(self))
        }
    }
}

extension AccountTransaction {
    fileprivate func updateProfile(displayName: String?, photoURL: String?, in held: HeldSession) throws -> Account {
        typealias Column = AccountRecord.Column
        let account = held.account
        // What changes nothing is written down nowhere: anybody may ask for it again and again.
        let isChanged = [(displayName, account.displayName), (photoURL, account.photoURL)].contains { new, old in
            new.map { !$0.utf8.elementsEqual((old ?? "").utf8) } ?? false
        }
        guard isChanged else { return try readAccount(account.id) }
        let changed: [AccountRecord] = try update(
            set: Column.displayName.becomes(displayName ?? account.displayName),
            Column.photoURL.becomes(photoURL ?? account.photoURL),
            Column.updatedAt.becomes(now),
            where: Column.id.equals(account.id.rawValue),
            Column.state.equals(AccountState.active.rawValue)
        )
        guard !changed.isEmpty else { throw StoreError(.damaged, "an account that is locked is gone") }
        // Each change is an entry of the audit, and an event.
        try spend(Budget(purpose: "profile", subject: account.id.rawValue, limit: 100, window: .seconds(3600)))
        try record(.profileChanged, account: account.id, session: held.session.id)
        return try readAccount(account.id)
    }
}
