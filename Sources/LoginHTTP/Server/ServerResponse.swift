// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
public import LoginTokens
internal import Synchronization

/// A response, which the server of any framework sends.
///
/// The response to a HEAD request has no body, and the fields of the response to GET, `Content-Length` included.
public struct ServerResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields, in order.
    public var headers: HTTPFields

    /// The body, empty for none.
    public private(set) var body: Body

    /// The template of the path, for example `/v1/sessions/{id}`, for metrics and spans; nil if no path matched.
    ///
    /// The path itself may contain secrets and personal data.
    public internal(set) var route: String?

    /// Whether the server must close the connection after the response, because it has not read the whole request.
    ///
    /// Over HTTP/1.1 the response has the field `Connection: close` then (RFC 9112 §9.6), which HTTP/2 forbids.
    public internal(set) var closesConnection = false

    /// Creates a response, and adds the field `Content-Length` unless the status forbids it.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    public init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: Body = .empty) {
        (self.status, self.headers, self.body) = (status, headers, body)
        // RFC 9110 §8.6 forbids it where there is no content.
        guard status != .noContent, status != .notModified, status.kind != .informational,
            !headers.contains(.contentLength)
        else { return }
        self.headers[.contentLength] = "\(body.bytes.count)"
    }

    /// An empty response with status 204.
    static var noContent: Self { Self(status: .noContent, headers: [.cacheControl: "no-store"]) }

    /// Returns the response to a request: for HEAD without the body of the response to GET (RFC 9110 §9.3.2).
    func answering(_ request: ServerRequest) -> Self {
        guard request.method == .head else { return self }
        var response = self
        response.body = .empty
        return response
    }
}

extension ServerResponse: Redacted {
    /// The status and the route, without the fields and the body, which may contain secrets and personal data.
    public var description: String { "\(status.code) \(route ?? "no route")" }
}

extension ServerResponse {
    /// The bytes of a response.
    public final class Body: Sendable {
        /// The bytes.
        public let bytes: [UInt8]

        private let isReused: Bool
        private let converted = Mutex<(any Sendable)?>(nil)

        /// No bytes.
        public static let empty = Body([])

        /// Creates a body.
        ///
        /// - Parameters:
        ///   - bytes: The bytes.
        ///   - isReused: Whether many responses have this body, so that its conversion is worth keeping.
        public init(_ bytes: some Sequence<UInt8>, isReused: Bool = false) {
            self.bytes = Array(bytes)
            self.isReused = isReused
        }

        /// Returns the bytes in the type of a framework, which is kept for a body of many responses.
        ///
        /// - Parameter conversion: The conversion, always to the same type.
        /// - Returns: The bytes.
        public func converted<Bytes: Sendable>(by conversion: ([UInt8]) -> Bytes) -> Bytes {
            guard isReused else { return conversion(bytes) }
            return converted.withLock { kept in
                if let kept = kept as? Bytes { return kept }
                let made = conversion(bytes)
                kept = made
                return made
            }
        }
    }
}
#endif
