// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
public import LoginAccounts
public import LoginTokens

/// Authenticates requests by a session token, as a bearer token or in a cookie.
///
/// A request without a session token continues unauthenticated, and `context.requireIdentity()` rejects it if a user is
/// required. A request with the token of a closed session is rejected with status 401, so a handler never mistakes a
/// signed-out user for an anonymous one. The session is looked up on each request: a session that was closed on another
/// server is closed here too.
///
/// Handlers behind it also have the session as `Session.current`.
public struct SessionAuthenticator<Context: LoginRequestContext>: RouterMiddleware {
    /// The handling of a cookie whose session has ended.
    public enum StaleCookie: Sendable, Hashable {
        /// Rejects the request, as with a bearer token.
        ///
        /// For an API.
        case refuse
        /// Continues unauthenticated, and deletes the cookie.
        ///
        /// For pages, which then show how to sign in.
        case forget
    }

    private let auth: Auth
    private let staleCookie: StaleCookie
    private let clock: any WallClock
    private let outages = OutageLog()

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - staleCookie: The handling of a cookie whose session has ended.
    ///   - clock: The clock for the lifetime of cookies.
    public init(_ auth: Auth, staleCookie: StaleCookie = .refuse, clock: any WallClock = .system) {
        self.auth = auth
        self.staleCookie = staleCookie
        self.clock = clock
    }

    /// Looks up the session, and calls the next responder with it.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard context.identity == nil, let presented = try PresentedSession(request) else {
            return try await next(request, context)
        }
        let found: Found
        do throws(AuthError) {
            found = try await find(presented, request)
        } catch {
            guard Self.isOver(error.code) else { throw error }
            if presented.isJWT { throw Self.refuseJWT(error.code, context) }
            // Whatever ended the session, the token is invalid: RFC 6750 §3.1 assigns status 401 to that.
            guard presented.transport == .cookie, staleCookie == .forget else {
                var problem = Problem(error, status: .unauthorized)
                // Scripts cannot delete the cookie, and each further request with it would be rejected, sign-in
                // included.
                if presented.transport == .cookie { SessionCookies().clear(in: &problem.headers) }
                throw problem
            }
            var response = try await next(request, context)
            if !response.headers.setsCookie(SessionCookies.sessionName) { SessionCookies().clear(in: &response) }
            return response
        }
        outages.recordUnstoredUse(of: found.session, to: context.logger)
        var context = context
        context.login.identity = found.session
        context.login.transport = presented.transport
        var response = try await withIdentity(found.session) { [context] in try await next(request, context) }
        if let tokens = found.tokens, !response.headers.setsCookie(SessionCookies.sessionName) {
            SessionCookies().set(tokens, of: found.session, at: clock.now, in: &response)
        }
        return response
    }

    /// A session, and its tokens if they were refreshed.
    private struct Found {
        let session: Session
        let tokens: SessionTokens?
    }

    /// Returns the session, and refreshes the tokens of a browser whose session token has expired.
    private func find(_ presented: PresentedSession, _ request: Request) async throws(AuthError) -> Found {
        do throws(AuthError) {
            return Found(session: try await auth.session(presented.token), tokens: nil)
        } catch {
            guard error.code == .userTokenExpired, presented.transport == .cookie,
                let refreshToken = request.headers.cookie(SessionCookies.refreshName)
            else { throw error }
            let refreshed = try await auth.refresh(refreshToken)
            return Found(session: refreshed.session, tokens: refreshed.tokens)
        }
    }

    /// Logs a JWT in the place of a session token, and returns the problem.
    private static func refuseJWT(_ code: AuthError.Code, _ context: Context) -> Problem {
        RefusalLog(context.logger).record(code.rawValue, reason: "jwt", provider: nil)
        return Problem(
            ProblemCode(code),
            "The bearer token is a JWT, such as an ID token or an access token of a provider. Send a session token: "
                + "it begins with lls_, and is tokens.sessionToken in the response to a sign-in (POST /v1/sign-in).",
            headers: [.wwwAuthenticate: Challenge(code).text]
        )
    }

    /// Returns whether an error means that the session has ended.
    private static func isOver(_ code: AuthError.Code) -> Bool {
        code == .invalidUserToken || code == .userTokenExpired || code == .userDisabled
    }
}
#endif
