// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The steps that merge one account into another.
struct Merges {
    let accounts: Accounts
    let accountTable: AccountTable
    let emailTable: EmailTable
    let identityTable: IdentityTable
    let identities: Identities
    let factors: SecondFactors
    let emails: EmailOwnership
    let sessions: Sessions
    let held: HeldSessions
    let requests: RepeatableRequests
    let pending: PendingOperations
    let budgets: Budgets
    let audit: AuditTrail
    let hooks: BoundHooks
    let context: TransactionContext

    /// Merges the account of one session into the account of another.
    func merge(
        _ source: Session,
        into target: Session,
        _ conflicts: MergeConflicts,
        _ request: RepeatableRequest?
    ) throws -> TransactionEnding<AuthDataResult> {
        let (going, staying) = try lock(source.accountID, and: target.accountID)
        let into = try held.held(target, of: staying)
        // It is the same account, or was merged before. As nothing is done, no response is stored: anybody could repeat
        // that with any number of keys.
        guard let going else {
            if let stored = try requests.storedResponse(to: request, in: into.session) { return stored }
            // The response contains the session's refresh token, which must not be available for a session token alone.
            try held.requireRecentLogin(into)
            return .commit(try held.unchanged(.merged, in: into.session))
        }
        return try requests.once(request, in: into.session) {
            let from = try held.held(source, of: going)
            let plan = try plan(from, into, conflicts)
            if let obstacle = plan.obstacles.first { throw obstacle }
            guard plan.conflicts.isEmpty || conflicts != .refuse else {
                throw AuthError(.mergeConflict(plan.conflicts), "both accounts have the same provider")
            }
            try budgets.spend(Self.budget(of: staying.id))
            try hooks.run(.merge(AccountMerge(source: going.id, target: staying.id)))
            context.pause(at: .mergeBeforeMove)
            return .commit(try carryOut(plan, from, into))
        }
    }

    /// The number of accounts that can be merged into one: every merge leaves an ID that redirects to it, and anybody
    /// can create guests.
    static func budget(of account: AccountID) -> Budget {
        Budget(purpose: "merge", subject: account.rawValue, limit: 100, window: .seconds(86_400))
    }

    /// Previews a merge, without locks and writes.
    func preview(_ source: Session, into target: Session, _ conflicts: MergeConflicts) throws -> MergePreview {
        guard let staying = try accountTable.find(target.accountID) else { throw AuthError.noSuchAccount }
        let into = try held.held(target, of: staying)
        guard let going = try accountTable.find(source.accountID) else { throw AuthError.noSuchAccount }
        let isDone = going.id == staying.id || going.mergedInto == staying.id
        let plan = isDone ? nil : try plan(held.held(source, of: going), into, conflicts)
        let added = isDone ? [] : try factors.toMove(from: going.id, to: staying.id)
        let enrolled = try factors.confirmed(of: staying.id) + added
        return MergePreview(
            source: source.accountID,
            target: staying.id,
            moves: try plan?.moves.map { identity in try UserInfo(identity) } ?? [],
            drops: try plan?.drops.map { identity in try UserInfo(identity) } ?? [],
            conflicts: plan?.conflicts ?? [],
            factors: enrolled.compactMap { MultiFactorInfo($0) },
            obstacles: plan?.obstacleCodes ?? [],
            isDone: isDone
        )
    }

    /// Locks both accounts in the order of their IDs, as a merge in the other direction does.
    ///
    /// - Returns: Both; nil for the source if it is the target, or was merged into it before.
    private func lock(_ source: AccountID, and target: AccountID) throws -> (AccountRecord?, AccountRecord) {
        guard source != target else { return (nil, try accounts.lock(target)) }
        func lockSource() throws -> AccountRecord? {
            do {
                return try accounts.lock(source)
            } catch let error as AuthError {
                if case .accountMerged(into: target) = error.reason { return nil }
                throw error
            }
        }
        if source.rawValue.utf8.lexicographicallyPrecedes(target.rawValue.utf8) {
            let going = try lockSource()
            return (going, try accounts.lock(target))
        }
        let staying = try accounts.lock(target)
        return (try lockSource(), staying)
    }

    private func plan(_ source: HeldSession, _ target: HeldSession, _ conflicts: MergeConflicts) throws -> MergePlan {
        try MergePlan(
            from: side(source),
            into: side(target),
            policy: context.policy.linking,
            resolution: conflicts,
            at: context.now
        )
    }

    private func side(_ held: HeldSession) throws(StoreError) -> MergePlan.Side {
        MergePlan.Side(
            held: held,
            identities: try identities.of(held.account.id),
            factors: try factors.confirmed(of: held.account.id),
            mergedCount: try accountTable.merged(into: held.account.id, limit: MergePlan.maximumMerged + 1).count
        )
    }

