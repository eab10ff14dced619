// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import Hummingbird
public import Tweaks

/// The routes of a page on which operators view and change tweaks, and of the same as JSON.
///
/// The page belongs to any router, with or without accounts. It needs no scripts:
///
/// ```swift
/// let page = TweaksPage<BasicRequestContext>(.shared) { request, _ in try password.check(request) }
/// page.addRoutes(to: router, at: "/tweaks")
/// ```
///
/// The guard authenticates each request. There is no default: a page that everybody may use needs a guard that says so.
/// Changes that another site causes are refused, by `Sec-Fetch-Site` or `Origin`, and each form contains a CSRF token.
/// If a proxy changes the `Host` header, older browsers cannot change anything.
///
/// The page accepts any `Host`. A guard that requires a password or a session needs no more: browsers send neither to
/// another name that resolves to this server (DNS rebinding). A guard that admits requests without a credential, for
/// example by the address of the client, must compare `Host` with the names of the server.
///
/// | request | effect |
/// |---|---|
/// | `GET /` | the page |
/// | `GET /tweaks.json` | all tweaks, with their values, ranges and revisions |
/// | `GET /history.json` | the latest 50 changes and actions, newest first |
/// | `PUT /tweaks/ID` with `{"value": "60", "revision": 0}` | sets a tweak |
/// | `DELETE /tweaks/ID?revision=1` | resets a tweak |
/// | `GET /values.json` | an export of the values that operators have set |
/// | `PUT /values.json?revision=5` | imports an export |
/// | `DELETE /values.json?revision=5` | resets all declared tweaks |
///
/// The paths are relative to the path of the page. Values are JSON strings, so that no client rounds large integers
/// (RFC 8259 §6). In `tweaks.json`, `unknown` lists the stored values of tweaks that this program does not declare,
/// each with the `id` and the `revision` for its `DELETE`. `PUT` and `DELETE` respond like `GET /tweaks.json`. A
/// refused request for JSON gets a problem (RFC 9457), whose `code` is that of a `TweakError`, or `invalid-request`.
public struct TweaksPage<Context: RequestContext>: Sendable {
    /// A closure that authenticates a request, and returns the operator; it throws an error to refuse the request.
    ///
    /// The router responds to the error, for example to an `HTTPError` with its status.
    public typealias Guard = @Sendable (Request, Context) async throws -> TweakOperator

    /// A closure that returns the markup of links and forms in the header, for an operator with a CSRF token.
    package typealias Navigation = @Sendable (TweakOperator, String) -> String

    let tweaks: Tweaks
    let title: String
    let forms: FormTokens
    let navigation: Navigation
    let identify: Guard

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - tweaks: The tweaks.
    ///   - title: The title of the page.
    ///   - identify: A closure that authenticates a request.
    public init(_ tweaks: Tweaks, title: String = "Settings", guard identify: @escaping Guard) {
        self.init(tweaks, title: title, forms: FormTokens(), navigation: { _, _ in "" }, guard: identify)
    }

    /// Creates a page with forms and links of its application.
    ///
    /// - Parameters:
    ///   - tweaks: The tweaks.
    ///   - title: The title of the page.
    ///   - forms: The CSRF tokens, shared with other forms of the application.
    ///   - navigation: A closure that returns the markup of links and forms in the header.
    ///   - identify: A closure that authenticates a request.
    package init(
        _ tweaks: Tweaks,
        title: String,
        forms: FormTokens,
        navigation: @escaping Navigation,
        guard identify: @escaping Guard
    ) {
        self.tweaks = tweaks
        self.title = title
        self.forms = forms
        self.navigation = navigation
        self.identify = identify
    }

    /// Adds the routes to a router.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - path: The path of the page as browsers see it, without parameters.
    public func addRoutes(to router: some RouterMethods<Context>, at path: String = "/") {
        addRoutes(forBrowsers: router, forPrograms: router, at: path)
    }

    /// Adds the routes for browsers and those for programs to routers with different middleware.
    ///
    /// - Parameters:
    ///   - pages: The router for browsers.
    ///   - programs: The router for programs.
    ///   - path: The path of the page as browsers see it, without parameters.
    package func addRoutes(
        forBrowsers pages: some RouterMethods<Context>,
        forPrograms programs: some RouterMethods<Context>,
        at path: String = "/"
    ) {
        let routes = TweakRoutes(page: self, layout: PageLayout(path: path))
        routes.addPages(to: pages)
        routes.addJSON(to: programs)
    }
}
#endif
