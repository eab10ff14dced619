// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension AccountTransaction {
    /// Makes two accounts one.
    func merge(
        _ source: Session,
        _ target: Session,
        _ conflicts: MergeConflicts,
        _ request: RepeatableRequest?
    ) throws -> Result<AuthDataResult, AuthError> {
        let (going, staying) = try lock(source.accountID, and: target.accountID)
        let into = try held(target, of: staying)
        return try once(request, in: into.session) {
            // It is the same account, or was done before.
            guard let going else {
                // The answer has the session's refresh token, which a session token alone is not to be exchanged for.
                try requireRecentLogin(into)
                return .success(try unchanged(.merged, in: into.session))
            }
            let from = try held(source, of: going)
            for requirement in requirements(of: from, into) { try requirement() }
            let plan = try plan(from: going.id, into: staying.id, conflicts)
            guard plan.conflicts.isEmpty || conflicts != .refuse else {
                throw AuthError(.mergeConflict(plan.conflicts), "both accounts have the same provider")
            }
            try auth.hooks?.onMerge(AccountMerge(source: going.id, target: staying.id), self)
            pause(at: .mergeBeforeMove)
            return .success(try merge(from, into, plan))
        }
    }

    /// What a merge would do, without taking the accounts.
    func previewMerge(_ source: Session, _ target: Session, _ conflicts: MergeConflicts) throws -> MergePreview {
        let staying: AccountRecord? = try first(where: AccountRecord.Column.id.equals(target.accountID.rawValue))
        guard let staying else { throw AuthError(.userNotFound, "there is no such account") }
        let into = try held(target, of: staying)
        let going: AccountRecord? = try first(where: AccountRecord.Column.id.equals(source.accountID.rawValue))
        guard let going else { throw AuthError(.userNotFound, "there is no such account") }
        let isDone = going.id == staying.id || going.mergedInto == staying.id
        let plan = isDone ? nil : try plan(from: going.id, into: staying.id, conflicts)
        let added = isDone ? [] : try factorsToMove(from: going.id, to: staying.id)
        let factors = try confirmedFactors(of: staying.id) + added
        let obstacles = isDone ? [] : try obstacles(to: requirements(of: held(source, of: going), into))
        return MergePreview(
            source: source.accountID,
            target: staying.id,
            moves: try plan?.moves.map { identity in try UserInfo(identity) } ?? [],
            drops: try plan?.drops.map { identity in try UserInfo(identity) } ?? [],
            conflicts: plan?.conflicts ?? [],
            factors: factors.compactMap { MultiFactorInfo($0) },
            obstacles: obstacles,
            isDone: isDone
        )
    }

    /// What must hold of both sessions before anything is merged, in the order in which it is asked.
    private func requirements(of from: HeldSession, _ into: HeldSession) -> [() throws -> Void] {
        let recent: [() throws -> Void] =
            from.account.isAnonymous
            ? [] : [{ try self.requireRecentLogin(from) }, { try self.requireRecentLogin(into) }]
        return recent + [
            { try self.requireAllFactors(into) },
            { try self.checkFirstFactors(of: [from.account.id, into.account.id]) },
        ]
    }

    /// Which of the requirements do not hold, each code once.
    private func obstacles(to requirements: [() throws -> Void]) throws -> [AuthError.Code] {
        var codes: [AuthError.Code] = []
        for requirement in requirements {
            do {
                try requirement()
            } catch let error as AuthError where !codes.contains(error.code) {
                codes.append(error.code)
            } catch is AuthError {}
        }
        return codes
    }

    /// Takes both accounts, in the order of their IDs: whoever merges them the other way takes them in the same order.
    ///
    /// - Returns: Both; nil for the source where it is the target, or has become part of it already.
    private func lock(_ source: AccountID, and target: AccountID) throws -> (AccountRecord?, AccountRecord) {
        guard source != target else { return (nil, try lockAccount(target)) }
        func lockSource() throws -> AccountRecord? {
            do {
                return try lockAccount(source)
            } catch let error as AuthError {
                if case .accountMerged(into: target) = error.reason { return nil }
                throw error
            }
        }
        if source.rawValue.utf8.lexicographicallyPrecedes(target.rawValue.utf8) {
            let going = try lockSource()
            return (going, try lockAccount(target))
        }
        let staying = try lockAccount(target)
        return (try lockSource(), staying)
    }

    /// Sees that each account with a second factor is here by it, also where nobody has to have been proven recently.
    private func requireAllFactors(_ held: HeldSession) throws {
        if try !confirmedFactors(of: held.account.id).isEmpty { try requireLevel(2, of: held.session) }
    }

    private func plan(from source: AccountID, into target: AccountID, _ conflicts: MergeConflicts) throws -> MergePlan {
        MergePlan(
            from: try identities(of: source),
            into: try identities(of: target),
            perProvider: auth.policy.linking.identitiesPerProvider,
            resolution: conflicts
        )
    }
}

// MARK: - Moving

