// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import Logging
internal import LoginAccounts
public import LoginHummingbird

/// Responds to errors with pages for browsers, as `ProblemMiddleware` responds with problem details for programs.
///
/// The pages add it to their own routes. Added before `RateLimitMiddleware` and all routes, it also responds to
/// browsers that exceed the rate limit or request an unknown path. Other requests are left to the surrounding
/// middleware.
public struct PageProblemMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let pages: SignInPages<Context>
    private let isOfPages: Bool
    private let outages = OutageLog()

    /// Creates the middleware for routes beside the pages.
    ///
    /// - Parameter pages: The pages, whose texts and style it uses.
    public init(_ pages: SignInPages<Context>) {
        self.init(pages, isOfPages: false)
    }

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - pages: The pages, whose texts and style it uses.
    ///   - isOfPages: Whether only routes of pages follow, so that each error becomes a page.
    init(_ pages: SignInPages<Context>, isOfPages: Bool) {
        self.pages = pages
        self.isOfPages = isOfPages
    }

    /// Responds to the request, or with a page to its error.
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
            guard let response = try await response(to: error, request, context) else { throw error }
            return response
        }
    }

    /// Logs an error, and returns the page for it; nil if the response is not for browsers.
    package func response(to error: any Error, _ request: Request, _ context: Context) async throws -> Response? {
        guard isOfPages || (Self.isOfNoRoute(error) && request.prefersHTML) else { return nil }
        let problem = ProblemMiddleware<Context>.problem(of: error)
        ProblemMiddleware<Context>.log(error, as: problem, "page failed", context, outages)
        return try await pages.response(to: problem, request, context).answering(request)
    }

    /// Returns whether the error is an unknown path or an exceeded rate limit.
    ///
    /// Other errors come from routes, which have their own responses.
    private static func isOfNoRoute(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPError: error.status == .notFound
        case let problem as Problem: problem.status == .tooManyRequests
        default: false
        }
    }
}
#endif
