// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP
internal import LoginTokens

/// Checks that a form comes from a page of this service, shown in this browser.
///
/// There are two independent checks: the browser must report a same-origin request, and the form must have a CSRF token
/// for this browser. Either is sufficient in a browser without faults.
struct FormGuard: Sendable {
    private let tokens: CSRFTokens
    private let sameOrigin: SameOriginCheck

    /// The form field of the token.
    static let field = "csrf"

    /// Creates the guard of a service.
    ///
    /// - Parameters:
    ///   - secrets: The keys, which all servers share.
    ///   - publicURL: The public URL of the service.
    init(secrets: AccountSecrets, publicURL: String) {
        tokens = CSRFTokens(secrets)
        sameOrigin = SameOriginCheck(publicURL: publicURL)
    }

    /// The reason why a form is refused.
    enum Fault: String, Error {
        /// The browser does not report a same-origin request.
        case otherSite = "other-site"
        /// The browser sent neither a visitor's cookie nor a session.
        case noCookie = "no-cookie"
        /// The browser sent a cookie of this service twice, so neither is accepted.
        case repeatedCookie = "repeated-cookie"
        /// The CSRF token is missing, or was generated for another browser or session.
        case token = "token-mismatch"
    }

    /// The CSRF token for the forms of one page.
    struct PageToken: Sendable {
        /// The value of the field.
        let value: String

        /// The value for the visitor's cookie; nil if the browser has a cookie or a session, or may have one that this
        /// request does not show.
        let newVisitor: String?

        /// Sets the visitor's cookie, if the browser needs one.
        func set(in response: inout ServerResponse) {
            if let newVisitor { SessionCookies.set(SessionCookies.visitorName, newVisitor, in: &response.headers) }
        }
    }

    /// Returns a token for a page.
    func token(for visit: Visit) -> PageToken {
        if let binding = Self.binding(visit) {
            return PageToken(value: tokens.make(for: binding), newVisitor: nil)
        }
        let visitor = Nonce.random()
        let value = tokens.make(for: Self.visitor(visitor))
        // Browsers send no cookie with `SameSite=Lax` with the POST of another site, whose response replaces none.
        let isForeign = visit.request.method == .post && !isSameOrigin(visit.request)
        return PageToken(value: value, newVisitor: isForeign ? nil : visitor)
    }

    /// Whether a page of this service made the request.
    func isSameOrigin(_ request: ServerRequest) -> Bool { (try? sameOrigin.check(request)) != nil }

    /// Refuses a form that was not posted by a page of this service.
    ///
    /// - Throws: ``Fault``
    func check(_ form: FormFields, of visit: Visit) throws(Fault) {
        guard isSameOrigin(visit.request) else { throw Fault.otherSite }
        if let binding = Self.binding(visit), let token = form.only(Self.field),
            tokens.isValid(token, for: binding)
        {
            return
        }
        // The page was shown before the second cookie was set.
        if !SessionCookies.repeated(in: visit.request.headers).isEmpty { throw Fault.repeatedCookie }
        throw Self.binding(visit) == nil ? Fault.noCookie : Fault.token
    }

    /// Returns the binding of the browser: the session's ID, which survives token rotation, or the visitor's cookie;
    /// nil for neither.
    private static func binding(_ visit: Visit) -> String? {
        if let session = visit.session { return "session \(session.id.rawValue)" }
        guard let value = visit.request.headers.cookie(SessionCookies.visitorName), (16...64).contains(value.utf8.count)
        else {
            return nil
        }
        return visitor(value)
    }

    private static func visitor(_ value: String) -> String { "visitor \(value)" }
}
#endif
