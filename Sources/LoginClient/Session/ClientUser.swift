// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The operations on the account of the signed-in user: logins, password, profile, permissions, sessions.
///
/// ```swift
/// let attempt = try await session.user.begin(.link, with: "club")
/// let idToken = try await logIn(nonce: attempt.nonce)  // at the provider
/// let result = try await session.user.link(with: .idToken(idToken, attempt: attempt))
/// ```
///
/// Each operation is one request, with the session token of the ``ClientSession``. It throws the errors of
/// ``ClientSession/send(_:)``, and refusals of the service as ``LoginClientError``. New tokens in its response replace
/// those of the session. "Recent login" means that the user authenticated within the last five minutes, at level 2 if the
/// account has a second factor; `requires-recent-login` asks for ``reauthenticate(with:requesting:)``, and
/// `second-factor-required` for ``ClientMultiFactor/stepUp(with:)``.
public struct ClientUser: Sendable {
    let session: ClientSession

    private var calls: SessionCalls { SessionCalls(session: session) }

    /// Begins to link a login, or to reauthenticate.
    ///
    /// - Parameters:
    ///   - purpose: The purpose.
    ///   - provider: The name of the provider in the configuration of the service.
    /// - Returns: The attempt, with the nonce for the provider.
    /// - Throws: ``LoginClientError``
    public func begin(_ purpose: ClientPurpose, with provider: String) async throws -> ClientAttempt {
        let body = ["provider": provider, "purpose": purpose.rawValue]
        let response = try await session.send(session.service.post("/v1/attempts", body))
        return try session.service.attempt(in: response, provider: provider)
    }

    /// Sends a code to a phone, to link its number or to reauthenticate.
    ///
    /// - Parameters:
    ///   - number: The phone number with the country code: at most 32 characters.
    ///   - purpose: The purpose.
    /// - Returns: The challenge, whose ID is the verification ID of ``ClientCredential/phone(verificationID:code:)``.
    /// - Throws: ``LoginClientError``: `invalid-phone-number`, `quota-exceeded` and other refusals of the service.
    public func sendPhoneCode(to number: String, for purpose: ClientPurpose) async throws -> ClientChallenge {
        try await calls.content("POST", "/v1/phone-codes", ["number": number, "purpose": purpose.rawValue])
    }
}

// MARK: - Logins

extension ClientUser {
    /// Links a login to the account.
    ///
    /// It requires a recent login.
    ///
    /// - Parameters:
    ///   - credential: The credential of the login.
    ///   - idempotencyKey: A key of 1 to 64 printable ASCII characters, from 64 random bits or more: a repetition with
    ///     the key within a day gets the same result. Nil for none.
    /// - Returns: The result, whose outcome is `linked`, `alreadyLinked` or `upgraded`.
    /// - Throws: ``LoginClientError``: `credential-already-in-use` and `email-already-in-use`, with
    ///   ``LoginClientError/pendingCredential``; `provider-already-linked`; other refusals of the service.
    public func link(
        with credential: ClientCredential,
        idempotencyKey: String? = nil
    ) async throws -> ClientAuthResult {
        try await calls.content("POST", "/v1/link", ["credential": credential], idempotencyKey: idempotencyKey)
    }

    /// Unlinks a login from the account, and deletes the kept token of its provider.
    ///
    /// It requires a recent login.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider.
    ///   - uid: The ID of the user at the provider; nil if the account has one login of the provider.
    ///   - closesOtherSessions: Whether all other sessions of the account are closed.
    ///   - idempotencyKey: As for ``link(with:idempotencyKey:)``.
    /// - Returns: The result, whose outcome is `unlinked`.
    /// - Throws: ``LoginClientError``: `no-such-provider`, `last-provider` and other refusals of the service.
    public func unlink(
        provider: String,
        uid: String? = nil,
        closingOtherSessions closesOtherSessions: Bool = false,
        idempotencyKey: String? = nil
    ) async throws -> ClientAuthResult {
        struct Body: Encodable {
            let provider: String
            let uid: String?
            let closeOtherSessions: Bool?
        }
        let body = Body(provider: provider, uid: uid, closeOtherSessions: closesOtherSessions ? true : nil)
        let result: ClientAuthResult = try await calls.content(
            "POST",
            "/v1/unlink",
            body,
            idempotencyKey: idempotencyKey
        )
        try await session.dropProviderToken(of: provider)
        return result
    }

