// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Hummingbird
internal import Logging

/// Makes a page of every error that a page could not answer itself, for people, where the API has problems for programs.
struct PageProblemMiddleware<Context: LoginRequestContext>: RouterMiddleware {
    let pages: LoginPages<Context>

    func handle(
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
            ProblemMiddleware<Context>.log(error, as: problem, "page failed", context)
            return try await pages.response(to: problem, request, context).answering(request)
        }
    }
}
#endif
