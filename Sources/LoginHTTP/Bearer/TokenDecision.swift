// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import Logging
public import LoginTokens

/// Whether a request has an access token that is sufficient for a route.
public enum TokenDecision: Sendable {
    /// The token is valid for the resource, its sender possesses what it is bound to, and it meets the requirements.
    ///
    /// Complete the response of the route with ``Visit/finish(_:)``.
    case authorized(VerifiedAccessToken, Visit)
    /// The route must not run. This is the response, with the challenges: status 401, 403, 429 or 503.
    case answer(ServerResponse)
}

extension ProtectedResource {
    /// Decides whether a request may use a route that needs an access token with these scopes.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scopes: The scopes, all of which are required, in addition to those of the policy.
    ///   - earlier: What an earlier check of the same request has returned, also of another resource; nil for none.
    /// - Returns: The decision.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func token(
        of request: ServerRequest,
        scopes: [String] = [],
        after earlier: Visit? = nil
    ) async throws(CancellationError) -> TokenDecision {
        try await token(of: request, meeting: RouteRequirements(scopes: scopes), after: earlier)
    }

    /// Decides whether a request may use a route with requirements for its access token.
    ///
    /// A route may require a recent authentication of the user, or one of certain classes (RFC 9470). A token without it
    /// is refused with the error `insufficient_user_authentication`, and the challenge names what the client must request
    /// from the authorization server.
    ///
    /// The token, and its proof of possession, are verified once for each request, also if a later check requires more.
    /// Another resource verifies both again, for that resource, and a ledger that the two share records the proof once.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - requirements: The requirements of the route.
    ///   - earlier: What an earlier check of the same request has returned, also of another resource; nil for none.
    /// - Returns: The decision.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func token(
        of request: ServerRequest,
        meeting requirements: RouteRequirements,
        after earlier: Visit? = nil
    ) async throws(CancellationError) -> TokenDecision {
        var visit = earlier ?? self.visit(request)
        do throws(Problem) {
            try count(&visit)
            let known = visit.resource === identity ? visit.token : nil
            let token = if let known { known } else { try await authenticate(&visit, route: requirements) }
            try check(token, for: requirements, logger: visit.logger)
            return .authorized(token, visit)
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            return .answer(answer(error, of: visit))
        }
    }

    /// Responds with a route that needs an access token with these scopes.
    ///
    /// It decides as ``token(of:scopes:after:)``, completes the response of the route, and answers its errors.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - scopes: The scopes, all of which are required, in addition to those of the policy.
    ///   - route: The route.
    /// - Returns: The complete response.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func respond(
        to request: ServerRequest,
        scopes: [String] = [],
        with route: (_ token: VerifiedAccessToken, _ visit: Visit) async throws -> ServerResponse
    ) async throws(CancellationError) -> ServerResponse {
        switch try await token(of: request, scopes: scopes) {
        case .answer(let response): return response
        case .authorized(let token, let visit):
            do {
                var response = try await route(token, visit)
                visit.finish(&response.headers)
                return response.answering(request)
            } catch {
                if let error = error as? CancellationError { throw error }
                return answer(to: error, of: visit)
            }
        }
    }

    /// Returns the response to an error that a route behind the resource has thrown.
    ///
    /// - Parameters:
    ///   - error: The error. One that is no ``Problem`` becomes status 500 without details.
    ///   - visit: The request.
    /// - Returns: The complete response.
    public func answer(to error: any Error, of visit: Visit) -> ServerResponse {
        let problem = Problem(of: error)
        problem.log(error, "request failed", to: visit.logger, outages)
        return answer(problem, of: visit)
    }

    /// Returns the response to a problem.
    func answer(_ problem: Problem, of visit: Visit) -> ServerResponse {
        var response = problem.response(requestID: visit.requestID, base: nil)
        visit.finish(&response.headers)
        return response.answering(visit.request)
    }
}
#endif
