// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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
        try hooks.onSignIn(result)
        return result
    }
}
