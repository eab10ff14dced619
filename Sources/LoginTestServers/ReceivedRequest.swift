// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

/// A request that a ``ScriptedServer`` received.
public struct ReceivedRequest: Sendable {
    /// The method, for example `GET`.
    public let method: String

    /// The request target as written: the path and the query.
    public let target: String

    /// The header fields, in their order.
    public let headers: [(name: String, value: String)]

    /// The body.
    public let body: [UInt8]

    /// The server name that the client sent in the TLS handshake (RFC 6066 §3); nil without TLS, or if it sent none.
    public internal(set) var serverName: String?

    /// The path, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// Returns the values of all header fields with this name, in their order; names are compared case-insensitively.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

extension ReceivedRequest {
    /// The result of parsing the bytes received so far.
    enum Reading {
        /// The request is incomplete.
        case incomplete
        /// The bytes are not a request, or exceed the limit.
        case unreadable
        case complete(ReceivedRequest)
    }

    /// The maximum size of a request, in bytes.
    private static let bytes = 1_048_576

    static func read(_ bytes: [UInt8]) -> Reading {
        // A client that uses TLS with a server without it gets an error at once, instead of waiting for a response.
        guard bytes.count <= Self.bytes, bytes.first.map({ (0x41...0x5A).contains($0) }) ?? true else {
            return .unreadable
        }
        guard let headEnd = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return .incomplete }
        guard let head = String(validating: bytes[..<headEnd.lowerBound], as: UTF8.self) else { return .unreadable }
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return .unreadable }
        let headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (name: String(parts[0]), value: String(value))
        }
        let body = bytes[headEnd.upperBound...]
        let lengths = headers.filter { $0.name.lowercased() == "content-length" }.compactMap { Int($0.value) }
        if body.count < lengths.first ?? 0 { return .incomplete }
        return .complete(
            ReceivedRequest(method: String(words[0]), target: String(words[1]), headers: headers, body: Array(body))
        )
    }
}

#endif
