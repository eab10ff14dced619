// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
public import LoginTokens

/// The origins whose scripts may call an API in browsers and read its responses, by the CORS protocol (Fetch §3.2).
///
/// ```swift
/// let origins = try AllowedOrigins(["https://app.example.com"])
/// ```
///
/// The scripts send an access token themselves. `Access-Control-Allow-Credentials` is therefore never sent, and browsers
/// add no cookies. An origin only permits reading: a client that is no browser can send any origin, and needs a token
/// like every other.
public struct AllowedOrigins: Sendable, Hashable {
    /// No origin: responses have no fields of CORS, and preflights are requests without a token.
    public static let none = Self(checked: [])

    /// The maximum number of origins: each request is compared with all of them.
    private static let most = 100

    /// The origins, in the order in which they were listed, each once.
    public let all: [String]

    /// Creates a list of origins.
    ///
    /// - Parameter origins: The origins exactly as browsers send them in `Origin` (RFC 6454 §6.2), at most 100: `https` or
    ///   the scheme of an app, such as `capacitor://localhost`; the host in lower case, and in Punycode if it is not
    ///   ASCII; the port unless it is the default one. `http` is allowed on loopback hosts, for development.
    /// - Throws: `PolicyError` if an origin is another text, such as `*`, `null`, or a URL with a path.
    public init(_ origins: [String]) throws(PolicyError) {
        guard origins.count <= Self.most else { throw PolicyError("at most \(Self.most) origins can be listed") }
        var checked: [String] = []
        for origin in origins {
            try Self.check(origin)
            if !checked.contains(origin) { checked.append(origin) }
        }
        self.init(checked: checked)
    }

    private init(checked: [String]) { all = checked }

    private static func check(_ origin: String) throws(PolicyError) {
        guard origin != "*", origin != "null" else {
            throw PolicyError("\(origin) would allow any page; list each origin")
        }
        guard EndpointURL.isWeb(origin) else {
            guard isApp(origin) else {
                throw PolicyError(
                    "each origin must be as browsers send it, for example https://app.example.com"
                )
            }
            return
        }
        let url: EndpointURL
        do throws(TransportFailure) { url = try EndpointURL(origin, allowsLoopbackHTTP: true) } catch {
            throw PolicyError("an origin has an \(error.detail)")
        }
        guard origin.utf8.elementsEqual(url.origin.utf8) else {
            throw PolicyError("browsers send the origin \(url.origin), without a path; write exactly this")
        }
    }

    /// Schemes whose pages have another origin, or none.
    private static let noOrigins: Set<String> = ["about", "blob", "data", "file", "javascript", "ws", "wss"]

    /// Returns whether a text is the origin of an app: a scheme, a host and perhaps a port, all in lower case.
    private static func isApp(_ origin: String) -> Bool {
        guard let separator = origin.firstRange(of: "://") else { return false }
        let scheme = origin[..<separator.lowerBound].utf8
        let authority = origin[separator.upperBound...].utf8
        let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard !noOrigins.contains(String(origin[..<separator.lowerBound])), let first = scheme.first, isLetter(first),
            scheme.allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) }),
            let host = parts.first, !host.isEmpty, parts.count <= 2,
            host.allSatisfy({ isLetterOrDigit($0) || "-._".utf8.contains($0) })
        else { return false }
        guard parts.count == 2 else { return true }
        let port = String(parts[1]) ?? ""
        return UInt16(port).map { $0 > 0 && "\($0)" == port } ?? false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) }
}

extension AllowedOrigins {
    /// The header fields beyond the safelisted ones (Fetch §2.2.2) that scripts may read: what they need after a refusal.
    private static let exposed = "WWW-Authenticate, DPoP-Nonce, Retry-After"

    /// Returns the origin of a request if it is allowed.
    private func origin(of request: ServerRequest) -> String? {
        let sent = request.headers[values: .origin]
        guard sent.count == 1 else { return nil }
        return all.first { $0.utf8.elementsEqual(sent[0].utf8) }
    }

    /// Completes the fields of any response to a request, a refusal too: otherwise, a script could not read it.
    ///
    /// The fields that the application has set itself are replaced. Two values of one would make the response unreadable,
    /// and others could allow more.
    func complete(_ headers: inout HTTPFields, of request: ServerRequest) {
        guard !all.isEmpty else { return }
        headers[.accessControlAllowCredentials] = nil
        headers[.accessControlAllowOrigin] = origin(of: request)
        let exposes = headers.contains(.accessControlAllowOrigin) && !request.isPreflight
        headers[.accessControlExposeHeaders] = exposes ? Self.exposed : nil
        // Also for other origins and none: a cache must not answer one with the response for another (Fetch §3.2.5).
        let list = headers[values: .vary].joined(separator: ",").lowercased()
        let varies: [String] = list.split(separator: ",").map { name in name.filter { $0 != " " && $0 != "\t" } }
        if !varies.contains("origin"), !varies.contains("*") {
            headers.append(HTTPField(name: .vary, value: "Origin"))
        }
    }

    /// Returns the response to a CORS preflight (Fetch §3.2.2); nil if the request is none, or no origin is listed.
    ///
    /// An allowed origin may use any method and any field, because the access token and the route decide about both.
    /// Another origin gets the same response without permission, after which its browser does not send the request.
    func preflight(_ request: ServerRequest) -> ServerResponse? {
        guard !all.isEmpty, request.isPreflight else { return nil }
        var response = ServerResponse.noContent
        complete(&response.headers, of: request)
        guard response.headers.contains(.accessControlAllowOrigin) else { return response }
        response.headers[.accessControlAllowMethods] = request.headers[.accessControlRequestMethod]
        response.headers[.accessControlAllowHeaders] = request.headers[.accessControlRequestHeaders]
        // The time for which a browser does not ask again: ten minutes, in which a removed origin can still send requests,
        // but cannot read the responses.
        response.headers[.accessControlMaxAge] = "600"
        return response
    }
}

extension ServerRequest {
    /// Whether a browser asks if a script of another origin may send a request (Fetch §3.2.2).
    var isPreflight: Bool {
        method == .options && headers.contains(.origin) && headers[values: .accessControlRequestMethod].count == 1
    }
}

extension EndpointURL {
    /// Returns whether a text begins with the scheme of a page on the web.
    fileprivate static func isWeb(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start == "https://" || start.hasPrefix("http://")
    }
}
#endif
