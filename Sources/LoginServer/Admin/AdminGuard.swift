// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginHummingbird
internal import LoginText
internal import LoginTokens

/// Stands before all of an operator's requests: who may come, from where, and what every answer says.
///
/// - **Host**: only names of this machine, and those that are configured. A site that has its own name lead here (DNS rebinding) is
///   another host.
/// - **Origin**: what changes something comes from the page itself, by `Sec-Fetch-Site`, or by `Origin` where a browser has only that.
///   Each form carries a token besides.
/// - **Who**: on a Unix socket, whoever may open it; elsewhere, who has shown the token, by a cookie or with each request.
struct AdminGuard: RouterMiddleware {
    typealias Context = AdminContext

    static let cookie = "__Host-admin"

    /// Whether the token has to be shown.
    let needsToken: Bool
    /// Further names by which browsers may come.
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
                AdminPage.refusal(AdminRefusal(error.status, "There is no such page.")),
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
                "This page is not of that host. Another name is allowed by admin.hosts."
            )
        }
    }

    /// Whether a host, with or without a port, is this machine by a name that everybody has, or one of further names.
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

    /// Finds out who it is; the way to the form where somebody has to sign in first.
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
    /// The secret of an operator's session, where one came.
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
    /// A page.
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

    /// To another page, which is got.
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path])
    }
}
#endif
