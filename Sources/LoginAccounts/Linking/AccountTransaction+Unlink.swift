// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension AccountTransaction {
    /// Takes an identity from an account, unless nothing else would sign in to it.
    func unlink(_ provider: ProviderID, uid: String?, from held: HeldSession, closingOthers: Bool) throws
        -> AuthDataResult
    {
        let (account, session) = (held.account, held.session)
        let known = try identities(of: account.id)
        let identity = try named(provider, uid: uid, among: known)
        guard try known.contains(where: { try $0.id != identity.id && obstacle(of: $0) == nil }) else {
            throw AuthError(.lastProvider, "nothing else signs in to the account")
        }
        pause(at: .unlinkBeforeDelete)
        try removeIdentity(identity)
        try leave(identity, in: session)
        try closeSessions(openedWith: identity.id, except: session.id, reason: .unlinked)
        if closingOthers { try closeSessions(of: account.id, except: session.id, reason: .closedElsewhere) }
        try voidPending(of: account.id)
        try updateEmail(of: account)
        try record(.identityUnlinked, account: account.id, session: session.id, subject: auditSubject(identity))
        // Whoever closes the other sessions wants nobody left who has a copy, of these tokens neither.
        return try result(.unlinked, in: session, previous: closingOthers ? .dead : .untilNewAreShown)
    }

    private func named(_ provider: ProviderID, uid: String?, among known: [IdentityRecord]) throws -> IdentityRecord {
        var named = known.filter { isEqual($0.providerID.rawValue, provider.rawValue) }
        if let uid {
            // Any of its names is good, as it is to sign in.
            let identity = try findIdentity(provider, uid)
            named = named.filter { $0.id == identity?.id }
        }
        guard let identity = named.first else {
            throw AuthError(.noSuchProvider, "the account has no such identity")
        }
        guard named.count == 1 else {
            throw AuthError(.ambiguousProvider, "the account has \(named.count) identities of this provider")
        }
        return identity
    }

    /// The session in which an identity goes stays, and was not opened with it any longer.
    func leave(_ identity: IdentityRecord, in session: SessionRecord) throws {
        guard session.identityID == identity.id else { return }
        try update(
            SessionFamilyRecord.self,
            set: SessionFamilyRecord.Column.identityID.becomes(nil as String?),
            where: SessionFamilyRecord.Column.id.equals(session.familyID)
        )
        try update(
            SessionRecord.self,
            set: SessionRecord.Column.identityID.becomes(nil as String?),
            where: SessionRecord.Column.id.equals(session.id.rawValue)
        )
    }
}