    /// Authenticates the user again, or records a login that requested further permissions.
    ///
    /// - Parameters:
    ///   - credential: A login of the account.
    ///   - permissions: The further permissions that the login requested: at most 64. Such a login does not count as
    ///     recent.
    /// - Returns: The result, whose outcome is `reauthenticated`, `permissionsDeclined` or `permissionsUnknown`.
    /// - Throws: ``LoginClientError``: `user-mismatch` and other refusals of the service.
    public func reauthenticate(
        with credential: ClientCredential,
        requesting permissions: [String] = []
    ) async throws -> ClientAuthResult {
        struct Body: Encodable {
            let credential: ClientCredential
            let permissions: [String]?
        }
        let body = Body(credential: credential, permissions: permissions.isEmpty ? nil : permissions)
        return try await calls.content("POST", "/v1/reauthenticate", body)
    }

    /// Revokes a permission of a login at its provider.
    ///
    /// - Parameters:
    ///   - permission: The name of the permission at the provider.
    ///   - provider: The name of the provider.
    ///   - accessToken: An access token of the user's login at the provider, which the service uses once.
    /// - Returns: The account.
    /// - Throws: ``LoginClientError``: `user-mismatch`, `operation-not-allowed`, `provider-unavailable` and other refusals
    ///   of the service.
    public func revoke(
        _ permission: String,
        at provider: String,
        accessToken: String
    ) async throws -> ClientAccount {
        let body = ["provider": provider, "accessToken": accessToken, "permission": permission]
        return try await session.adopt(calls.content("POST", "/v1/permissions/revoke", body))
    }

    /// Revokes a whole login at its provider, and deletes the kept token of the provider.
    ///
    /// The login stays with the account, and signs in again once the user has agreed to it anew.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider.
    ///   - accessToken: An access token of the user's login at the provider, which the service uses once.
    /// - Returns: The account.
    /// - Throws: ``LoginClientError``, as ``revoke(_:at:accessToken:)``.
    public func revokeLogin(at provider: String, accessToken: String) async throws -> ClientAccount {
        struct Body: Encodable {
            let provider, accessToken: String
            let all = true
        }
        let body = Body(provider: provider, accessToken: accessToken)
        let account: ClientAccount = try await calls.content("POST", "/v1/permissions/revoke", body)
        try await session.dropProviderToken(of: provider)
        return try await session.adopt(account)
    }
}

// MARK: - Merging

extension ClientUser {
    private struct MergeBody: Encodable {
        let source: String
        let conflicts: ClientMergeConflicts
    }

    /// Returns the result that a merge would have, and changes nothing.
    ///
    /// - Parameters:
    ///   - source: An open session of the account that is merged into this one.
    ///   - conflicts: The rule if both accounts have a login of the same provider.
    /// - Returns: The result, with the reasons for which a merge would be refused.
    /// - Throws: ``LoginClientError``
    public func previewMerge(
        from source: ClientSession,
        conflicts: ClientMergeConflicts = .refuse
    ) async throws -> ClientMergePreview {
        let body = MergeBody(source: try await source.validTokens().sessionToken, conflicts: conflicts)
        return try await calls.content("POST", "/v1/merge/preview", body)
    }

    /// Merges another account into this one, and closes its session.
    ///
    /// It requires a recent login in both sessions.
    ///
    /// - Parameters:
    ///   - source: An open session of the account that is merged into this one.
    ///   - conflicts: The rule if both accounts have a login of the same provider.
    ///   - idempotencyKey: As for ``link(with:idempotencyKey:)``.
    /// - Returns: The result, whose outcome is `merged`.
    /// - Throws: ``LoginClientError``: `merge-conflict`, with ``LoginClientError/providers``; `account-merged`, with
    ///   ``LoginClientError/mergedInto``; other refusals of the service.
    public func merge(
        from source: ClientSession,
        conflicts: ClientMergeConflicts = .refuse,
        idempotencyKey: String? = nil
    ) async throws -> ClientAuthResult {
        let body = MergeBody(source: try await source.validTokens().sessionToken, conflicts: conflicts)
        let result: ClientAuthResult = try await calls.content(
            "POST",
            "/v1/merge",
            body,
            idempotencyKey: idempotencyKey
        )
        try await source.forget()
        return result
    }
}

// MARK: - Account

