// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An HTTP client that sends one request and returns its response.
///
/// All requests of this package to other servers go through a transport, so that a server can supply its own HTTP
/// client, and a test can do without the network. A conforming type must meet four requirements:
///
/// - It connects only to the host of the URL: it follows no redirect, and uses no proxy that was not configured.
/// - It enforces the deadline for the whole exchange: name resolution, connection, head and body.
/// - It reads no more of the body than the limit, whatever `Content-Length` says, and decompresses nothing.
/// - It verifies the server's certificate.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: The request, with its deadline and its response limit.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``TransportFailure`` if there is no response.
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse
}

/// An HTTP request to another server, with its deadline and its response limit.
public struct TransportRequest: Sendable {
    /// The method of a request.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// The method.
    public var method: Method

    /// The URL.
    public var url: EndpointURL

    /// The header fields, in addition to those that every request has.
    public var headers: [(name: String, value: String)]

    /// The body; empty for none.
    public var body: [UInt8]

    /// The maximum size of the response body, in bytes.
    ///
    /// A longer body is a failure; it is never truncated.
    public var responseLimit: Int

    /// The deadline for the whole exchange.
    public var deadline: Duration

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - headers: The header fields, in addition to those that every request has.
    ///   - body: The body; empty for none.
    ///   - responseLimit: The maximum size of the response body, in bytes.
    ///   - deadline: The deadline for the whole exchange.
    public init(
        method: Method = .get,
        url: EndpointURL,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        responseLimit: Int,
        deadline: Duration
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.responseLimit = responseLimit
        self.deadline = deadline
    }
}

/// An HTTP response of another server.
public struct TransportResponse: Sendable {
    /// The status code, 200 to 599.
    public var status: Int

    /// The header fields, in their order.
    public var headers: [(name: String, value: String)]

    /// The body as it was sent, never decompressed.
    public var body: [UInt8]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields, in their order.
    ///   - body: The body as it was sent.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the values of all fields with this name, in their order.
    ///
    /// - Parameter name: The field name, compared case-insensitively (RFC 9110 §5.1).
    /// - Returns: The values as they were sent, not split at commas.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// An error for a request that received no response.
public struct TransportFailure: Error, Sendable, Hashable {
    /// The stable code of a transport failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code, for example `deadline`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The code, the same as ``rawValue``.
        public var description: String { rawValue }

        /// The URL is not acceptable.
        public static let url = Self("url")
        /// The host name cannot be resolved.
        public static let name = Self("name")
        /// The host is, or resolves to, a network address that may not be contacted.
        public static let address = Self("address")
        /// The connection to the host failed.
        public static let connection = Self("connection")
        /// TLS failed: the certificate is for another host, expired, not yet valid, or not trusted.
        public static let tls = Self("tls")
        /// The deadline passed.
        public static let deadline = Self("deadline")
        /// The response is too large.
        public static let tooLarge = Self("too-large")
        /// The connection closed before the response was complete, or the response is not HTTP.
        public static let interrupted = Self("interrupted")

        /// All codes.
        public static let all: [Self] = [.url, .name, .address, .connection, .tls, .deadline, .tooLarge, .interrupted]
    }

    /// The stable code of the failure.
    public let code: Code

    /// A short description of the failure.
    public let detail: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - code: The stable code.
    ///   - detail: A short description for the operator. It must not contain secrets or data that the server sent.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }
}

extension TransportFailure: CustomStringConvertible {
    /// The code and the description, for the operator.
    public var description: String { "\(code): \(detail)" }
}

extension TransportRequest: Redacted {
    /// The method and the origin; path, query, header fields and body may hold tokens and secrets.
    public var description: String { "\(method.rawValue) to \(url.origin)" }
}

extension TransportResponse: Redacted {
    /// The status code and the size of the body; header fields and body may hold tokens.
    public var description: String { "response with status \(status), \(body.count) bytes" }
}
