// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Sees that the keys are those of the store: with one of them an open session was made.
    ///
    /// A server that begins with other keys signs everybody out, and writes what it cannot compare later; this says so before. Where no
    /// session is open, nothing can be told, and any keys will do.
    ///
    /// - Throws: ``AuthError``: `internal-error` where they are others; `store-unavailable`, `conflict-retry`.
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
