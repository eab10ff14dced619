// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginHummingbird
internal import LoginText
internal import LoginTokens

/// A middleware that authenticates operators, rejects requests from other sites, and adds security headers.
///
/// - **Host**: Only names of this machine and configured names are accepted, which prevents DNS rebinding.
/// - **Origin**: Requests that change something must come from the page itself, according to `Sec-Fetch-Site`, or
///   `Origin` in older browsers. Each form also contains a CSRF token.
/// - **Authentication**: A Unix socket is protected by its permissions. A TCP listener requires the admin token, as a
///   session cookie or a bearer token.
struct AdminGuard: RouterMiddleware {
    typealias Context = AdminContext

    static let cookie = "__Host-admin"

    /// Whether the admin token is required.
    let needsToken: Bool
    /// The further accepted host names.
    let hosts: [String]
    let sessions: AdminSessions

    func handle(
        _ request: Request,
        context: AdminContext,
        next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        var response: Response
        do {
            try checkHost(of: request)
            if request.method != .get, request.method != .head { try checkOrigin(of: request) }
            if let redirect = try identify(request, &context) {
                response = redirect
            } else {
                response = try await next(request, context)
            }
        } catch let refusal as AdminRefusal {
            response = .admin(AdminPage.refusal(refusal), status: refusal.status)
        } catch let error as HTTPError where error.status == .notFound || error.status == .methodNotAllowed {
            response = .admin(
                AdminPage.refusal(AdminRefusal(error.status, "Page not found.")),
                status: error.status
            )
        }
        for (name, value) in Self.headers { response.headers[name] = value }
        switch response.status {
        case .unauthorized: response.headers[.wwwAuthenticate] = "Bearer"
        case .tooManyRequests: response.headers[.retryAfter] = "60"
        default: break
        }
        return response
    }

    private func checkHost(of request: Request) throws(AdminRefusal) {
        guard Self.isKnown(request.head.authority ?? "", beside: hosts) else {
            throw AdminRefusal(
                .misdirectedRequest,
                "The host name is not allowed. Add it to admin.hosts."
            )
        }
    }

    /// Returns whether a host, with or without a port, is a name of this machine or one of the further names.
    static func isKnown(_ authority: String, beside hosts: [String]) -> Bool {
        var host = authority[...]
        if let colon = authority.lastIndex(of: ":") {
            let port = authority[authority.index(after: colon)...]
            if !port.isEmpty, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { host = authority[..<colon] }
        }
        return (["localhost", "127.0.0.1", "[::1]"] + hosts).contains { isEqual($0, host.lowercased()) }
    }

    private func checkOrigin(of request: Request) throws(AdminRefusal) {
        if let site = request.headers[.secFetchSite] {
            guard site == "same-origin" else { throw AdminRefusal(.forbidden, "The request comes from another site.") }
            return
        }
        guard let origin = request.headers[.origin] else { return }
        let authority = request.head.authority ?? ""
        guard isEqual(origin, "http://\(authority)") || isEqual(origin, "https://\(authority)") else {
            throw AdminRefusal(.forbidden, "The request comes from another site.")
        }
    }

    /// Authenticates the operator; returns a redirect if they must sign in first.
    private func identify(_ request: Request, _ context: inout AdminContext) throws(AdminRefusal) -> Response? {
        guard needsToken else {
            context.author = "socket"
            context.formToken = sessions.formToken(of: "socket")
            return nil
        }
        if let secret = request.adminCookie, let session = sessions.session(secret) {
            context.author = session.author
            context.formToken = sessions.formToken(of: secret)
            return nil
        }
        if let token = request.bearerToken {
            try sessions.check(token)
            context.author = "token"
            return nil
        }
        context.formToken = sessions.formToken(of: "nobody")
        switch request.uri.path {
        case "/sign-in", AdminPage.stylePath: return nil
        case "/": return .seeOther("/sign-in")
        default: throw AdminRefusal(.unauthorized, "Sign in first.")
        }
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"),
        (
            .contentSecurityPolicy,
            "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        (.xContentTypeOptions, "nosniff"),
        (.xFrameOptions, "DENY"),
        (.referrerPolicy, "no-referrer"),
        (.crossOriginOpenerPolicy, "same-origin"),
        (.crossOriginResourcePolicy, "same-origin"),
    ]
}

extension HTTPField.Name {
    fileprivate static let xFrameOptions = known("X-Frame-Options")
}

extension Request {
    /// The session cookie of the operator; nil if the request has none.
    var adminCookie: String? {
        let prefix = AdminGuard.cookie + "="
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let cookie = pair.drop { $0 == " " }
                if cookie.hasPrefix(prefix), cookie.utf8.count <= 128 { return String(cookie.dropFirst(prefix.count)) }
            }
        }
        return nil
    }

    fileprivate var bearerToken: String? {
        guard let field = headers[.authorization], field.utf8.count <= 4096 else { return nil }
        let parts = field.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}

extension Response {
    /// Creates a response with an HTML page.
    static func admin(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        text(html, type: "text/html; charset=utf-8", status: status)
    }

    static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    /// Creates a redirect that the browser follows with GET.
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}
#endif
