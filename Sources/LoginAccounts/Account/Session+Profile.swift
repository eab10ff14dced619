// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Session {
    /// Sets the name and the picture that the user has chosen.
    ///
    /// Sign-ins and links no longer change them.
    ///
    /// Claims of a provider only fill values that are not set; ``Account/providerData`` contains the claims of each
    /// provider.
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
            throw AuthError(.invalidProfile, "the picture is no address that begins with https://, or too long")
        }
        return try await auth.transaction { transaction in
            try transaction.profiles.update(displayName: name, photoURL: photo, in: self)
        }
    }
}
