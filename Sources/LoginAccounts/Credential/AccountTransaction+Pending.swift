// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginText

extension AccountTransaction {
    /// Keeps what was proven and cannot be used now, so that it can be once.
    ///
    /// What has waited before waits no longer for that: it ends when it would have ended.
    ///
    /// - Parameters:
    ///   - credential: What was proven.
    ///   - owner: The account that it met.
    ///   - session: The session that it came up in; nil for a sign-in.
    ///   - email: The address that the conflict is about; nil where it is about the login itself.
    /// - Returns: What the client redeems it with.
    /// - Throws: ``StoreError``
    func holdCredential(
        _ credential: VerifiedCredential,
        of owner: AccountID,
        session: SessionID?,
        email: String? = nil
    ) throws -> PendingCredential {
        let token = "llp_" + Base64URL.encode(randomBytes(count: 32))
        let lifetime = min(auth.policy.linking.pendingCredentialLifetime, .seconds(600))
        let record = PendingCredentialRecord(
            hash: Digest.sha256.hash(token.utf8),
            providerID: credential.providerID,
            subject: credential.subject,
            content: try WaitingContent.seal(credential, token: token),
            ownerID: owner,
            sessionID: session,
            createdAt: credential.wait?.provenAt ?? now,
            expiresAt: credential.wait?.expiresAt ?? now + lifetime
        )
        try add(record)
        return PendingCredential(
            token: token,
            providerID: credential.providerID,
            email: email,
            expiresAt: record.expiresAt.date
        )
    }

    /// Takes what was kept.
    ///
    /// To link, it requires the session that it came up in, or one in which the user has signed in or been proven since: the holder
    /// of an older session could have been sent somebody else's credential. A session that a device has only resumed is no sign-in.
    func usePending(_ token: String, of provider: ProviderID, for purpose: AttemptPurpose) throws -> VerifiedCredential
    {
        guard token.utf8.count <= 64 else { throw Self.noPending }
        switch purpose {
        case .signIn: break
        case .link(let session):
            let session = try currentSession(session)
            let kept: PendingCredentialRecord? = try first(
                where: PendingCredentialRecord.Column.hash.equals(Digest.sha256.hash(token.utf8))
            )
            guard let kept else { throw Self.noPending }
            // A sign-in opens a device. The time of the provider's `auth_time` may lie before it.
            let signedInAt = try max(session.authenticatedAt, family(of: session).createdAt)
            guard kept.sessionID == session.id || signedInAt >= kept.createdAt else { throw Self.noPending }
        case .reauthenticate:
            throw AuthError(.invalidCredential, "what was proven before proves nobody anew")
        }
        let taken: [PendingCredentialRecord] = try delete(
            where: PendingCredentialRecord.Column.hash.equals(Digest.sha256.hash(token.utf8)),
            PendingCredentialRecord.Column.providerID.equals(provider.rawValue),
            PendingCredentialRecord.Column.expiresAt.isAfter(now)
        )
        guard let record = taken.first else { throw Self.noPending }
        var credential: VerifiedCredential = try WaitingContent.open(record.content, token: token)
        // The row names whom it proves; what stands in its content must be the same.
        guard record.providerID.rawValue.utf8.elementsEqual(credential.providerID.rawValue.utf8),
            record.subject.utf8.elementsEqual(credential.subject.utf8)
        else { throw StoreError(.damaged, "a pending credential is of two identities") }
        guard try isCurrent(credential) else { throw Self.noPending }
        credential.wait = .init(provenAt: record.createdAt, expiresAt: record.expiresAt)
        return credential
    }

    /// Whether the password that proved a credential is still the one there is; what none has proven is current.
    func isCurrent(_ credential: VerifiedCredential) throws -> Bool {
        guard credential.providerID == .password else { return true }
        let password = try EmailAddress(credential.subject).flatMap { try findPassword(of: $0) }?.password
        return password != nil && password?.changedAt == credential.passwordSetAt
    }

    /// Removes what was proven by an identity, under whichever of its names, and waits to be used.
    func voidPending(of identity: IdentityRecord) throws {
        typealias Column = PendingCredentialRecord.Column
        for key: IdentityKeyRecord in try all(where: IdentityKeyRecord.Column.identityID.equals(identity.id)) {
            try delete(
                PendingCredentialRecord.self,
                where: Column.providerID.equals(key.providerID.rawValue),
                Column.subject.equals(key.subject)
            )
        }
    }

    private static let noPending = AuthError(
        .invalidCredential,
        "the pending credential is unknown, over, used, replaced by a newer one, of another session, or of a password that was changed"
    )
}
