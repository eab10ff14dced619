// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension LoginManager {
    /// Ends a login with what the browser brings back.
    ///
    /// The attempt is looked for first, and it is used up whatever comes of it: an answer is judged once. All else must fit what
    /// the attempt remembers.
    ///
    /// It asks other servers where the login needs it: a token endpoint for 10 seconds at most, Facebook's Graph API (three calls
    /// after a login with tracking) for 20 seconds in all, and whoever has the keys.
    ///
    /// - Parameters:
    ///   - callback: What the browser brings.
    ///   - purpose: What the login is for, as the *current* request has it.
    ///   - binding: Whose browser it is, by the cookie that the *current* request carries.
    /// - Returns: How the login ended.
    /// - Throws: Only what the store of attempts throws when it cannot be asked. Whether the attempt is used up is not known then.
    public func finish(
        _ callback: LoginCallback,
        purpose: NoncePurpose,
        binding: NonceBinding
    ) async throws -> LoginResult {
        let parameters: CallbackParameters
        let state: LoginState
        do throws(LoginFailure) {
            parameters = try Self.parameters(of: callback)
            state = try Self.state(in: parameters)
        } catch {
            return .failed(error)
        }
        let use = try await attempts.take(state.id, purpose: purpose, binding: binding)
        do throws(LoginFailure) {
            let sealed = try Self.sealed(in: use)
            guard let attempt = state.open(sealed, purpose: purpose, binding: binding) else {
                throw LoginFailure(.stateUnknown, "what the store gave back is not what it was given")
            }
            return try await finish(attempt, parameters)
        } catch {
            return .failed(error)
        }
    }

    private func finish(
        _ attempt: AttemptContent,
        _ parameters: CallbackParameters
    ) async throws(LoginFailure) -> LoginResult {
        guard isEqual(attempt.client, client.name), isEqual(attempt.redirectURL, redirectURL) else {
            throw LoginFailure(.issuerMismatch, "the login began at another provider, or as another client")
        }
        try checkIssuer(parameters)
        if try parameters.isCancelled() { return .cancelled(LoginCancellation(returnTo: attempt.returnTo)) }
        switch client.kind {
        case .facebook(let app) where attempt.tracking == .limited:
            return .success(try await finishLimited(app, attempt, parameters))
        case .facebook(let app):
            return .success(try await finishTracked(app, attempt, parameters))
        case .openID(let client):
            return .success(try await finishOpenID(client, attempt, parameters))
        }
    }

    private static func parameters(of callback: LoginCallback) throws(LoginFailure) -> CallbackParameters {
        do throws(LoginCallback.Problem) {
            return try callback.read()
        } catch {
            throw LoginFailure(.callback, error.detail)
        }
    }

    private static func state(in parameters: CallbackParameters) throws(LoginFailure) -> LoginState {
        guard let text = parameters["state"] else { throw Self.noState }
        guard let state = LoginState(text) else {
            throw LoginFailure(.stateUnknown, "no state of ours looks like that")
        }
        return state
    }

    private static var noState: LoginFailure {
        LoginFailure(.callback, "it has no state; a Limited Login answers in the fragment, which a page has to post")
    }

    private static func sealed(in use: AttemptUse) throws(LoginFailure) -> [UInt8] {
        switch use {
        case .taken(let sealed): return sealed
        case .replayed: throw LoginFailure(.replayed, "the attempt has ended before")
        case .expired: throw LoginFailure(.expired, "the attempt has expired")
        case .startedElsewhere:
            throw LoginFailure(.startedElsewhere, "the attempt was begun by another browser or for another purpose")
        case .unknown: throw LoginFailure(.stateUnknown, "no such attempt was begun here, or long ago")
        }
    }

    /// The provider that answers is the one that was asked (RFC 9207 §2.4): else the code of one provider could be carried to the
    /// token endpoint of another, who would read it there.
    private func checkIssuer(_ parameters: CallbackParameters) throws(LoginFailure) {
        guard let issuer = parameters["iss"] else {
            guard !client.mustNameIssuer else {
                throw LoginFailure(.issuerMismatch, "the answer does not name its issuer, and the provider always does")
            }
            return
        }
        guard client.isIssuer(issuer) else {
            throw LoginFailure(.issuerMismatch, "the answer is of \(quoted(issuer)), who was not asked")
        }
    }
}

