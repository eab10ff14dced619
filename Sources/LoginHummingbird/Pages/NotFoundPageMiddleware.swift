// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird

/// Shows a page where there is nothing, to whoever asks for a page: a mistyped address is told to a person as a person is told.
///
/// Programs get the problem that `ProblemMiddleware` makes of it; this stands after that one.
public struct NotFoundPageMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    private let pages: LoginPages<Context>

    /// The page where there is nothing.
    ///
    /// - Parameter pages: The pages that it looks like.
    public init(_ pages: LoginPages<Context>) {
        self.pages = pages
    }

    /// Answers, or says in a page that there is nothing.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound && Self.asksForPage(request) {
            return try await pages.response(to: Problem(.notFound), request, context).answering(request)
        }
    }

    /// Browsers name HTML where they are to show what comes; a program that takes anything (`*/*`) does not.
    private static func asksForPage(_ request: Request) -> Bool {
        guard request.method == .get || request.method == .head else { return false }
        return request.headers[values: .accept].contains { $0.lowercased().contains("text/html") }
    }
}
#endif
