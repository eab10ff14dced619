// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import Logging
internal import LoginAccounts
public import LoginHummingbird

/// Answers errors with pages for browsers, where `ProblemMiddleware` answers programs with problems.
///
/// The pages bring it for their own addresses. Added before `RateLimitMiddleware` and all routes, it also answers a browser that has sent too
/// many requests, or asks for an address that does not exist; it leaves programs to the middleware around it.
public struct PageProblemMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let pages: SignInPages<Context>
    private let isOfPages: Bool
    private let outages = OutageLog()

    /// A page for browsers, where no page could answer.
    ///
    /// - Parameter pages: The pages that it looks like.
    public init(_ pages: SignInPages<Context>) {
        self.init(pages, isOfPages: false)
    }

    /// - Parameters:
    ///   - pages: The pages that it looks like.
    ///   - isOfPages: Whether only pages are behind it, so that each error becomes one.
    init(_ pages: SignInPages<Context>, isOfPages: Bool) {
        self.pages = pages
        self.isOfPages = isOfPages
    }

    /// Answers, or says in a page why not.
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
            let problem = ProblemMiddleware<Context>.problem(of: error)
            guard isOfPages || (Self.isOfNoRoute(error) && Self.isOfBrowser(request)) else { throw error }
            ProblemMiddleware<Context>.log(error, as: problem, "page failed", context, outages)
            return try await pages.response(to: problem, request, context).answering(request)
        }
    }

    /// Whether there is no such address, or too many were asked for: what the routes themselves refuse has an answer of theirs.
    private static func isOfNoRoute(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPError: error.status == .notFound
        case let problem as Problem: problem.status == .tooManyRequests
        default: false
        }
    }

    /// Browsers name HTML where they are to show what comes; a program that takes anything (`*/*`) does not.
    private static func isOfBrowser(_ request: Request) -> Bool {
        request.headers[values: .accept].contains { $0.lowercased().contains("text/html") }
    }
}
#endif
