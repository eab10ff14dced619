// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Makes an account of which nobody has said yet who it is: for somebody who wants to begin, and to be known later.
    ///
    /// ``Session/link(with:idempotencyKey:from:)`` gives it a login, and it keeps its ID and all that is kept for it. Until then its session is
    /// all that leads to it.
    ///
    /// - Parameters:
    ///   - session: The session that the client has already, if any. Where that is of an anonymous account, it goes on.
    ///   - origin: From where the request came: one network makes no more accounts in an hour than
    ///     ``LinkPolicy/anonymousPerNetworkAndHour`` says.
    /// - Returns: The account, and a session.
    /// - Throws: ``AuthError``: `invalid-user-token` and others where the session that was given is not open;
    ///   `too-many-requests`.
    public func signInAnonymously(continuing session: Session? = nil, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try await transaction { transaction in
            transaction.origin = origin
            if let session {
                let held = try transaction.hold(session)
                if held.account.isAnonymous { return try transaction.unchanged(.signedIn, in: held.session) }
            }
            let limit = policy.linking.anonymousPerNetworkAndHour
            try transaction.spend(.network("anonymous.address", origin, limit: limit, window: .seconds(3600)))
            let account = try transaction.makeAccount(isAnonymous: true)
            let opened = try transaction.openSession(for: account, identity: nil, methods: [], level: 1)
            let result = AuthDataResult(
                account: try transaction.readAccount(account.id),
                session: Session(opened.record, auth: self),
                tokens: opened.tokens,
                outcome: .created
            )
            try hooks?.onSignIn(result, transaction)
            return result
        }
    }
}
