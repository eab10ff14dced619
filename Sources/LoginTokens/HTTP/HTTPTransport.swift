// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Sends one HTTP request and brings back the answer.
///
/// Everything in this package that asks another server goes through one of these, so that a server can bring its own client
/// and a test none at all. One that conforms keeps to four things, whoever answers:
///
/// - It asks the host of the address and no other: it follows no redirect, and uses no proxy that it was not given.
/// - It gives up when the deadline has passed, the name, the connection, the head and the body all included.
/// - It reads no more of the body than the limit, whatever the length that was announced, and decompresses nothing.
/// - It verifies the server's certificate.
public protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// - Parameter request: What to ask, and how long and how much to listen.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``TransportFailure`` if there is none.
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse
}

/// What to ask another server, and how long and how much to listen.
public struct TransportRequest: Sendable {
    /// The method of a request.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    /// The method.
    public var method: Method

    /// Whom to ask, and for what.
    public var url: EndpointURL

    /// The fields of the head, beyond those that every request has.
    public var headers: [(name: String, value: String)]

    /// The body; empty for none.
    public var body: [UInt8]

    /// How much of an answer's body is read, in bytes.
    ///
    /// A longer one is a failure, never cut.
    public var responseLimit: Int

    /// How long everything may take.
    public var deadline: Duration

    /// - Parameters:
    ///   - method: The method.
    ///   - url: Whom to ask, and for what.
    ///   - headers: The fields of the head, beyond those that every request has.
    ///   - body: The body; empty for none.
    ///   - responseLimit: How much of an answer's body is read, in bytes.
    ///   - deadline: How long everything may take.
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

/// What another server answered.
public struct TransportResponse: Sendable {
    /// The status, 200 to 599.
    public var status: Int

    /// The fields of the head, in their order.
    public var headers: [(name: String, value: String)]

    /// The body, as it was sent: nothing is decompressed.
    public var body: [UInt8]

    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The fields of the head, in their order.
    ///   - body: The body, as it was sent.
    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The values of each field of this name, in their order.
    ///
    /// - Parameter name: The name; letter case does not count (RFC 9110 §5.1).
    /// - Returns: The values as they were sent, not yet split at commas.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// Why there is no answer from another server.
public struct TransportFailure: Error, Sendable, Hashable {
    /// The stable name of a reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `deadline`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The address is not one that may be asked.
        public static let url = Self("url")
        /// The host's name has no address.
        public static let name = Self("name")
        /// The host is, or its name leads to, a network address that may not be asked.
        public static let address = Self("address")
        /// There is no connection to the host.
        public static let connection = Self("connection")
        /// The connection is not secure: the certificate is not the host's, not in force, or of nobody we trust.
        public static let tls = Self("tls")
        /// It took too long.
        public static let deadline = Self("deadline")
        /// The answer is too long.
        public static let tooLarge = Self("too-large")
        /// The connection ended before the answer did, or what came is not HTTP.
        public static let interrupted = Self("interrupted")

        /// All of them.
        public static let all: [Self] = [.url, .name, .address, .connection, .tls, .deadline, .tooLarge, .interrupted]
    }

    /// The stable name of the reason.
    public let code: Code

    /// What was seen, in a few words.
    public let detail: String

    /// - Parameters:
    ///   - code: The stable name of the reason.
    ///   - detail: What was seen, for the operator; no secret may stand in it, and nothing that the server sent.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }
}

extension TransportFailure: CustomStringConvertible {
    /// The code and what was seen, for the operator.
    public var description: String { "\(code): \(detail)" }
}

extension TransportRequest: Redacted {
    /// The method and the origin: path, query, fields and body may hold tokens and secrets.
    public var description: String { "\(method.rawValue) to \(url.origin)" }
}

extension TransportResponse: Redacted {
    /// The status and the length: fields and body may hold tokens.
    public var description: String { "answer with status \(status), \(body.count) bytes" }
}
