// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginTokens

/// Sees that a form comes from a page of this service, shown in this browser.
///
/// Two things are asked of each form: that the browser says a page of this site posted it, and that the form carries a token which
/// was made for this browser. Either would do in a browser without faults.
struct FormGuard: Sendable {
    private let tokens: CSRFTokens
    private let sameOrigin: SameOriginCheck

    /// The field of a form with the token.
    static let field = "csrf"

    /// The cookie by which a browser is known where nobody is signed in.
    static let visitorCookie = "__Host-visitor"

    /// - Parameters:
    ///   - secrets: The keys that every server has.
    ///   - publicURL: Where people reach this service.
    init(secrets: AccountSecrets, publicURL: String) {
        tokens = CSRFTokens(secrets)
        sameOrigin = SameOriginCheck(publicURL: publicURL)
    }

    /// What the forms of one page carry.
    struct PageToken: Sendable {
        /// The value of the field.
        let value: String

        /// The visitor's cookie, where the browser has none yet.
        let newVisitor: String?

        /// Gives the browser what the token is for, if it has none.
        func set(in response: inout Response) {
            if let newVisitor { SessionCookies.set(FormGuard.visitorCookie, newVisitor, in: &response.headers) }
        }
    }

    /// Makes a token for a page.
    func token(for request: Request, _ context: some LoginRequestContext) -> PageToken {
        if let binding = Self.binding(request, context) {
            return PageToken(value: tokens.make(for: binding), newVisitor: nil)
        }
        let visitor = Nonce.random()
        return PageToken(value: tokens.make(for: Self.visitor(visitor)), newVisitor: visitor)
    }

    /// Refuses a form that no page of this service posted.
    ///
    /// - Throws: ``Problem`` with the code `cross-site-request`.
    func check(_ form: FormBody, of request: Request, _ context: some LoginRequestContext) throws(Problem) {
        try sameOrigin.check(request)
        guard let binding = Self.binding(request, context), let token = form[Self.field],
            tokens.isGood(token, for: binding)
        else { throw Problem(.crossSite, "The page is out of date. Load it again.") }
    }

    /// By what the browser is known: the session, whose ID stays as its tokens change, or the visitor's cookie.
    private static func binding(_ request: Request, _ context: some LoginRequestContext) -> String? {
        if let session = context.identity { return "session \(session.id.rawValue)" }
        guard let value = request.headers.cookie(visitorCookie), (16...64).contains(value.utf8.count) else {
            return nil
        }
        return visitor(value)
    }

    private static func visitor(_ value: String) -> String { "visitor \(value)" }
}
#endif
