// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginAccounts
public import LoginHummingbird

extension LoginService {
    /// Adds the pages: `/login`, the account at `/`, and the callbacks of the providers.
    ///
    /// Routes behind `requireSession`, added before or after the pages, redirect browsers to them: to sign in, to log
    /// in again, or to confirm a second factor.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - options: The options of the pages.
    public func addPages<Context: LoginRequestContext>(
        to router: Router<Context>,
        options: SignInPagesOptions = SignInPagesOptions()
    ) {
        var options = options
        if api.allowsGuests { options.allowsGuests = true }
        let pages = SignInPages<Context>(auth: auth, publicURL: publicURL, options: options, clock: api.clock)
        let requestsPerMinute = requestsPerMinute
        let group = router.group()
            .add(middleware: origin())
            .add(middleware: SecurityHeadersMiddleware(publicURL: publicURL))
            .add(middleware: ProblemMiddleware(publicURL: publicURL))
            .add(middleware: PageProblemMiddleware(pages))
            .add(middleware: RateLimitMiddleware { requestsPerMinute })
        pages.addRoutes(to: group)
        addedPages.redirect = { step, returnPath in
            pages.redirect(to: LocalPath.page(of: step, returningTo: LocalPath(returnTo: returnPath)).text)
        }
    }
}
#endif
