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
        let isMade = try await read { transaction in try transaction.hasMadeASession() }
        guard isMade else {
            throw AuthError(
                .internalError,
                "an open session was made with another key: are these the keys of the servers?"
            )
        }
    }
}

extension AccountTransaction {
    /// Whether a session that is open was made with one of the keys; where none is open, that too.
    fileprivate func hasMadeASession() throws -> Bool {
        let open: [SessionRecord] = try all(
            where: SessionRecord.Column.closedAt.isNull,
            SessionRecord.Column.idleExpiresAt.isAfter(now),
            limit: 1
        )
        guard let session = open.first,
            let family: SessionFamilyRecord = try first(
                where: SessionFamilyRecord.Column.id.equals(session.familyID)
            )
        else { return true }
        return OpaqueToken.remake(
            .session,
            id: session.id.rawValue,
            generation: session.generation,
            seed: family.seed,
            hash: session.tokenHash,
            secrets: auth.secrets
        ) != nil
    }
}
