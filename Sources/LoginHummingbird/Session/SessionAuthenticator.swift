// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
public import LoginAccounts
public import LoginTokens

/// Finds the session that a request shows, as a bearer or as a cookie.
///
/// A request that shows none passes on, and `context.requireIdentity()` refuses it where somebody is needed. One that shows a session
/// which is not open stops here, with status 401; so a handler never takes somebody for nobody. Whether a session is open is looked
/// up with each request: one that was closed on another server is closed here.
///
/// What runs behind it has the session as `Session.current` too.
public struct SessionAuthenticator<Context: LoginRequestContext>: AuthenticatorMiddleware {
    /// What becomes of a cookie whose session is over.
    public enum StaleCookie: Sendable, Hashable {
        /// The request stops, as it does with a bearer: for an API.
        case refuse
        /// The request goes on as nobody's, and the browser forgets the cookie: for pages, which show how to sign in.
        case forget
    }

    private let auth: Auth
    private let staleCookie: StaleCookie
    private let clock: any WallClock

    /// An authenticator.
    ///
    /// - Parameters:
    ///   - auth: Whose sessions they are.
    ///   - staleCookie: What becomes of a cookie whose session is over.
    ///   - clock: Who says what time it is.
    public init(_ auth: Auth, staleCookie: StaleCookie = .refuse, clock: any WallClock = .system) {
        self.auth = auth
        self.staleCookie = staleCookie
        self.clock = clock
    }

    /// The session that the request shows.
    ///
    /// - Throws: What `Auth.session(_:requiring:)` throws, and ``Problem`` with the code `invalid-request`.
    public func authenticate(request: Request, context: Context) async throws -> Session? {
        guard let shown = try ShownSession(request) else { return nil }
        return try await auth.session(shown.token)
    }

    /// Finds the session, and goes on.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard context.identity == nil, let shown = try ShownSession(request) else {
            return try await next(request, context)
        }
        let found: Found
        do throws(AuthError) {
            found = try await find(shown, request)
        } catch {
            guard Self.isOver(error.code) else { throw error }
            // Whatever became of it, it opens nothing: RFC 6750 §3.1 has one status for that.
            guard shown.transport == .cookie, staleCookie == .forget else {
                var problem = Problem(error, status: .unauthorized)
                // No script can remove the cookie, and with it nobody could sign in anew.
                if shown.transport == .cookie { SessionCookies().clear(in: &problem.headers) }
                throw problem
            }
            var response = try await next(request, context)
            if !response.headers.setsCookie(SessionCookies.sessionName) { SessionCookies().clear(in: &response) }
            return response
        }
        var context = context
        context.login.identity = found.session
        context.login.transport = shown.transport
        var response = try await withIdentity(found.session) { [context] in try await next(request, context) }
        if let tokens = found.tokens, !response.headers.setsCookie(SessionCookies.sessionName) {
            SessionCookies().set(tokens, of: found.session, at: clock.now, in: &response)
        }
        return response
    }

    /// A session, and its tokens where they are new.
    private struct Found {
        let session: Session
        let tokens: SessionTokens?
    }

    /// The session; a browser whose session token has to be refreshed is given new ones on the way.
    private func find(_ shown: ShownSession, _ request: Request) async throws(AuthError) -> Found {
        do throws(AuthError) {
            return Found(session: try await auth.session(shown.token), tokens: nil)
        } catch {
            guard error.code == .userTokenExpired, shown.transport == .cookie,
                let refreshToken = request.headers.cookie(SessionCookies.refreshName)
            else { throw error }
            let refreshed = try await auth.refresh(refreshToken)
            return Found(session: refreshed.session, tokens: refreshed.tokens)
        }
    }

    /// Whether a session with this error is over, and nobody has to be told more than that.
    private static func isOver(_ code: AuthError.Code) -> Bool {
        code == .invalidUserToken || code == .userTokenExpired || code == .userDisabled
    }
}
#endif
