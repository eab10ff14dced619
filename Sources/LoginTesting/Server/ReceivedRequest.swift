// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

/// A request as it came to a ``ScriptedServer``.
public struct ReceivedRequest: Sendable {
    /// The method, for example `GET`.
    public let method: String

    /// What was asked for, as it was written: the path and the query.
    public let target: String

    /// The fields of the head, in their order.
    public let headers: [(name: String, value: String)]

    /// The body.
    public let body: [UInt8]

    /// The host that the client named when TLS began (RFC 6066 §3); nil without TLS, or where it named none.
    public internal(set) var serverName: String?

    /// What was asked for, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The values of each field of this name, in their order; letter case does not count.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

extension ReceivedRequest {
    /// What can be said about the bytes that came so far.
    enum Reading {
        /// There must be more to come.
        case incomplete
        /// They are no request, or too much of one.
        case unreadable
        case complete(ReceivedRequest)
    }

    /// How many bytes of one request a server takes.
    private static let bytes = 1_048_576

    static func read(_ bytes: [UInt8]) -> Reading {
        // Whoever speaks TLS to a server without it should not have to wait for an answer.
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
