// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders
internal import LoginTokens

/// Browser logins at providers, for accounts: the redirect to a provider, and the sign-in with the response.
///
/// The two halves may run on different servers. In between, the browser stores the secret of the attempt in an
/// encrypted cookie, and the store has the rest.
struct BrowserLogin: Sendable {
    let auth: Auth

    /// The public URL of the service, without a slash at its end.
    let publicURL: String

    /// Creates the browser logins of a service, at the providers of `auth`.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - publicURL: The public URL of the service, for example `https://login.example.com`.
    init(auth: Auth, publicURL: String) {
        self.auth = auth
        self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    }

    /// A login that has begun.
    struct Started: Sendable {
        /// The URL for the browser.
        let url: String

        /// The content of the cookie.
        let pendingLogin: PendingLogin

        /// The tag of the attempt, which names the cookie.
        let tag: String

        /// Whether the provider responds with a posted form.
        let postsForm: Bool
    }

    /// The outcome of a login without an error.
    enum Outcome: Sendable {
        /// The credential of a sign-in was accepted.
        case signIn(SignInOutcome, returnTo: String?)
        /// The login is linked.
        case linked(AuthDataResult)
        /// The user was reauthenticated.
        case reauthenticated(AuthDataResult, returnTo: String?)
        /// The permissions of a login were changed, or the user declined the requested one.
        case permissionsChanged(PermissionChange, AuthDataResult, returnTo: String?)
        /// The user cancelled.
        case cancelled(purpose: PendingLogin.Purpose, returnTo: String?)
    }

    /// The reason why a callback continues no login of the browser.
    enum Stray: Sendable {
        /// The browser has no such login, or the login has expired.
        case unknown
        /// Another callback has ended the login.
        case finished
    }

    /// The failure of a login, with its return path.
    struct Failure: Error, Sendable {
        /// The problem.
        let problem: Problem

        /// The error of the accounts; nil if the login failed before.
        let error: AuthError?

        /// The purpose of the login.
        let purpose: PendingLogin.Purpose

        /// The return path; nil if the login failed before it was known.
        var returnTo: String?

        /// The reason for a failure at the provider, for the operator; nil for any other failure.
        var reason: LoginFailure?

        /// Why the callback continues no login of the browser; nil if it does.
        var stray: Stray?

        /// Whether the callback has claimed the attempt of the login: no other callback can complete it.
        var endsAttempt = false
    }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - purpose: The purpose, with its session if it needs one.
    ///   - provider: The name of the provider.
    ///   - returnTo: The path of this site for the user after the login.
    ///   - isRecent: Whether a sign-in requires a recent authentication, as linking does.
    ///   - change: The change of permissions that a reauthentication is for; nil for none.
    /// - Returns: The URL and the cookie for the browser.
    /// - Throws: ``Problem`` with the code `not-found` for a provider that is not declared; `AuthError` if the provider
    ///   is switched off or its metadata is unavailable; `LoginManagerError` if it is misconfigured. Rethrows errors of
    ///   the store of attempts.
    func begin(
        _ purpose: AttemptPurpose,
        at provider: String,
        returnTo: String?,
        isRecent: Bool = false,
        changing change: PermissionChange? = nil
    ) async throws -> Started {
        let provider = try self.provider(provider)
        let started = try await logins(at: provider, for: purpose).begin(
            request(for: change, to: provider) ?? request(purpose, to: provider, isRecent: isRecent),
            purpose: purpose.noncePurpose,
            returnTo: returnTo
        )
        let kind: PendingLogin.Purpose =
            switch purpose {
            case .signIn: .signIn
            case .link: .link
            case .reauthenticate: change.map(PendingLogin.Purpose.permissions) ?? .reauthenticate
            }
        return Started(
            url: started.url,
            pendingLogin: PendingLogin(
                secret: started.secret,
                purpose: kind,
                returnTo: returnTo.flatMap { LocalPath($0) }
            ),
            tag: PendingLogins.tag(of: started.attempt),
            postsForm: provider.request.responseMode == .formPost
        )
    }

