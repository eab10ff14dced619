// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginTokens

/// Authenticates requests by a session token, as a bearer token or in a cookie.
///
/// The session is looked up on each request: a session that was closed on another server is closed here too. A request
/// with the token of a closed session is rejected with status 401, so a route that needs a session never mistakes a
/// signed-out user for an anonymous one.
struct SessionAuthenticator: Sendable {
    /// The handling of a cookie whose session has ended.
    enum StaleCookie: Sendable, Hashable {
        /// Rejects the request, as with a bearer token.
        ///
        /// For an API.
        case refuse
        /// Continues unauthenticated, and deletes the cookie.
        ///
        /// For pages, which then show how to sign in.
        case forget
    }

    let auth: Auth
    let outages: OutageLog

    /// Looks up the session of a request, unless an earlier check has done so.
    ///
    /// - Parameters:
    ///   - visit: The request, which gets the session and its cookies if they were renewed.
    ///   - staleCookie: The handling of a cookie whose session has ended.
    /// - Throws: ``Problem``, `AuthError`.
    func authenticate(_ visit: inout Visit, staleCookie: StaleCookie) async throws {
        guard visit.session == nil, let presented = try PresentedSession(visit.request) else { return }
        let found: (session: Session, tokens: SessionTokens?)
        do throws(AuthError) {
            found = try await find(presented, visit.request)
        } catch {
            guard Self.isOver(error.code) else { throw error }
            if presented.isJWT { throw Self.refuseJWT(error.code, visit) }
            // Scripts cannot delete the cookie, and each further request with it would be rejected, sign-in included.
            if presented.transport == .cookie {
                visit.sessionCookies = [:]
                SessionCookies.clear(in: &visit.sessionCookies)
            }
            if presented.transport == .cookie, staleCookie == .forget { return }
            // Whatever ended the session, the token is invalid: RFC 6750 §3.1 assigns status 401 to that.
            throw Problem(error, status: .unauthorized)
        }
        outages.recordUnstoredUse(of: found.session, to: visit.logger)
        visit.session = found.session
        visit.transport = presented.transport
        guard let tokens = found.tokens else { return }
        SessionCookies.set(tokens, of: found.session, at: auth.clock.now, in: &visit.sessionCookies)
    }

    /// Returns the session, and refreshes the tokens of a browser whose session token has expired.
    private func find(
        _ presented: PresentedSession,
        _ request: ServerRequest
    ) async throws(AuthError) -> (session: Session, tokens: SessionTokens?) {
        do throws(AuthError) {
            return (try await auth.session(presented.token), nil)
        } catch {
            guard error.code == .userTokenExpired, presented.transport == .cookie,
                let refreshToken = request.headers.cookie(SessionCookies.refreshName)
            else { throw error }
            let refreshed = try await auth.refresh(refreshToken)
            return (refreshed.session, refreshed.tokens)
        }
    }

    /// Logs a JWT in the place of a session token, and returns the problem.
    private static func refuseJWT(_ code: AuthError.Code, _ visit: Visit) -> Problem {
        RefusalLog(visit.logger).record(code.rawValue, reason: "jwt", provider: nil)
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
