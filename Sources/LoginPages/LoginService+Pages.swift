// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
internal import LoginAccounts
public import LoginHummingbird

extension LoginService {
    /// Adds the pages: `/login`, the account at `/`, and the callbacks of the providers.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - options: The options of the pages.
    public func addPages<Context: LoginRequestContext>(
        to router: Router<Context>,
        options: SignInPagesOptions = SignInPagesOptions()
    ) {
        let pages = SignInPages<Context>(auth: auth, publicURL: publicURL, options: options, clock: api.clock)
        let requestsPerMinute = requestsPerMinute
        let group = router.group()
            .add(middleware: OriginMiddleware(trustedProxies: trustedProxies))
            .add(middleware: SecurityHeadersMiddleware(publicURL: publicURL))
            .add(middleware: ProblemMiddleware(publicURL: publicURL))
            .add(middleware: PageProblemMiddleware(pages))
            .add(middleware: RateLimitMiddleware { requestsPerMinute })
        pages.addRoutes(to: group)
    }
}
#endif
