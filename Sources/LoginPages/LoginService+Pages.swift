// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
public import LoginHTTP

extension LoginService {
    /// Returns the routes of the pages: `/login`, the account at `/`, and the callbacks of the providers.
    ///
    /// From now on, routes of the application that need a session redirect browsers to the pages: to sign in, to log in
    /// again, or to confirm a second factor. Unknown paths and exceeded rate limits get pages too, if the client prefers
    /// HTML. The pages have the settings that the service has now.
    ///
    /// To sign a user in for a page of your own, redirect to `/login?returnTo=/your/page`; the user returns to that
    /// page.
    ///
    /// - Parameter options: The options of the pages.
    /// - Returns: The routes.
    public func pageRoutes(options: SignInPagesOptions = SignInPagesOptions()) -> [LoginRoute] {
        var options = options
        if api.allowsGuests { options.allowsGuests = true }
        let pages = SignInPages(auth: auth, publicURL: publicURL, options: options, clock: auth.clock)
        addedPages.functions = AddedPages.Functions(
            redirect: { step, returnPath in
                pages.redirect(to: LocalPath.page(of: step, returningTo: LocalPath(target: returnPath)).text)
            },
            page: { problem, visit in try await pages.response(to: problem, visit) }
        )
        return pages.routes(of: self)
    }

    /// Adds the routes of ``pageRoutes(options:)`` to a framework's router.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - options: The options of the pages.
    public func addPages(to router: some LoginRouter, options: SignInPagesOptions = SignInPagesOptions()) {
        for route in pageRoutes(options: options) { router.add(route) }
    }
}
#endif
