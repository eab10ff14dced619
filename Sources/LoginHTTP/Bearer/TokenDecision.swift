// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import Logging
public import LoginTokens

/// Whether a request has an access token that is sufficient for a route.
public enum TokenDecision: Sendable, Redacted {
    /// The token is valid for the resource, its sender possesses what it is bound to, and it meets the requirements.
    ///
    /// Complete the response of the route with ``Visit/finish(_:)``.
    case authorized(VerifiedAccessToken, Visit)
    /// The route must not run. This is the response: status 401, 403, 429 or 503, with the challenges, or 204 for a CORS
    /// preflight.
    case answer(ServerResponse)

    /// The decision, without the token.
    public var description: String {
        switch self {
        case .authorized(_, let visit): "authorized: \(visit)"
        case .answer(let response): "answer: \(response)"
        }
    }
}

extension ProtectedResource {
    /// Decides whether a request may use a route that needs an access token.
    ///
    /// A route may also require a recent authentication of the user, or one of certain classes (RFC 9470). A token without
    /// it is refused with the error `insufficient_user_authentication`, and the challenge names what the client must
    /// request from the authorization server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - requirements: The requirements of the route, in addition to those of the policy.
    /// - Returns: The decision.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func token(
        of request: ServerRequest,
        meeting requirements: RouteRequirements = RouteRequirements()
    ) async throws(CancellationError) -> TokenDecision {
        try await token(of: visit(request), meeting: requirements)
    }

    /// Decides the same about a request that was checked before.
    ///
    /// The token, and its proof of possession, are verified once for each request, also if a later check requires more.
    /// Another resource verifies both again, for that resource, and a ledger that the two share records the proof once.
    ///
    /// - Parameters:
    ///   - visit: What the earlier check has returned, also one of another resource or of a ``LoginService``.
    ///   - requirements: The requirements of the route, in addition to those of the policy.
    /// - Returns: The decision.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func token(
        of visit: Visit,
        meeting requirements: RouteRequirements = RouteRequirements()
    ) async throws(CancellationError) -> TokenDecision {
        var visit = visit
        // An earlier resource may have allowed others.
        visit.allowedOrigins = allowedOrigins
        if let response = preflight(visit) { return .answer(response) }
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

    /// Responds with a route that needs an access token.
    ///
    /// It decides as ``token(of:meeting:)-(ServerRequest,_)``, completes the response of the route, and answers its errors.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - requirements: The requirements of the route, in addition to those of the policy.
    ///   - route: The route.
    /// - Returns: The complete response.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func respond(
        to request: ServerRequest,
        meeting requirements: RouteRequirements = RouteRequirements(),
        with route: (_ token: VerifiedAccessToken, _ visit: Visit) async throws -> ServerResponse
    ) async throws(CancellationError) -> ServerResponse {
        switch try await token(of: request, meeting: requirements) {
        case .answer(let response): return response
        case .authorized(let token, let visit):
            do {
                var response = try await route(token, visit)
                visit.finish(&response.headers)
                return response.answering(request)
            } catch {
                return try answer(to: error, of: visit)
            }
        }
    }

    /// Returns the response to an error that a route behind the resource has thrown.
    ///
    /// - Parameters:
    ///   - error: The error. One that is no ``Problem`` becomes status 500 without details.
    ///   - visit: The request.
    /// - Returns: The complete response.
    /// - Throws: `CancellationError` if the error is one.
    public func answer(to error: any Error, of visit: Visit) throws(CancellationError) -> ServerResponse {
        if let cancellation = error.cancellation { throw cancellation }
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
