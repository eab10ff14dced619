// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The tokens of a session, and their hashes, which are stored.
struct IssuedTokens {
    let sessionToken: String
    let refreshToken: String

    /// Issues the tokens of a generation of a device.
    ///
    /// - Throws: ``AuthError``: `internal-error` if an ID is not a UUID, or the generations are used up.
    init(session: SessionID, family: String, generation: Int64, seed: [UInt8], secrets: AccountSecrets)
        throws(AuthError)
    {
        guard
            let sessionToken = OpaqueToken.make(
                .session,
                id: session.rawValue,
                generation: generation,
                seed: seed,
                secrets: secrets
            ),
            let refreshToken = OpaqueToken.make(
                .refresh,
                id: family,
                generation: generation,
                seed: seed,
                secrets: secrets
            )
        else { throw AuthError(.internalError, "a session or a device has no UUID, or was refreshed 2³² times") }
        (self.sessionToken, self.refreshToken) = (sessionToken, refreshToken)
    }

    /// Derives the current tokens of a session again; nil if the key that made them has been removed.
    init?(of session: SessionRecord, family: SessionFamilyRecord, secrets: AccountSecrets) {
        guard
            let sessionToken = OpaqueToken.remake(
                .session,
                id: session.id.rawValue,
                generation: session.generation,
                seed: family.seed,
                hash: session.tokenHash,
                secrets: secrets
            ),
            let refreshToken = OpaqueToken.remake(
                .refresh,
                id: family.id,
                generation: family.generation,
                seed: family.seed,
                hash: family.refreshHash,
                secrets: secrets
            )
        else { return nil }
        (self.sessionToken, self.refreshToken) = (sessionToken, refreshToken)
    }

    var sessionHash: [UInt8] { Digest.sha256.hash(sessionToken.utf8) }
    var refreshHash: [UInt8] { Digest.sha256.hash(refreshToken.utf8) }

    /// The tokens as the client gets them.
    func tokens(for session: SessionRecord) -> SessionTokens {
        SessionTokens(
            sessionToken: sessionToken,
            refreshToken: refreshToken,
            expiresAt: min(session.tokenExpiresAt ?? session.expiresAt, session.expiresAt).date
        )
    }
}
