// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension ClientSession {
    /// Reads the tokens of an earlier session from the cache.
    ///
    /// - Returns: The state: ``ClientSessionState/createdTokenLoaded`` if there are tokens.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is new; `other-service` if the tokens belong
    ///   to another service. Rethrows errors of the cache, for example if its content is invalid: clear it then, and
    ///   sign in.
    @discardableResult
    public func load() async throws -> ClientSessionState {
        try require(state == .created)
        guard let found = try await cache.fetch() else { return state }
        guard ServiceCalls.normalized(found.service) == service.url else { throw LoginClientError(.otherService) }
        try advance(by: .tokenLoaded, with: found)
        return state
    }

    /// Opens the session with the cached tokens.
    ///
    /// Tokens that have not expired need no request. If the service refuses the tokens for good, the sign-in has
    /// failed, and the cache is cleared; after other errors, the call can be repeated.
    ///
    /// - Throws: ``LoginClientError``: `invalid-state` unless tokens are loaded; `user-token-expired` and
    ///   `invalid-user-token` if the session has expired or was closed; `service-unreachable`; other refusals of the
    ///   service. Rethrows errors of the cache.
    public func open() async throws {
        guard state == .createdTokenLoaded, let tokens else { throw LoginClientError(.invalidState) }
        if tokens.expiresAt > now() {
            try advance(by: .opened)
        } else {
            _ = try await renew(tokens)
        }
    }

    /// Begins to sign in with a provider.
    ///
    /// - Parameter provider: The name of the provider in the configuration of the service.
    /// - Returns: The attempt, with the nonce for the provider.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is new; `service-unreachable`; refusals of
    ///   the service. Rethrows errors of the cache if it cannot store tokens; no request is sent then.
    public func begin(provider: String) async throws -> ClientAttempt {
        try require(state == .created)
        try await cache.prepare()
        let attempt = try await performStep { try await service.beginAttempt(provider: provider) }
        try advance(by: .openingBegan)
        self.provider = provider
        return attempt
    }

    /// Signs in with a credential.
    ///
    /// A token of a provider completes the attempt that ``begin(provider:)`` has returned, and a refusal closes the
    /// session. A password, a code or a pending credential needs no attempt; after a refusal the user can try again in
    /// the same session, until ``cancelSignIn(because:)`` gives up.
    ///
    /// - Parameter credential: The credential. An ID token contains the nonce of its attempt.
    /// - Returns: The outcome. ``ClientSignInOutcome/accountExists(_:)`` closes this session.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is new, or a sign-in has begun;
    ///   `invalid-credential` if the token is refused; `wrong-password`; `service-unreachable`; other refusals of the
    ///   service. Rethrows errors of the cache.
    public func signIn(with credential: ClientCredential) async throws -> ClientSignInOutcome {
        let hasAttempt = credential.attempt != nil
        if hasAttempt {
            try require(state == .createdOpening)
        } else {
            try await beginSignIn(with: credential.provider)
        }
        switch try await performStep(closing: hasAttempt, { try await service.signIn(with: credential) }) {
        case .signedIn(let answer): return .signedIn(try await completeSignIn(with: answer))
        case .secondFactorRequired(let resolver):
            try require(state == .createdOpening)
            wait(for: resolver)
            return .secondFactorRequired(resolver)
        case .accountExists(let pending):
            try advance(by: .loginFailed, because: LoginClientError(.accountExists))
            return .accountExists(pending)
        }
    }

    /// Signs in as a guest: creates an anonymous account, which its first linked login makes permanent.
    ///
    /// - Returns: The result.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is new, or a sign-in has begun;
    ///   `operation-not-allowed` if the service has no guests; `service-unreachable`; other refusals of the service.
    ///   Rethrows errors of the cache.
    public func signInAnonymously() async throws -> ClientAuthResult {
        try await beginSignIn(with: "")
        return try await completeSignIn(with: service.signInAnonymously())
    }

    /// Creates an account with an e-mail address and a password, and signs in to it.
    ///
    /// After a refusal the user can try again in the same session.
    ///
    /// - Parameters:
    ///   - email: The e-mail address: at most 256 characters.
    ///   - password: The password: at most 1,024 characters.
    /// - Returns: The result.
    /// - Throws: ``LoginClientError``: `invalid-state` unless the session is new, or a sign-in has begun;
    ///   `email-already-in-use`, `weak-password`, `invalid-email`; `operation-not-allowed` if the service has no
    ///   passwords; `service-unreachable`; other refusals of the service. Rethrows errors of the cache.
    public func signUp(email: String, password: String) async throws -> ClientAuthResult {
        try await beginSignIn(with: "password")
        return try await completeSignIn(with: service.signUp(email: email, password: password))
    }

    /// Sends a code to a phone, to sign in with ``ClientCredential/phone(verificationID:code:)``.
    ///
    /// - Parameter number: The phone number with the country code: at most 32 characters.
    /// - Returns: The challenge, whose ID is the verification ID.
    /// - Throws: ``LoginClientError``: `service-unreachable`; refusals of the service.
    public func sendPhoneCode(to number: String) async throws -> ClientChallenge {
        try await service.sendPhoneCode(to: number)
    }

    /// Sends a message to reset a password, if there is an account with the address.
    ///
    /// It works in every state. The response does not reveal whether there is an account.
    ///
    /// - Parameter email: The e-mail address.
    /// - Throws: ``LoginClientError``: `invalid-email`; `operation-not-allowed` if the service has no passwords;
    ///   `service-unreachable`; other refusals of the service.
    public func sendPasswordReset(to email: String) async throws { try await service.sendPasswordReset(to: email) }

    /// Sets a new password with the token of a message, and closes all sessions of the account at the service.
    ///
    /// It works in every state, and does not sign in.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - password: The new password: at most 1,024 characters.
    /// - Throws: ``LoginClientError``: `invalid-credential` if the token is invalid or has expired; `weak-password`;
    ///   `service-unreachable`; other refusals of the service.
    public func resetPassword(token: String, to password: String) async throws {
        try await service.resetPassword(token: token, to: password)
    }

    /// Sends a code to a phone, for a sign-in that waits for its second factor.
    ///
    /// - Parameters:
    ///   - hint: The phone.
    ///   - resolver: The sign-in.
    /// - Returns: The challenge, for ``ClientSecondFactor/phone(challengeID:code:)``.
    /// - Throws: ``LoginClientError``: `invalid-state` unless a sign-in has begun; `service-unreachable`; refusals of
    ///   the service.
    public func sendCode(to hint: ClientResolver.Hint, for resolver: ClientResolver) async throws -> ClientChallenge {
        try require(state == .createdOpening)
        return try await performStep { try await service.challenge(resolver, uid: hint.uid) }
    }

    /// Completes a sign-in with the second factor.
    ///
    /// After `invalid-verification-code` the user can try another code.
    ///
    /// - Parameters:
    ///   - resolver: The sign-in.
    ///   - factor: The second factor.
    /// - Returns: The result.
    /// - Throws: ``LoginClientError``: `invalid-state` unless a sign-in has begun; `invalid-verification-code`;
    ///   `invalid-multi-factor-session` after the last attempt; `service-unreachable`; other refusals of the service.
    ///   Rethrows errors of the cache.
    public func complete(_ resolver: ClientResolver, with factor: ClientSecondFactor) async throws -> ClientAuthResult {
        try require(state == .createdOpening)
        return try await completeSignIn(with: performStep { try await service.resolve(resolver, with: factor) })
    }

    /// Gives up a sign-in, for example because the user cancelled it at the provider.
    ///
    /// - Parameter error: The reason for the handler; nil for none.
    /// - Throws: ``LoginClientError`` with the code `invalid-state` if the session has opened or was closed.
    public func cancelSignIn(because error: (any Error)? = nil) throws {
        try advance(by: .loginFailed, because: error)
    }

    /// Begins a sign-in that needs no attempt, or repeats one.
    private func beginSignIn(with provider: String) async throws {
        try require(state == .created || state == .createdOpening)
        try await cache.prepare()
        if state == .created { try advance(by: .openingBegan) }
        try require(state == .createdOpening)
        self.provider = provider
    }

    /// Stores the tokens of a sign-in, and opens the session; revokes them if that fails.
    private func completeSignIn(with answer: ServiceCalls.Opened) async throws -> ClientAuthResult {
        let new = answer.signedIn.cached(
            by: service.url,
            provider: provider,
            permissions: answer.result.account.permissions(of: provider),
            at: now()
        )
        let update = updates.add { try await self.storeAndOpen(with: new) }
        do {
            try await update.value
        } catch {
            // Nobody would have the tokens.
            try? await service.signOut(new.sessionToken)
            if !state.isTerminal { try advance(by: .loginFailed, because: error) }
            throw error
        }
        return answer.result
    }

    /// Stores the first tokens and opens the session, unless the sign-in has been given up.
    private func storeAndOpen(with new: CachedTokens) async throws {
        try require(state == .createdOpening)
        try await cache.cache(new)
        do {
            try advance(by: .opened, with: new)
        } catch {
            try await sharedCache.discard(new)
            throw error
        }
    }

    /// Performs a step of a sign-in, and closes the session if the service refuses the step for good.
    ///
    /// - Parameters:
    ///   - isFinal: Whether a refusal closes the session; false if the user can try another password or code.
    ///   - step: The step.
    /// - Returns: The result of the step.
    /// - Throws: Rethrows errors of the step.
    private func performStep<Value>(
        closing isFinal: Bool = true,
        _ step: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await step()
        } catch let error as LoginClientError where isFinal && error.isFinal && !Self.repeatable.contains(error.code) {
            if !state.isTerminal { try advance(by: .loginFailed, because: error) }
            throw error
        }
    }

    /// The refusals of a second factor after which the user can try again.
    private static let repeatable: [LoginClientError.Code] = [
        .invalidVerificationCode, .invalidVerificationID, .verificationCodeExpired, .secondFactorNotFound,
    ]
}
