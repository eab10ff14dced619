// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An error for a response whose body must not be read.
package struct ResponseFault: Error, Sendable, Hashable {
    /// The code of a response fault.
    package enum Code: Sendable, Hashable {
        /// The status is 300 to 399, and no redirect is followed.
        case redirect
        /// The status is not among the expected ones.
        case status
        /// The body is compressed, although no encoding was requested.
        case contentEncoding
        /// The media type is not JSON.
        case contentType
        /// The body exceeds the limit.
        case tooLarge
    }

    /// The code of the fault.
    package let code: Code

    /// A short description, for the operator.
    package let detail: String

    /// The media types of JSON responses.
    package static let json: Set<String> = ["application/json"]
}

extension TransportResponse {
    /// Checks that the response is uncompressed JSON with an expected status, before the body is read.
    ///
    /// - Parameters:
    ///   - statuses: The accepted status codes; none from 300 to 399.
    ///   - contentTypes: The accepted media types, in lower case; `Provider.Documents.missingContentType` for none.
    ///   - limit: The maximum size of the body, in bytes.
    /// - Throws: ``ResponseFault``.
    package func check(
        statuses: ClosedRange<Int> = 200...200,
        contentTypes: Set<String> = ResponseFault.json,
        limit: Int
    ) throws(ResponseFault) {
        guard !(300..<400).contains(status) else {
            throw ResponseFault(code: .redirect, detail: "the server answered \(status); redirects are not followed")
        }
        guard statuses.contains(status) else {
            throw ResponseFault(code: .status, detail: "the server answered \(status), not \(statuses.lowerBound)")
        }
        let encodings = values(of: "Content-Encoding").map { $0.lowercased() }
        guard encodings.allSatisfy({ ["", "identity"].contains($0) }) else {
            throw ResponseFault(
                code: .contentEncoding,
                detail: "the response is compressed, although no encoding was requested"
            )
        }
        let types = values(of: "Content-Type")
        // No media type is the word for a missing one.
        let type = types.first.map { Self.mediaType($0) } ?? Provider.Documents.missingContentType
        guard types.count <= 1, types.isEmpty || type.contains("/"), contentTypes.contains(type) else {
            let seen = types.isEmpty ? "missing" : quoted(types)
            throw ResponseFault(code: .contentType, detail: "the Content-Type is \(seen), not JSON")
        }
        guard body.count <= limit else {
            throw ResponseFault(code: .tooLarge, detail: "the response has more than \(limit) bytes")
        }
    }

    /// Returns the media type in lower case, without parameters; media types are case-insensitive (RFC 9110 §8.3.1).
    private static func mediaType(_ value: String) -> String {
        // A media type is ASCII; comparing other text could be slow.
        guard value.utf8.allSatisfy({ $0 < 0x80 }) else { return "" }
        let end = value.utf8.firstIndex { $0 == UInt8(ascii: ";") } ?? value.endIndex
        return value[..<end].filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
