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