extension ClientUser {
    /// Sets the name and the picture of the account.
    ///
    /// Later sign-ins no longer change what is set.
    ///
    /// - Parameters:
    ///   - displayName: The name, on one line of 1 to 512 bytes; nil to leave it as it is.
    ///   - photoURL: The `https` URL of a picture: at most 2,048 characters; nil to leave it as it is.
    /// - Returns: The account.
    /// - Throws: ``LoginClientError``: `invalid-profile` and other refusals of the service.
    public func updateProfile(displayName: String? = nil, photoURL: String? = nil) async throws -> ClientAccount {
        struct Body: Encodable {
            let displayName, photoURL: String?
        }
        return try await calls.content("PATCH", "/v1/account", Body(displayName: displayName, photoURL: photoURL))
    }

    /// Deletes the account with all its data, closes the session, and clears the cache.
    ///
    /// It requires a recent login.
    ///
    /// - Throws: ``LoginClientError``; rethrows errors of the cache, after the account was deleted.
    public func deleteAccount() async throws {
        try await calls.perform("DELETE", "/v1/account")
        try await session.forget()
    }

    /// Returns all stored data of the user.
    ///
    /// It requires a recent login.
    ///
    /// - Returns: The data, as JSON to save in a file.
    /// - Throws: ``LoginClientError``: `too-many-requests` after five exports in an hour; other refusals of the service.
    public func personalData() async throws -> [UInt8] { try await calls.perform("GET", "/v1/account/data").body }

    /// Sets or changes the password of the account, and closes all other sessions.
    ///
    /// It requires a recent login.
    ///
    /// - Parameters:
    ///   - password: The password: at most 1,024 characters.
    ///   - email: The e-mail address of the password, for an account without one; otherwise nil.
    /// - Returns: The result.
    /// - Throws: ``LoginClientError``: `weak-password`, `invalid-email`, `email-already-in-use` and other refusals of the
    ///   service.
    public func setPassword(_ password: String, email: String? = nil) async throws -> ClientAuthResult {
        struct Body: Encodable {
            let password: String
            let email: String?
        }
        return try await calls.content("PUT", "/v1/account/password", Body(password: password, email: email))
    }

    /// Sends a message with which the user verifies the e-mail address of the password.
    ///
    /// - Throws: ``LoginClientError``: `no-such-provider` for an account without a password; other refusals of the
    ///   service.
    public func sendEmailVerification() async throws {
        try await calls.perform("POST", "/v1/account/email-verification")
    }

    /// Verifies the e-mail address with the token of the message.
    ///
    /// - Parameter token: The token.
    /// - Returns: The result.
    /// - Throws: ``LoginClientError``: `invalid-credential`, `email-already-in-use` and other refusals of the service.
    public func verifyEmail(token: String) async throws -> ClientAuthResult {
        try await calls.content("POST", "/v1/account/email-verification/confirm", ["token": token])
    }
}

// MARK: - Sessions

extension ClientUser {
    private struct Items: Decodable {
        let items: [ClientDeviceSession]
    }

    private struct Closed: Decodable {
        let closed: Int
    }

    /// Returns the session at the service, for example its level and the time of the last authentication.
    ///
    /// - Returns: The session.
    /// - Throws: ``LoginClientError``
    public func currentSession() async throws -> ClientSessionInfo { try await calls.content("GET", "/v1/session") }

    /// Returns the open sessions of the account, on all devices.
    ///
    /// - Returns: The sessions.
    /// - Throws: ``LoginClientError``
    public func sessions() async throws -> [ClientDeviceSession] {
        let list: Items = try await calls.content("GET", "/v1/sessions")
        return list.items
    }

    /// Closes a session of the account, for example on a lost phone.
    ///
    /// - Parameter id: The ID of the session.
    /// - Throws: ``LoginClientError``: `not-found` if the account has no such session; other refusals of the service.
    public func closeSession(_ id: String) async throws {
        try await calls.perform("DELETE", "/v1/sessions/\(PercentEncoding.encode(id))")
    }

    /// Closes all other sessions of the account.
    ///
    /// - Returns: The number of closed sessions.
    /// - Throws: ``LoginClientError``
    @discardableResult
    public func closeOtherSessions() async throws -> Int {
        let answer: Closed = try await calls.content("DELETE", "/v1/sessions")
        return answer.closed
    }
}
