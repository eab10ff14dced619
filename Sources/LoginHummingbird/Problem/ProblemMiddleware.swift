// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import LoginAccounts
internal import LoginProviders
package import Logging
internal import NIOCore

/// Converts every error to a ``Problem``, so that all error responses have the same format.
///
/// An unknown error becomes `internal-error` with status 500. The log has the type of the error, the response no
/// details.
public struct ProblemMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let base: String?
    private let outages = OutageLog()

    /// Creates the middleware.
    ///
    /// - Parameter publicURL: The public URL of the service, for example `https://login.example.com`. Problem types are
    ///   URLs below it. Nil makes them relative references.
    public init(publicURL: String? = nil) {
        base = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Calls the next responder, and converts an error to a response.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return response(to: error, request, context)
        }
    }

    /// Logs an error, and returns the response to it.
    package func response(to error: any Error, _ request: Request, _ context: Context) -> Response {
        let problem = Self.problem(of: error)
        Self.log(error, as: problem, "request failed", context, outages)
        return problem.response(requestID: context.login.requestID, base: base).answering(request)
    }

    /// Returns the problem for an error.
    package static func problem(of error: any Error) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as AuthError: return Problem(error)
        case let error as HTTPError: return problem(of: error)
        case is NIOTooManyBytesError: return Problem(.tooLarge)
        default: return Problem(ProblemCode(.internalError))
        }
    }

    /// Returns the problem for an error of Hummingbird.
    private static func problem(of error: HTTPError) -> Problem {
        switch error.status {
        case .notFound: Problem(.notFound)
        case .methodNotAllowed: Problem(.methodNotAllowed, headers: error.headers)
        case .contentTooLarge: Problem(.tooLarge)
        case .unsupportedMediaType: Problem(.unsupportedType)
        case let status where (400..<500).contains(status.code): Problem(.invalidRequest)
        default: Problem(ProblemCode(.internalError))
        }
    }

    /// Logs failures of the service or its dependencies, and rejected credentials, unless they are logged already.
    package static func log(
        _ error: any Error,
        as problem: Problem,
        _ message: Logger.Message,
        _ context: Context,
        _ outages: OutageLog
    ) {
        guard !problem.isLogged else { return }
        guard problem.status.code >= 500 else { return RefusalLog(context.logger).record(error) }
        // Only errors of this package are known to contain no personal data.
        let detail =
            switch error {
            case let problem as Problem: problem.description
            case let error as AuthError: error.detail
            case let error as LoginManagerError: error.description
            default: "not shown"
            }
        context.logger.log(
            level: outages.level(of: error, as: problem),
            message,
            metadata: [
                "error.code": "\(problem.code)", "error.type": "\(type(of: error))", "error.detail": "\(detail)",
            ]
        )
    }
}
#endif
