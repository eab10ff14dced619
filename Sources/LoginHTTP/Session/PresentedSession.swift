// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes

/// The session token that a request presents, not yet verified.
struct PresentedSession: Sendable, Hashable {
    let token: String
    let transport: SessionTransport

    /// Creates the token from the headers of a request; nil if there is none.
    ///
    /// A bearer token takes precedence: a client sends it deliberately, while a browser sends its cookie with every
    /// request.
    ///
    /// - Throws: ``Problem``: `invalid-request` if `Authorization` is malformed or occurs twice.
    init?(_ request: ServerRequest) throws(Problem) {
        if let token = try Self.bearer(request.headers) {
            self.init(token: token, transport: .bearer)
        } else if let token = request.headers.cookie(SessionCookies.sessionName) {
            self.init(token: token, transport: .cookie)
        } else {
            return nil
        }
    }

    /// Whether the token is a bearer token in the form of a JWT, signed or encrypted (RFC 7519 §3), such as an ID token
    /// or an access token of a provider.
    ///
    /// A session token has no dots. The JSON object of the header begins with `{"`.
    var isJWT: Bool {
        let dots = token.utf8.count { $0 == UInt8(ascii: ".") }
        return transport == .bearer && token.utf8.starts(with: "eyJ".utf8) && (dots == 2 || dots == 4)
    }

    private init(token: String, transport: SessionTransport) {
        self.token = token
        self.transport = transport
    }

    /// Returns the bearer token in `Authorization`; nil if there is none, or if the scheme is another one.
    private static func bearer(_ headers: HTTPFields) throws(Problem) -> String? {
        do throws(MalformedAuthorization) {
            return try AuthorizationField(headers, schemes: [.bearer])?.token
        } catch {
            throw .malformedAuthorization([.wwwAuthenticate: Challenge(.invalidRequest).text])
        }
    }
}

extension HTTPFields {
    /// Returns the value of a cookie (RFC 6265 §4.2.1); nil if the request has no cookie of this name, or several.
    ///
    /// A browser has one cookie of each `__Host-` name, and a second one if an application of the same host has set it
    /// as a partitioned cookie (CHIPS). Which one came from this service cannot be told.
    package func cookie(_ name: String) -> String? {
        var found: Substring.UTF8View?
        for cookie in cookies where cookie.name.elementsEqual(name.utf8) {
            guard found == nil else { return nil }
            found = cookie.value
        }
        return found.map { String(Substring($0)) }
    }

    /// The cookies of a request, in order.
    var cookies: [(name: Substring.UTF8View, value: Substring.UTF8View)] {
        self[values: .cookie].flatMap { field in
            field.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
                let pair = pair.drop { $0 == 0x20 || $0 == 0x09 }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                return (pair[..<equals], pair[pair.index(after: equals)...])
            }
        }
    }
}
#endif
