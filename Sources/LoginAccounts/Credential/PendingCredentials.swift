// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginText
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
    ///   - held: The session in which the conflict occurred; nil for a sign-in.
    ///   - email: The address that caused the conflict; nil if the login itself did.
    /// - Returns: The pending credential for the client.
    /// - Throws: ``StoreError``
    func hold(
        _ credential: VerifiedCredential,
        of owner: AccountID,
        in held: HeldSession?,
        email: String? = nil
    ) throws -> PendingCredential {
        let token = OneTimeToken.credential.make()
        let lifetime = min(context.policy.linking.pendingCredentialLifetime, .seconds(600))
        let record = PendingCredentialRecord(
            hash: OneTimeToken.hash(token),
            providerID: credential.providerID,
            subject: credential.subject,
            content: try WaitingContent.seal(credential, token: token),
            ownerID: owner,
            sessionID: held?.session.id,
            accountID: held?.account.id,
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
        guard let hash = OneTimeToken.credential.hashIfPossible(token) else { throw AuthError.noPendingCredential }
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
        else { throw StoreError(.damaged, "a pending credential belongs to two identities") }
        guard try isCurrent(credential) else { throw AuthError.noPendingCredential }
        credential.wait = .init(provenAt: record.createdAt, expiresAt: record.expiresAt)
        return credential
    }

    /// Whether the password of a credential is unchanged.
    ///
    /// Other credentials stay valid.
    func isCurrent(_ credential: VerifiedCredential) throws(StoreError) -> Bool {
        guard credential.providerID == .password else { return true }
        guard let address = try? EmailAddress(credential.subject),
            let identity = try keys.identity(.password, address.text),
            let password = try passwords.find(identity)
        else { return false }
        return password.changedAt == credential.passwordSetAt
    }
}

extension AuthError {
    fileprivate static let noPendingCredential = AuthError(
        .invalidCredential,
        "the pending credential is unknown, expired, used, superseded, from another session, or from before a password change"
    )
}

/// A verified credential that could not be used, because it or its e-mail address belongs to another account.
///
/// It can be used once.
///
/// Its attempt is completed, so without it the user would have to return to the provider.
public struct PendingCredential: Sendable, Hashable, Encodable {
    /// The token with which the credential is used: a secret for the client that met the conflict.
    public let token: String

    /// The identity provider.
    public let providerID: ProviderID

    /// The e-mail address, if it caused the conflict; otherwise nil.
    public let email: String?

    /// The time at which the credential expires.
    public let expiresAt: Date

    /// Creates a pending credential from the values that a client returns.
    public init(token: String, providerID: ProviderID, email: String? = nil, expiresAt: Date = .distantFuture) {
        self.token = token
        self.providerID = providerID
        self.email = email
        self.expiresAt = expiresAt
    }
}

extension PendingCredential: Redacted {
    /// The provider, without the token.
    public var description: String { "pending credential of \(providerID)" }
}
