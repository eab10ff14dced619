// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import LoginAccounts
internal import LoginProviders
package import Logging
internal import NIOCore

/// Makes a ``Problem`` of every error, so that whatever goes wrong is told in one way.
///
/// What it does not know is `internal-error`, with status 500: the log says by which type it was thrown, and the answer nothing.
public struct ProblemMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let base: String?
    private let outages = OutageLog()

    /// Errors as problems.
    ///
    /// - Parameter publicURL: Where people reach this service, for example `https://login.example.com`: the type of a problem is an
    ///   address below it. Nil for a type that is only a path.
    public init(publicURL: String? = nil) {
        base = publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Answers, or tells why not.
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
            let problem = Self.problem(of: error)
            Self.log(error, as: problem, "request failed", context, outages)
            return problem.response(requestID: context.login.requestID, base: base).answering(request)
        }
    }

    /// What an error is to the one who asked.
    package static func problem(of error: any Error) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as AuthError: return Problem(error)
        case let error as HTTPError: return problem(of: error)
        case is NIOTooManyBytesError: return Problem(.tooLarge)
        default: return Problem(ProblemCode(.internalError))
        }
    }

    /// What Hummingbird itself refuses.
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

    /// Logs faults of the service or of what it depends on, and refused credentials.
    package static func log(
        _ error: any Error,
        as problem: Problem,
        _ message: Logger.Message,
        _ context: Context,
        _ outages: OutageLog
    ) {
        guard problem.status.code >= 500 else { return RefusalLog(context.logger).record(error) }
        // Only errors of ours are known to say nothing of a person.
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