// MARK: - By provider

extension LoginManager {
    /// The answer is the ID token itself.
    private func finishLimited(
        _ app: FacebookApp,
        _ attempt: AttemptContent,
        _ parameters: CallbackParameters
    ) async throws(LoginFailure) -> LoginSuccess {
        let idToken = try parameters.only("id_token")
        let token = try await verify(idToken, attempt)
        try check(token, attempt, parameters)
        let permissions = try parameters.permissions(requested: attempt.permissions, token: token)
        return LoginSuccess(
            token: token,
            idToken: idToken,
            authenticationToken: try Self.authenticationToken(idToken, token),
            accessToken: nil,
            providerTokens: nil,
            grantedPermissions: permissions.granted,
            declinedPermissions: permissions.declined,
            permissionSource: permissions.source,
            returnTo: attempt.returnTo
        )
    }

    /// The answer is a code; Facebook gives out the tokens for it, and says itself what was granted.
    private func finishTracked(
        _ app: FacebookApp,
        _ attempt: AttemptContent,
        _ parameters: CallbackParameters
    ) async throws(LoginFailure) -> LoginSuccess {
        let code = try parameters.only("code")
        guard let verifier = attempt.codeVerifier else {
            throw LoginFailure(.stateUnknown, "the attempt has no code verifier, so that none of ours began it")
        }
        let graph = GraphAPI(app: app, transport: transport, wallClock: clock).ending(within: GraphLimits.loginDeadline)
        let exchange: CodeExchange
        do throws(GraphError) {
            exchange = try await graph.exchange(code: code, redirectURL: attempt.redirectURL, verifier: verifier.value)
        } catch {
            // An answer there was: to begin anew brings the same one.
            let isAnswer = error.category == .unavailable && error.status == 200
            if isAnswer { throw LoginFailure(.exchangeAnswer, error.finding) }
            throw LoginFailure(error, otherwise: .exchangeRefused)
        }
        guard let idToken = exchange.idToken, !idToken.isEmpty else {
            throw LoginFailure(.exchangeAnswer, "Facebook gave out no ID token")
        }
        let token = try await verify(idToken, attempt, accessToken: exchange.accessToken, code: code)
        try check(token, attempt, parameters)
        let accessToken = try await accessToken(exchange, of: token, graph)
        let asked = attempt.permissions
        return LoginSuccess(
            token: token,
            idToken: idToken,
            authenticationToken: try Self.authenticationToken(idToken, token),
            accessToken: accessToken,
            providerTokens: nil,
            grantedPermissions: accessToken.permissions.subtracting([.openID]),
            declinedPermissions: accessToken.declinedPermissions.intersection(asked),
            permissionSource: .graph,
            returnTo: attempt.returnTo
        )
    }

    private func finishOpenID(
        _ client: OpenIDClient,
        _ attempt: AttemptContent,
        _ parameters: CallbackParameters
    ) async throws(LoginFailure) -> LoginSuccess {
        let code = try parameters.only("code")
        let answer = try await client.exchange(code: code, attempt: attempt, transport: transport)
        let token = try await verify(answer.idToken, attempt, accessToken: answer.tokens.accessToken, code: code)
        try check(token, attempt, parameters)
        return LoginSuccess(
            token: token,
            idToken: answer.idToken,
            authenticationToken: nil,
            accessToken: nil,
            providerTokens: answer.tokens,
            grantedPermissions: [],
            declinedPermissions: [],
            permissionSource: .provider,
            returnTo: attempt.returnTo
        )
    }