    /// Finishes a login with the callback of the browser.
    ///
    /// The session must be the one in which the login began. Otherwise an attacker could have a login linked to another
    /// user's account, or another user's login linked to the attacker's account.
    ///
    /// - Parameters:
    ///   - callback: The parameters of the callback.
    ///   - provider: The name of the provider in the path of the request.
    ///   - pendingLogin: The content of the cookie; nil if there is none.
    ///   - session: The session of the request; nil if nobody is signed in.
    ///   - origin: The origin of the request.
    /// - Returns: The outcome.
    /// - Throws: ``Failure``; ``Problem`` for a provider that is not declared; `AuthError` if the provider is switched
    ///   off or its metadata is unavailable; `LoginManagerError` if it is misconfigured. Rethrows errors of the store
    ///   of attempts.
    func finish(
        _ callback: LoginCallback,
        at provider: String,
        _ pendingLogin: PendingLogin?,
        session: Session?,
        from origin: RequestOrigin
    ) async throws -> Outcome {
        let provider = try self.provider(provider)
        guard let pendingLogin else {
            let (code, detail) = (try await auth.fault(of: callback), "the browser sent no cookie of a login")
            auth.providers.report(LoginEvent(refused: LoginFailure(code, detail), of: provider.id))
            let error = AuthError(.missingOrInvalidNonce(code), detail, provider: provider.id)
            throw Failure(problem: Problem(error), error: error, purpose: .signIn, stray: .unknown)
        }
        let kind = pendingLogin.purpose
        let purpose = try Self.purpose(kind, session)
        let result = try await logins(at: provider, for: purpose).finish(
            callback,
            purpose: purpose.noncePurpose,
            secret: pendingLogin.secret
        )
        switch result {
        case .cancelled(let cancellation):
            return .cancelled(purpose: kind, returnTo: cancellation.returnTo)
        case .failed(let failure):
            throw Failure(failure, purpose: kind, returnTo: pendingLogin.returnTo?.text)
        case .success(let login):
            do throws(AuthError) {
                if case .permissions(let change) = kind, case .reauthenticate(let session) = purpose {
                    return try await make(change, with: login, in: session, from: origin)
                }
                return try await complete(.identity(login.identity), purpose, from: origin, returnTo: login.returnTo)
            } catch {
                throw Failure(
                    problem: Problem(error),
                    error: error,
                    purpose: kind,
                    returnTo: login.returnTo,
                    endsAttempt: true
                )
            }
        }
    }

    /// Returns the failure of a callback of a login that has ended before, and not in the session of the request.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider in the path of the request.
    ///   - returnTo: The return path of the login.
    /// - Returns: The failure, with status 403 as without a cookie.
    /// - Throws: ``Problem`` for a provider that is not declared.
    func finishedBefore(at provider: String, returnTo: LocalPath) throws(Problem) -> Failure {
        let id = try self.provider(provider).id
        let detail = "the login was finished before, and not in the session of the request"
        auth.providers.report(LoginEvent(refused: LoginFailure(.replayed, detail), of: id))
        let error = AuthError(.missingOrInvalidNonce(.replayed), detail, provider: id)
        return Failure(
            problem: Problem(error),
            error: error,
            purpose: .signIn,
            returnTo: returnTo.text,
            stray: .finished
        )
    }

    /// Returns the authorization request for a purpose.
    ///
    /// A reauthentication makes the provider authenticate the user again. Linking does so unless the authentication is
    /// recent.
    private func request(_ purpose: AttemptPurpose, to provider: SignInProvider, isRecent: Bool) throws -> LoginRequest
    {
        // The other half of the time is for the callback, and for the user's next step.
        let age = auth.policy.linking.recentLogin / 2
        let (request, identityProvider) = (provider.request, provider.provider)
        return switch purpose {
        case .signIn where isRecent: request.authenticating(at: identityProvider, within: age)
        case .signIn where identityProvider.reauthentication.authenticationTime == .required:
            // With any maximum age, the provider must return `auth_time` (OpenID Connect Core §2).
            request.authenticating(at: identityProvider, within: .seconds(Int32.max))
        case .signIn: request
        case .link: request.authenticating(at: identityProvider, within: age)
        case .reauthenticate: try request.reauthenticating(at: identityProvider, within: age)
        }
    }

