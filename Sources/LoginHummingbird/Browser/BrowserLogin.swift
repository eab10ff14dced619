// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
public import LoginAccounts
public import LoginProviders
internal import LoginTokens

/// Signs people in by their browsers: sends them to a provider, and takes what they bring back to their accounts.
///
/// Each half is a call. Between them the browser keeps the secret of the attempt, in a cookie that only this service can read, and
/// the store keeps the rest; so the second half may happen on another server.
public struct BrowserLogin: Sendable {
    /// A provider where people log in by browser.
    public struct Provider: Sendable {
        /// Under which name its logins are kept: one of those of `Auth`.
        public let id: ProviderID

        /// What the pages call it.
        public let name: String

        /// What sends people there; asked with each login, since a provider may have to be asked about itself first.
        public let manager: @Sendable () async throws -> LoginManager

        /// What is asked for.
        public let request: LoginRequest

        /// Whether it has the browser post a form (`form_post`), as Apple does.
        public let postsForm: Bool

        /// Where its dialogs are, as browsers write origins: `https://accounts.example.com`.
        public let origins: @Sendable () -> [String]

        /// A provider.
        ///
        /// - Parameters:
        ///   - id: Under which name its logins are kept.
        ///   - name: What the pages call it.
        ///   - origins: Where its dialogs are: pages allow forms to lead there. Browsers look at the whole way, so name each host on it.
        ///   - request: What is asked for.
        ///   - postsForm: Whether it has the browser post a form.
        ///   - manager: What sends people there. Its attempts are best kept in the store (`Auth.loginAttempts`).
        public init(
            id: ProviderID,
            name: String,
            origins: [String],
            request: LoginRequest,
            postsForm: Bool = false,
            manager: LoginManager
        ) {
            self.init(id: id, name: name, request: request, postsForm: postsForm, origins: { origins }) { manager }
        }

        /// A provider that may have to be asked about itself first.
        ///
        /// - Parameters:
        ///   - id: Under which name its logins are kept.
        ///   - name: What the pages call it.
        ///   - request: What is asked for.
        ///   - postsForm: Whether it has the browser post a form.
        ///   - origins: Where its dialogs are, as far as that is known now.
        ///   - manager: What sends people there. What it throws, a person is told as `provider-unavailable`.
        public init(
            id: ProviderID,
            name: String,
            request: LoginRequest,
            postsForm: Bool = false,
            origins: @escaping @Sendable () -> [String],
            manager: @escaping @Sendable () async throws -> LoginManager
        ) {
            self.id = id
            self.name = name
            self.request = request
            self.postsForm = postsForm
            self.origins = origins
            self.manager = manager
        }
    }

    /// The providers, in the order of the pages.
    public let providers: [Provider]

    let auth: Auth

    /// Logins by browser.
    ///
    /// - Parameters:
    ///   - auth: Whose accounts they are.
    ///   - providers: Where people log in, in the order of the pages.
    public init(auth: Auth, providers: [Provider]) {
        self.auth = auth
        self.providers = providers
    }

    /// A login that has begun.
    package struct Started: Sendable {
        /// Where to send the browser.
        package let url: String

        /// What the browser keeps meanwhile.
        package let waiting: WaitingLogin

        /// Whether the provider has the browser post a form.
        package let postsForm: Bool
    }

    /// How a login ended where nothing was wrong with it.
    package enum Outcome: Sendable {
        /// The credential of a sign-in was accepted.
        case signIn(SignInOutcome, returnTo: String?)
        /// The login is linked.
        case linked(AuthDataResult)
        /// The user of the session was authenticated again.
        case reauthenticated(AuthDataResult, returnTo: String?)
        /// The person does not want to.
        case cancelled(purpose: WaitingLogin.Purpose, returnTo: String?)
    }

    /// A login that ended badly, and where the person wanted to go.
    package struct Failure: Error, Sendable {
        /// What is wrong.
        package let problem: Problem

        /// What came of the account, where it came so far.
        package let error: AuthError?

        /// What it was for.
        package let purpose: WaitingLogin.Purpose

        /// The path where the user goes when the login is over, where the login came as far as to say it.
        package var returnTo: String?

        /// Why it came to nothing at the provider, for the operator; nil where it did not end there.
        package var reason: LoginFailure?
    }

    /// Begins a login.
    ///
    /// - Parameters:
    ///   - purpose: What for; a session where it is about one.
    ///   - provider: Where.
    ///   - returnTo: The path of this site where the person goes when it is over.
    ///   - isRecent: Whether a sign-in requires a recent authentication, as linking does.
    /// - Returns: Where to send the browser, and what it keeps meanwhile.
    /// - Throws: ``Problem`` with `not-found` for a provider that there is not; what `Auth.begin` and `LoginManager.begin` throw.
    package func begin(
        _ purpose: AttemptPurpose,
        at provider: String,
        returnTo: String?,
        isRecent: Bool = false
    ) async throws -> Started {
        let provider = try self.provider(provider)
        let manager = try await self.manager(of: provider)
        let attempt = try await auth.begin(purpose, with: provider.id)
        let started = try await manager.begin(
            request(purpose, to: provider, manager.provider, isRecent: isRecent),
            purpose: Self.noncePurpose(purpose),
            binding: NonceBinding(secret: attempt.token),
            returnTo: returnTo,
            nonce: attempt.nonce
        )
        let kind: WaitingLogin.Purpose =
            switch purpose {
            case .signIn: .signIn
            case .link: .link
            case .reauthenticate: .reauthenticate
            }
        return Started(
            url: started.url,
            waiting: WaitingLogin(token: attempt.token, purpose: kind),
            postsForm: provider.postsForm
        )
    }

