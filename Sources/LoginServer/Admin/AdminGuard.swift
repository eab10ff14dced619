// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginText
internal import TweaksHummingbird

/// A middleware that authenticates operators, rejects requests from other sites, and adds security headers.
///
/// - **Host**: Only names of this machine and configured names are accepted, which prevents DNS rebinding.
/// - **Origin**: Requests that change something must come from the page itself, according to `Sec-Fetch-Site`, or
///   `Origin` in older browsers. Each form also contains a CSRF token.
/// - **Authentication**: A Unix socket is protected by its permissions. A TCP listener, and a socket for which a token
///   is configured, require the admin token, as a session cookie or a bearer token.
struct AdminGuard: RouterMiddleware {
    typealias Context = AdminContext

    static let cookie = "__Host-admin"

    /// The further accepted host names.
    let hosts: [String]
    let sessions: AdminSessions
    let layout: PageLayout
    /// The format of the responses to refused requests.
    let refusalFormat: RefusalFormat

    func handle(
        _ request: Request,
        context: AdminContext,
        next: @concurrent (Request, AdminContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        var response: Response
        do {
            try checkHost(of: request)
            if request.method != .get, request.method != .head { try request.refuseOtherSites() }
            if let redirect = try identify(request, &context) {
                response = redirect
            } else {
                response = try await next(request, context)
            }
        } catch let refusal as PageRefusal {
            response = layout.response(to: refusal, as: refusalFormat)
        } catch let error as HTTPError where error.status == .notFound || error.status == .methodNotAllowed {
            response = layout.response(to: PageRefusal(error.status, "Page not found."), as: refusalFormat)
        }
        PageLayout.protect(&response)
        switch response.status {
        case .unauthorized: response.headers[.wwwAuthenticate] = "Bearer"
        case .tooManyRequests: response.headers[.retryAfter] = "60"
        default: break
        }
        return response
    }

    private func checkHost(of request: Request) throws(PageRefusal) {
        guard Self.isKnown(request.head.authority ?? "", beside: hosts) else {
            throw PageRefusal(
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

    /// Authenticates the operator; returns a redirect if they must sign in first.
    private func identify(_ request: Request, _ context: inout AdminContext) throws(PageRefusal) -> Response? {
        guard sessions.needsToken else {
            context.author = TweakOperator(name: "socket")
            return nil
        }
        if let secret = request.adminCookie, let session = sessions.session(secret) {
            context.author = session.author
            return nil
        }
        if let token = request.bearerToken {
            try sessions.check(token)
            context.author = TweakOperator(name: "token")
            return nil
        }
        switch request.uri.path {
        case "/sign-in", PageLayout.stylePath: return nil
        case "/": return .seeOther("/sign-in")
        default: throw PageRefusal(.unauthorized, "Sign in first.")
        }
    }
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
#endif
