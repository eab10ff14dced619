// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Signs in without a login: creates an anonymous account, to which a login can be linked later.
    ///
    /// ``Session/link(with:idempotencyKey:from:)`` gives it a login, and the account keeps its ID and its data. Until
    /// then its session is the only way to it.
    ///
    /// - Parameters:
    ///   - session: The session that the client already has, if any. If its account is anonymous, it continues.
    ///   - origin: The origin of the request: a network creates at most ``LinkPolicy/anonymousPerNetworkAndHour``
    ///     accounts in an hour.
    /// - Returns: The account, and a session.
    /// - Throws: ``AuthError``: `invalid-user-token` and others if the given session is not open;
    ///   `too-many-requests`.
    public func signInAnonymously(continuing session: Session? = nil, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try await transaction { transaction in
            transaction.context.origin = origin
            return try transaction.anonymous.signIn(continuing: session, from: origin)
        }
    }
}

/// The steps of an anonymous sign-in.
struct AnonymousSignIns {
    let accounts: Accounts
    let sessions: Sessions
    let held: HeldSessions
    let reader: AccountReader
    let budgets: Budgets
    let hooks: BoundHooks
    let context: TransactionContext

    /// Continues the session of an anonymous account, or creates an account.
    ///
    /// - Throws: ``AuthError``: `too-many-requests`, and others if the session is not open.
    func signIn(continuing session: Session?, from origin: RequestOrigin?) throws -> AuthDataResult {
        if let session {
            let held = try self.held.hold(session)
            if held.account.isAnonymous { return try self.held.unchanged(.signedIn, in: held.session) }
        }
        let limit = context.policy.linking.anonymousPerNetworkAndHour
        try budgets.spend(.network("anonymous.address", origin, limit: limit, window: .seconds(3600)))
        let account = try accounts.create(isAnonymous: true)
        let opened = try sessions.open(for: account, identity: nil, methods: [], level: 1)
        let result = AuthDataResult(
            account: try reader.read(account.id),
            session: Session(opened.record, auth: context.auth),
            tokens: opened.tokens,
            outcome: .created
        )
        try hooks.run(.signIn(result))
        return result
    }
}
