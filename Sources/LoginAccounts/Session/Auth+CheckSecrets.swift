// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Checks that the keys match the store: they must derive the token of an open session.
    ///
    /// A server with other keys would sign out every user, and store values that cannot be compared later. Call this
    /// before the server accepts requests. If no session is open, nothing can be checked, and any keys pass.
    ///
    /// - Throws: ``AuthError``: `internal-error` if the keys do not match; `store-unavailable`, `conflict-retry`.
    public func checkSecrets() async throws(AuthError) {
        let isMade = try await read { transaction in try transaction.sessions.haveOurTokens() }
        guard isMade else {
            throw AuthError(
                .internalError,
                "an open session was made with another key: are these the keys of the servers?"
            )
        }
    }
}
