// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
internal import LoginAccounts
internal import LoginProviders
internal import Logging

extension Error {
    /// The cancellation that an error is, or that a hook of the application has thrown; nil for any other error.
    var cancellation: CancellationError? {
        self as? CancellationError ?? (self as? AuthError)?.applicationError as? CancellationError
    }
}

extension Problem {
    /// Creates the problem for an error of a route.
    ///
    /// An unknown error becomes `internal-error` with status 500. The log has the type of the error, the response no
    /// details.
    init(of error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        // An error of an application's hook is handled like one of a route.
        case let error as AuthError: self = error.applicationError.map { Problem(of: $0) } ?? Problem(error)
        default: self.init(ProblemCode(.internalError))
        }
    }

    /// Creates the problem for an error of a framework, which is known by its status.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields of the response, of which `Allow`, `Retry-After` and `WWW-Authenticate` are kept.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
        let code: ProblemCode =
            switch status {
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .contentTooLarge: .tooLarge
            case .unsupportedMediaType: .unsupportedType
            case let status where status.kind == .clientError: .invalidRequest
            default: ProblemCode(.internalError)
            }
        let kept = headers.filter { [.allow, .retryAfter, .wwwAuthenticate].contains($0.name) }
        self.init(code, headers: HTTPFields(kept))
        self.status = status.kind == .clientError || status.kind == .serverError ? status : code.status
    }

    /// Logs failures of the service or its dependencies, and rejected credentials, unless they are logged already.
    func log(_ error: any Error, _ message: Logger.Message, to logger: Logger, _ outages: OutageLog) {
        guard !isLogged else { return }
        guard status.code >= 500 else { return RefusalLog(logger).record(error) }
        // Only errors of this package are known to contain no personal data.
        let detail =
            switch error {
            case let problem as Problem: problem.description
            case let error as AuthError: error.detail
            case let error as LoginManagerError: error.description
            default: "not shown"
            }
        logger.log(
            level: outages.level(of: error, as: self),
            message,
            metadata: [
                "error.code": "\(code)", "error.type": "\(type(of: error))", "error.detail": "\(detail)",
            ]
        )
    }
}
#endif