    private func carryOut(_ plan: MergePlan, _ from: HeldSession, _ into: HeldSession) throws -> AuthDataResult {
        let (source, target) = (from.account, into.account)
        try pending.void(of: source.id)
        try pending.void(of: target.id)
        for identity in plan.drops { try drop(identity, from, into) }
        try sessions.close(of: source.id, reason: .merged)
        if context.policy.linking.identitiesPerProvider == .many {
            // Some may have been linked while an account could have only one identity of a provider.
            try identityTable.allowSeveral(of: source.id)
            try identityTable.allowSeveral(of: target.id)
        }
        try identityTable.move(from: source.id, to: target.id)
        try moveFactors(from: source.id, into)
        try emailTable.move(from: source.id, to: target.id)
        try bury(source, in: target.id)
        let kept = try keep(target, from: source)
        try emails.update(kept)
        try record(plan, from, into)
        guard target.isAnonymous, !kept.isAnonymous else { return try held.result(.merged, in: into.session) }
        // Otherwise the holder of a previous token of the anonymous account would have access to the user's account
        // (S-FIX-1).
        return try held.result(.merged, in: adopt(from.session, plan.moves, into.session), previous: .dead)
    }

    /// Makes the session of an anonymous account that of the login with which the source's session was opened.
    ///
    /// Otherwise unlinking that login would leave the session open, and the creation of the anonymous account would
    /// count as the user's authentication.
    private func adopt(_ source: SessionRecord, _ identities: [IdentityRecord], _ target: SessionRecord)
        throws(StoreError) -> SessionRecord
    {
        try sessions.setIdentity(identities.first { $0.id == source.identityID }, of: target)
        var adopted = target
        adopted.authenticatedAt = source.authenticatedAt
        adopted.methods = target.methods.adding(source.methods)
        return adopted
    }

    /// Removes an identity that does not move to the target.
    private func drop(_ identity: IdentityRecord, _ from: HeldSession, _ into: HeldSession) throws(StoreError) {
        try identities.remove(identity)
        if into.session.identityID == identity.id { try sessions.setIdentity(nil, of: into.session) }
        try sessions.close(openedWith: identity, except: into.session.id, reason: .unlinked)
        let session = identity.accountID == into.account.id ? into.session.id : from.session.id
        let subject = audit.subject(identity)
        try audit.record(.identityUnlinked, account: identity.accountID, session: session, subject: subject)
    }

    /// Gives the target the second factors of both.
    ///
    /// If those are its first, its sessions without a second factor are closed.
    private func moveFactors(from source: AccountID, _ into: HeldSession) throws {
        let target = into.account.id
        let hadNone = try factors.confirmed(of: target).isEmpty
        try factors.move(from: source, to: target)
        guard hadNone, try !factors.confirmed(of: target).isEmpty else { return }
        try sessions.close(of: target, except: into.session.id, reason: .factorsChanged)
    }

    /// Makes the source a tombstone that redirects to the target, and redirects earlier tombstones too, so that none
    /// leads to another.
    private func bury(_ source: AccountRecord, in target: AccountID) throws(StoreError) {
        var tombstone = source
        tombstone.state = AccountState.merged.rawValue
        tombstone.mergedInto = target
        tombstone.isAnonymous = false
        (tombstone.email, tombstone.emailVerified) = (nil, false)
        tombstone.clearNameAndPicture()
        tombstone.updatedAt = context.now
        try accountTable.save(tombstone, from: source)
        try accountTable.redirect(from: source.id, to: target)
    }

    /// Stores the values that the target takes over from the source's row.
    ///
    /// Failed second factors stay counted: otherwise a merge would permit further guesses.
    private func keep(_ target: AccountRecord, from source: AccountRecord) throws(StoreError) -> AccountRecord {
        var kept = target
        kept.isAnonymous = target.isAnonymous && source.isAnonymous
        if target.displayName == nil {
            (kept.displayName, kept.displayNameSource) = (source.displayName, source.displayNameSource)
        }
        if target.photoURL == nil { (kept.photoURL, kept.photoSource) = (source.photoURL, source.photoSource) }
        kept.factorFailures = max(target.factorFailures, source.factorFailures)
        kept.factorLocks = max(target.factorLocks, source.factorLocks)
        kept.factorLockedUntil = [target.factorLockedUntil, source.factorLockedUntil].compactMap(\.self).max()
        kept.lastSignInAt = [target.lastSignInAt, source.lastSignInAt].compactMap(\.self).max()
        kept.updatedAt = context.now
        return try accountTable.save(kept, from: target)
    }

    private func record(_ plan: MergePlan, _ from: HeldSession, _ into: HeldSession) throws(StoreError) {
        let (source, target, moved) = (from.account.id, into.account.id, "\(plan.moves.count)")
        let gone = ["into": target.rawValue, "moved": moved]
        try audit.record(.accountMerged, account: source, session: from.session.id, subject: gone)
        let got = ["from": source.rawValue, "moved": moved]
        try audit.record(.accountMerged, account: target, session: into.session.id, subject: got)
    }
}