    /// What is known of an access token that came for a code.
    ///
    /// That there is one says nothing: those of logins that Facebook limits by itself exist, and Graph takes none of them. So
    /// Facebook is asked about it, and where the app has a secret also whose it is.
    private func accessToken(
        _ exchange: CodeExchange,
        of token: VerifiedToken,
        _ graph: GraphAPI
    ) async throws(LoginFailure) -> AccessToken {
        let now = clock.now
        var accessToken = AccessToken(
            tokenString: exchange.accessToken,
            permissions: [],
            appID: graph.app.id,
            userID: token.subject,
            expirationDate: exchange.lifetime.map { now.addingTimeInterval($0 / .seconds(1)) },
            refreshDate: now,
            dataAccessExpirationDate: nil
        )
        do throws(GraphError) {
            if graph.app.secret != nil { accessToken = try await graph.debug(exchange.accessToken) }
            guard isEqual(accessToken.userID, token.subject) else {
                throw GraphError(.foreignToken, "the access token is another person's than the ID token")
            }
            let statuses = try await graph.permissions(of: accessToken)
            accessToken = accessToken.with(statuses, at: now)
        } catch {
            throw LoginFailure(error, otherwise: error.category == .foreignToken ? .userMismatch : .accessToken)
        }
        guard graph.app.secret != nil || exchange.lifetime != nil else {
            throw LoginFailure(.exchangeAnswer, "Facebook does not say when the access token ends")
        }
        return accessToken
    }

    private func verify(
        _ idToken: String,
        _ attempt: AttemptContent,
        accessToken: String? = nil,
        code: String? = nil
    ) async throws(LoginFailure) -> VerifiedToken {
        let age = attempt.maximumAuthenticationAge.map { Duration.seconds($0) }
        guard let policy = try? client.policy(maximumAuthenticationAge: age) else {
            preconditionFailure("the policy was made before, when the manager was")
        }
        let verifier = TokenVerifier(policy: policy, keys: keys, clock: clock)
        do throws(VerificationError) {
            return try await verifier.verify(
                idToken,
                nonce: .exactly(attempt.nonce),
                accessToken: accessToken.map { .ifPresent($0) },
                code: code.map { .ifPresent($0) }
            )
        } catch {
            switch error {
            case .refused(let refusal): throw LoginFailure(refusal)
            case .undecided(let unavailable): throw LoginFailure(.unavailable, unavailable.description)
            }
        }
    }

    /// Who it is, says the token alone.
    private func check(
        _ token: VerifiedToken,
        _ attempt: AttemptContent,
        _ parameters: CallbackParameters
    ) throws(LoginFailure) {
        guard attempt.expectedUser.map({ isEqual($0, token.subject) }) ?? true else {
            throw LoginFailure(.userMismatch, "the token is about somebody else than had to log in")
        }
        guard parameters["user_id"].map({ isEqual($0, token.subject) }) ?? true else {
            throw LoginFailure(.userMismatch, "the browser names somebody else than the token (user_id)")
        }
    }

    private static func authenticationToken(
        _ idToken: String,
        _ token: VerifiedToken
    ) throws(LoginFailure) -> AuthenticationToken {
        guard let claims = AuthenticationTokenClaims(token) else {
            preconditionFailure("the policy asks for Facebook's tokens, and for their jti")
        }
        return AuthenticationToken(tokenString: idToken, claims: claims)
    }
}

extension AttemptContent {
    /// What the person was asked for.
    fileprivate var permissions: Set<Permission> {
        Set(scopes.map(Permission.init(rawValue:))).subtracting([.openID])
    }
}

extension LoginFailure {
    /// What Graph's refusal makes of a login.
    fileprivate init(_ error: GraphError, otherwise code: Code) {
        // What the error advises is for callers of Graph: here there is no token to drop.
        self.init(error.category.isPassing ? .unavailable : code, error.finding)
    }
}