    /// Ends a login with what the browser brings back.
    ///
    /// The session has to be the one in which it began: else somebody could have their login linked to another's account, or another's
    /// to theirs.
    ///
    /// - Parameters:
    ///   - callback: What the browser brings.
    ///   - provider: Where it comes from, by the path of the request.
    ///   - waiting: What the browser has kept; nil where it has nothing.
    ///   - session: Who is signed in; nil for nobody.
    ///   - origin: From where the request came.
    /// - Returns: How it ended.
    /// - Throws: ``Failure``; ``Problem`` for a provider that there is not; what the store of attempts throws.
    package func finish(
        _ callback: LoginCallback,
        at provider: String,
        _ waiting: WaitingLogin?,
        session: Session?,
        from origin: RequestOrigin
    ) async throws -> Outcome {
        let provider = try self.provider(provider)
        guard let waiting else {
            let error = AuthError(
                .missingOrInvalidNonce,
                "the browser began no login, or too long ago",
                provider: provider.id
            )
            throw Failure(problem: Problem(error), error: error, purpose: .signIn)
        }
        let (token, kind) = (waiting.token, waiting.purpose)
        let purpose = try Self.purpose(kind, session)
        let result = try await manager(of: provider).finish(
            callback,
            purpose: Self.noncePurpose(purpose),
            binding: NonceBinding(secret: token)
        )
        switch result {
        case .cancelled(let cancellation):
            return .cancelled(purpose: kind, returnTo: cancellation.returnTo)
        case .failed(let failure):
            throw Failure(problem: Self.problem(of: failure), error: nil, purpose: kind, reason: failure)
        case .success(let login):
            do throws(AuthError) {
                let credential = AuthCredential.idToken(login.idToken, attempt: token)
                return try await settle(credential, purpose, from: origin, returnTo: login.returnTo)
            } catch {
                throw Failure(problem: Problem(error), error: error, purpose: kind, returnTo: login.returnTo)
            }
        }
    }

    /// The request for a purpose: a reauthentication has the provider authenticate the user again, and linking has it do so unless that
    /// was recently.
    private func request(
        _ purpose: AttemptPurpose,
        to provider: Provider,
        _ description: LoginTokens.Provider,
        isRecent: Bool
    ) throws -> LoginRequest {
        // The other half is left for the way back, and for what the user does then.
        let age = auth.policy.linking.recentLogin / 2
        return switch purpose {
        case .signIn where isRecent: provider.request.authenticating(at: description, within: age)
        case .signIn where description.reauthentication.authenticationTime == .required:
            // With any maximum age the provider has to say when it authenticated the user (OpenID Connect Core §2).
            provider.request.authenticating(at: description, within: .seconds(Int32.max))
        case .signIn: provider.request
        case .link: provider.request.authenticating(at: description, within: age)
        case .reauthenticate: try provider.request.reauthenticating(at: description, within: age)
        }
    }

    private func settle(
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
            let proven = try await session.reauthenticate(with: credential, from: origin)
            return .reauthenticated(proven, returnTo: returnTo)
        }
    }

    private func provider(_ name: String) throws(Problem) -> Provider {
        guard let provider = providers.first(where: { $0.id.rawValue.utf8.elementsEqual(name.utf8) }) else {
            throw Problem(.notFound)
        }
        return provider
    }

    /// What sends people to a provider.
    private func manager(of provider: Provider) async throws(AuthError) -> LoginManager {
        do {
            return try await provider.manager()
        } catch {
            throw AuthError(.providerUnavailable, "\(provider.id.rawValue) cannot be asked for its addresses: \(error)")
        }
    }

    private static func purpose(_ kind: WaitingLogin.Purpose, _ session: Session?) throws(Failure) -> AttemptPurpose {
        switch (kind, session) {
        case (.signIn, _): return .signIn
        case (.link, let session?): return .link(session)
        case (.reauthenticate, let session?): return .reauthenticate(session)
        case (.link, nil), (.reauthenticate, nil):
            throw Failure(problem: .missingSession, error: nil, purpose: kind)
        }
    }

    private static func noncePurpose(_ purpose: AttemptPurpose) -> NoncePurpose {
        switch purpose {
        case .signIn: .signIn
        case .link(let session): .link(session: session.id.rawValue)
        case .reauthenticate(let session): .reauthenticate(session: session.id.rawValue)
        }
    }

    /// What is told of a login that failed before it came to an account.
    private static func problem(of failure: LoginFailure) -> Problem {
        if failure.isRetryable { return Problem(ProblemCode(.providerUnavailable), headers: [.retryAfter: "1"]) }
        return Problem(ProblemCode(.invalidCredential), failure.publicMessage)
    }
}
#endif
