// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginText

/// The steps that keep a verified credential which conflicts with an account until the client uses it.
struct PendingCredentials {
    let pending: PendingCredentialTable
    let keys: IdentityKeyTable
    let passwords: PasswordTable
    let sessions: Sessions
    let context: TransactionContext

    /// Stores a verified credential that cannot be used now.
    ///
    /// If it has been pending before, its lifetime is not extended.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - owner: The account that it conflicts with.
    ///   - session: The session in which the conflict occurred; nil for a sign-in.
    ///   - email: The address that caused the conflict; nil if the login itself did.
    /// - Returns: The pending credential for the client.
    /// - Throws: ``StoreError``
    func hold(
        _ credential: VerifiedCredential,
        of owner: AccountID,
        session: SessionID?,
        email: String? = nil
    ) throws -> PendingCredential {
        let token = "llp_" + Base64URL.encode(randomBytes(count: 32))
        let lifetime = min(context.policy.linking.pendingCredentialLifetime, .seconds(600))
        let record = PendingCredentialRecord(
            hash: Digest.sha256.hash(token.utf8),
            providerID: credential.providerID,
            subject: credential.subject,
            content: try WaitingContent.seal(credential, token: token),
            ownerID: owner,
            sessionID: session,
            createdAt: credential.wait?.provenAt ?? context.now,
            expiresAt: credential.wait?.expiresAt ?? context.now + lifetime
        )
        try pending.add(record)
        return PendingCredential(
            token: token,
            providerID: credential.providerID,
            email: email,
            expiresAt: record.expiresAt.date
        )
    }

    /// Takes a pending credential.
    ///
    /// It can be taken once.
    ///
    /// To link, it requires the session in which the conflict occurred, or one in which the user has signed in or
    /// reauthenticated since: the holder of an older session could have been sent another user's credential. A session
    /// that a device has only resumed is no sign-in.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`.
    func take(_ token: String, of provider: ProviderID, for purpose: AttemptPurpose) throws -> VerifiedCredential {
        guard token.utf8.count <= 64 else { throw AuthError.noPendingCredential }
        let hash = Digest.sha256.hash(token.utf8)
        switch purpose {
        case .signIn: break
        case .link(let session):
            let session = try sessions.current(session)
            guard let kept = try pending.find(hash) else { throw AuthError.noPendingCredential }
            // A sign-in creates a device. The provider's `auth_time` may lie before it.
            let signedInAt = try max(session.authenticatedAt, sessions.family(of: session).createdAt)
            guard kept.sessionID == session.id || signedInAt >= kept.createdAt else {
                throw AuthError.noPendingCredential
            }
        case .reauthenticate:
            throw AuthError(.invalidCredential, "a pending credential does not authenticate the user again")
        }
        guard let record = try pending.take(hash, of: provider, at: context.now) else {
            throw AuthError.noPendingCredential
        }
        var credential: VerifiedCredential = try WaitingContent.open(record.content, token: token)
        // The row contains the login, and its encrypted content must contain the same.
        guard isEqual(record.providerID.rawValue, credential.providerID.rawValue),
            isEqual(record.subject, credential.subject)
        else { throw StoreError(.damaged, "a pending credential is of two identities") }
        guard try isCurrent(credential) else { throw AuthError.noPendingCredential }
        credential.wait = .init(provenAt: record.createdAt, expiresAt: record.expiresAt)
        return credential
    }

    /// Whether the password of a credential is unchanged.
    ///
    /// Other credentials stay valid.
    func isCurrent(_ credential: VerifiedCredential) throws(StoreError) -> Bool {
        guard credential.providerID == .password else { return true }
        guard let address = EmailAddress(credential.subject),
            let identity = try keys.identity(.password, address.text),
            let password = try passwords.find(identity)
        else { return false }
        return password.changedAt == credential.passwordSetAt
    }
}

extension AuthError {
    fileprivate static let noPendingCredential = AuthError(
        .invalidCredential,
        "the pending credential is unknown, over, used, replaced by a newer one, of another session, or of a password that was changed"
    )
}
