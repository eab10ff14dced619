// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes
internal import LoginAccounts
internal import Synchronization

/// The pages of a service, as far as its other routes lead to them.
///
/// All copies of a ``LoginService`` share them, so pages can be added before or after other routes.
package final class AddedPages: Sendable {
    /// The functions of pages for routes beside them.
    package struct Functions: Sendable {
        /// Redirects to the page of a step, from which the user returns to a path.
        ///
        /// The path is the target of the request. The function checks it.
        let redirect: @Sendable (_ step: LoginStep, _ returnPath: String) -> ServerResponse

        /// Returns the page that explains a problem.
        let page: @Sendable (_ problem: Problem, _ visit: Visit) async throws -> ServerResponse

        package init(
            redirect: @escaping @Sendable (_ step: LoginStep, _ returnPath: String) -> ServerResponse,
            page: @escaping @Sendable (_ problem: Problem, _ visit: Visit) async throws -> ServerResponse
        ) {
            (self.redirect, self.page) = (redirect, page)
        }
    }

    private let stored = Mutex<Functions?>(nil)

    /// The functions of the pages; nil if none were added.
    package var functions: Functions? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

/// The routes of pages.
extension LoginService {
    /// A function that responds to a request for a page, with the parameters of its path.
    package typealias PageHandler =
        @Sendable (_ visit: Visit, _ parameters: [String: String])
        async throws -> ServerResponse

    /// Returns a route of pages, whose errors become pages, and which forgets the cookie of a session that has ended.
    ///
    /// - Parameters:
    ///   - path: The template of the path.
    ///   - handlers: The handler of each method.
    ///   - refusesOtherMethods: Whether no other route has the same path.
    ///   - refusesSpeculation: Whether speculative requests are refused, because the page can be opened only once.
    /// - Returns: The route.
    package func pageRoute(
        _ path: String,
        _ handlers: [(HTTPRequest.Method, PageHandler)],
        refusesOtherMethods: Bool,
        refusesSpeculation: Bool = false
    ) -> LoginRoute {
        LoginRoute(
            path,
            handlers.map { ($0, handler($1, refusesSpeculation)) },
            refusesOtherMethods: refusesOtherMethods,
            isPage: true,
            of: self
        )
    }

    private func handler(_ respond: @escaping PageHandler, _ refusesSpeculation: Bool) -> LoginRoute.Handler {
        { request, parameters throws(CancellationError) in
            // Before the limit, the session and the store: a page that the user has not opened uses up nothing. Browsers
            // discard what they have preloaded with this status, and request it again.
            if refusesSpeculation, request.isSpeculative { return refuse(Problem(.speculative), request) }
            return try await serve(request, isPage: true) { visit in
                try await authenticator.authenticate(&visit, staleCookie: .forget)
                return try await withIdentity(visit.session) { [visit] in try await respond(visit, parameters) }
            }
        }
    }

    /// Returns the route of a file that pages load.
    package func fileRoute(
        _ path: String,
        _ respond: @escaping @Sendable (ServerRequest) -> ServerResponse
    ) -> LoginRoute {
        LoginRoute(
            path,
            [(.get, { request, _ throws(CancellationError) in try await serve(request) { _ in respond(request) } })],
            storeUse: .never,
            of: self
        )
    }
}

/// A step of a user after which a rejected request succeeds.
package enum LoginStep: Sendable {
    /// A sign-in.
    case signIn
    /// A new authentication of the signed-in user.
    case reauthenticate
    /// A second factor of the signed-in user.
    case stepUp
}
#endif
