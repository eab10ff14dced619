// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The HTTP connection to one service.
///
/// `URLSessionTransport` of the module `LoginClientURLSession` is the implementation over Foundation. An application
/// with an HTTP client of its own, and a test, implement this protocol.
public protocol LoginClientTransport: Sendable {
    /// The URL of the service, which is stored with the tokens: they are sent to no other service.
    var service: String { get }

    /// Sends a request, and returns the response, whatever its status is.
    ///
    /// An implementation does not follow redirects, because they would disclose tokens to another server. It limits the
    /// size of the body and the time until the response is complete. Limit the time to less than 30 seconds: for that
    /// time after a refresh, the service accepts a repetition.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: Any error if there is no response.
    func send(_ request: LoginClientRequest) async throws -> LoginClientResponse
}

/// An HTTP request to the service.
public struct LoginClientRequest: Sendable, Hashable {
    /// The method, for example `POST`.
    public var method: String

    /// The path below the URL of the service, with a leading slash, and the query if there is one.
    public var path: String

    /// The header fields by name.
    public var headers: [String: String]

    /// The body; nil for none.
    public var body: [UInt8]?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the URL of the service, with a leading slash, and the query if there is one.
    ///   - headers: The header fields by name.
    ///   - body: The body; nil for none.
    public init(_ method: String, _ path: String, headers: [String: String] = [:], body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// Returns the request with a session token (RFC 6750 §2.1).
    func authorized(by sessionToken: String) -> Self {
        var request = self
        request.headers["Authorization"] = "Bearer \(sessionToken)"
        return request
    }
}

extension LoginClientRequest: RedactedValue {
    /// The method only.
    public var description: String { "\(method) request" }
}

/// An HTTP response of the service.
public struct LoginClientResponse: Sendable, Hashable {
    /// The status.
    public let status: Int

    /// The header fields by name in lower case.
    public let headers: [String: String]

    /// The body.
    public let body: [UInt8]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields by name.
    ///   - body: The body.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = body
    }
}

extension LoginClientResponse {
    /// The number of seconds in `Retry-After` (RFC 9110 §10.2.3); nil if it is missing, or a date.
    var retryAfter: Int? { headers["retry-after"].flatMap { Int($0) }.flatMap(Self.delay) }

    /// Returns a number of seconds to wait that the service has sent; nil if it is negative.
    static func delay(_ seconds: Int) -> Int? { seconds >= 0 ? seconds : nil }
}

extension LoginClientResponse: RedactedValue {
    /// The status only.
    public var description: String { "response with status \(status)" }
}