    private func complete(
        _ credential: AuthCredential,
        _ purpose: AttemptPurpose,
        from origin: RequestOrigin,
        returnTo: String?
    ) async throws(AuthError) -> Outcome {
        switch purpose {
        case .signIn:
            return .signIn(try await auth.signIn(with: credential, from: origin), returnTo: returnTo)
        case .link(let session):
            return .linked(try await session.link(with: credential, from: origin))
        case .reauthenticate(let session):
            let result = try await session.reauthenticate(with: credential, from: origin)
            return .reauthenticated(result, returnTo: returnTo)
        }
    }

    private func provider(_ name: String) throws(Problem) -> SignInProvider {
        guard let provider = auth.providers.offeringBrowserLogin(named: name) else { throw Problem(.notFound) }
        return provider
    }

    private func logins(at provider: SignInProvider, for purpose: AttemptPurpose) async throws -> LoginManager {
        guard auth.allows(provider.id) else {
            throw AuthError(.operationNotAllowed, "the provider is switched off", provider: provider.id)
        }
        do {
            return try await auth.providers.loginManager(
                for: provider.id,
                redirectURL: provider.id.redirectURI(at: publicURL),
                attempts: auth.attempts(for: purpose),
                // The site's own public URL, whatever the provider's is.
                allowsLoopbackRedirect: true
            )
        } catch let error as ProviderMetadataError {
            throw AuthError(
                .providerUnavailable,
                "the metadata of \(provider.id) is unavailable: \(error)",
                provider: provider.id
            )
        }
    }

    private static func purpose(_ kind: PendingLogin.Purpose, _ session: Session?) throws(Failure) -> AttemptPurpose {
        switch (kind, session) {
        case (.signIn, _): return .signIn
        case (.link, let session?): return .link(session)
        case (.reauthenticate, let session?), (.permissions, let session?): return .reauthenticate(session)
        case (.link, nil), (.reauthenticate, nil), (.permissions, nil):
            throw Failure(problem: Problem(.missingSession), error: nil, purpose: kind)
        }
    }
}

extension BrowserLogin.Failure {
    /// Creates the failure of a login that failed at the provider.
    init(_ reason: LoginFailure, purpose: PendingLogin.Purpose, returnTo: String? = nil) {
        self.init(
            problem: Self.problem(of: reason),
            error: nil,
            purpose: purpose,
            returnTo: returnTo,
            reason: reason,
            stray: Self.stray(reason.code),
            endsAttempt: reason.endsAttempt
        )
    }

    private static func stray(_ code: LoginFailure.Code) -> BrowserLogin.Stray? {
        switch code {
        case .replayed: .finished
        case .expired, .stateUnknown: .unknown
        default: nil
        }
    }

    private static func problem(of failure: LoginFailure) -> Problem {
        // No `Retry-After`: the same callback cannot be repeated, the user begins again.
        if failure.isRetryable { return Problem(ProblemCode(.providerUnavailable)) }
        if failure.isMisconfigured { return Problem(ProblemCode(.internalError)) }
        return Problem(ProblemCode(.invalidCredential), failure.publicMessage)
    }
}

extension SignInProviders {
    /// Returns the provider of this name, compared byte for byte; nil if none is declared that offers browser logins.
    ///
    /// The provider may be switched off.
    func offeringBrowserLogin(named name: String) -> SignInProvider? {
        all.first { $0.offersBrowserLogin && $0.id.rawValue.utf8.elementsEqual(name.utf8) }
    }
}
#endif