extension AccountTransaction {
    private func merge(_ from: HeldSession, _ into: HeldSession, _ plan: MergePlan) throws -> AuthDataResult {
        let (source, target) = (from.account, into.account)
        try voidPending(of: source.id)
        try voidPending(of: target.id)
        for identity in plan.drops {
            try removeIdentity(identity)
            try leave(identity, in: into.session)
            try closeSessions(openedWith: identity.id, except: into.session.id, reason: .unlinked)
            let session = identity.accountID == target.id ? into.session.id : from.session.id
            try record(
                .identityUnlinked,
                account: identity.accountID,
                session: session,
                subject: auditSubject(identity)
            )
        }
        try closeSessions(of: source.id, reason: .merged)
        try moveIdentities(from: source.id, to: target.id)
        try moveSecondFactors(from: source, into)
        try update(
            EmailRecord.self,
            set: EmailRecord.Column.accountID.becomes(target.id.rawValue),
            where: EmailRecord.Column.accountID.equals(source.id.rawValue)
        )
        try bury(source, in: target.id)
        let kept = try keep(target, from: source)
        try updateEmail(of: kept)
        let moved = "\(plan.moves.count)"
        try record(
            .accountMerged,
            account: source.id,
            session: from.session.id,
            subject: ["into": target.id.rawValue, "moved": moved]
        )
        try record(
            .accountMerged,
            account: target.id,
            session: into.session.id,
            subject: ["from": source.id.rawValue, "moved": moved]
        )
        // Whoever had a token of the guest's would be in somebody's account (S-FIX-1).
        let wasGuest = target.isAnonymous && !kept.isAnonymous
        return try result(.merged, in: into.session, previous: wasGuest ? .dead : .untilNewAreShown)
    }

    /// Gives the target all identities that the source still has, with one statement, however many they are.
    private func moveIdentities(from source: AccountID, to target: AccountID) throws {
        typealias Column = IdentityRecord.Column
        let isOfSource = Column.accountID.equals(source.rawValue)
        if auth.policy.linking.identitiesPerProvider == .many {
            // Some may have been linked when there could be one of a provider.
            try update(IdentityRecord.self, set: Column.singleKey.becomes(nil as String?), where: isOfSource)
            try update(
                IdentityRecord.self,
                set: Column.singleKey.becomes(nil as String?),
                where: Column.accountID.equals(target.rawValue)
            )
        }
        try update(IdentityRecord.self, set: Column.accountID.becomes(target.rawValue), where: isOfSource)
    }

    /// Gives the target the second factors of both.
    ///
    /// Where those are its first, sessions that never showed one close.
    private func moveSecondFactors(from source: AccountRecord, _ into: HeldSession) throws {
        let target = into.account
        let hadNone = try confirmedFactors(of: target.id).isEmpty
        try moveFactors(from: source.id, to: target.id)
        guard hadNone, try !confirmedFactors(of: target.id).isEmpty else { return }
        try closeSessions(of: target.id, except: into.session.id, reason: .factorsChanged)
    }

    /// Makes the source a sign that points to the target, and with it all that have become part of it: no sign points to a sign.
    private func bury(_ source: AccountRecord, in target: AccountID) throws {
        typealias Column = AccountRecord.Column
        try update(
            AccountRecord.self,
            set: Column.state.becomes(AccountState.merged.rawValue),
            Column.mergedInto.becomes(target.rawValue),
            Column.isAnonymous.becomes(false),
            Column.email.becomes(nil as String?),
            Column.emailVerified.becomes(false),
            Column.displayName.becomes(nil as String?),
            Column.photoURL.becomes(nil as String?),
            Column.updatedAt.becomes(now),
            where: Column.id.equals(source.id.rawValue)
        )
        try update(
            AccountRecord.self,
            set: Column.mergedInto.becomes(target.rawValue),
            where: Column.mergedInto.equals(source.id.rawValue)
        )
    }

    /// Writes down what the target gets of the source's own row.
    ///
    /// Wrong second factors count on: otherwise a merge would be a way
    /// to guess anew.
    private func keep(_ target: AccountRecord, from source: AccountRecord) throws -> AccountRecord {
        typealias Column = AccountRecord.Column
        let kept: [AccountRecord] = try update(
            set: Column.isAnonymous.becomes(target.isAnonymous && source.isAnonymous),
            Column.displayName.becomes(target.displayName ?? source.displayName),
            Column.photoURL.becomes(target.photoURL ?? source.photoURL),
            Column.factorFailures.becomes(max(target.factorFailures, source.factorFailures)),
            Column.factorLocks.becomes(max(target.factorLocks, source.factorLocks)),
            Column.factorLockedUntil.becomes(
                [target.factorLockedUntil, source.factorLockedUntil].compactMap(\.self).max()
            ),
            Column.lastSignInAt.becomes([target.lastSignInAt, source.lastSignInAt].compactMap(\.self).max()),
            Column.updatedAt.becomes(now),
            where: Column.id.equals(target.id.rawValue)
        )
        guard let kept = kept.first else { throw StoreError(.damaged, "an account that is locked is gone") }
        return kept
    }
}
