// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Why the answer of another server is not one whose body may be read.
package struct ResponseFault: Error, Sendable, Hashable {
    /// What is wrong with it.
    package enum Code: Sendable, Hashable {
        /// It sends us elsewhere, and we do not go.
        case redirect
        /// Its status is not one that was asked for.
        case status
        /// It is compressed, though that was not asked for.
        case contentEncoding
        /// It is not said to be JSON.
        case contentType
        /// It is longer than was asked for.
        case tooLarge
    }

    /// What is wrong with it.
    package let code: Code

    /// What was seen, in a few words, for the operator.
    package let detail: String

    /// The types by which servers say that they answer JSON.
    package static let json: Set<String> = ["application/json"]
}

extension TransportResponse {
    /// Refuses what is not JSON in plain form, with a status that was asked for, before anybody reads the body.
    ///
    /// - Parameters:
    ///   - statuses: The statuses to take; none from 300 to 399.
    ///   - contentTypes: The media types to take, in lower case.
    ///   - limit: How much of a body is taken, in bytes.
    /// - Throws: ``ResponseFault``.
    package func check(
        statuses: ClosedRange<Int> = 200...200,
        contentTypes: Set<String> = ResponseFault.json,
        limit: Int
    ) throws(ResponseFault) {
        guard !(300..<400).contains(status) else {
            throw ResponseFault(code: .redirect, detail: "it answered \(status), and we follow no redirect")
        }
        guard statuses.contains(status) else {
            throw ResponseFault(code: .status, detail: "it answered \(status), not \(statuses.lowerBound)")
        }
        let encodings = values(of: "Content-Encoding").map { $0.lowercased() }
        guard encodings.allSatisfy({ ["", "identity"].contains($0) }) else {
            throw ResponseFault(code: .contentEncoding, detail: "it is compressed, which was not asked for")
        }
        let types = values(of: "Content-Type")
        guard types.count == 1, contentTypes.contains(Self.mediaType(types[0])) else {
            let seen = types.isEmpty ? "it does not say what it is" : "it is said to be \(quoted(types)), not JSON"
            throw ResponseFault(code: .contentType, detail: "\(seen) (Content-Type)")
        }
        guard body.count <= limit else {
            throw ResponseFault(code: .tooLarge, detail: "it has more than \(limit) bytes")
        }
    }

    /// The media type without its parameters; letter case does not count (RFC 9110 §8.3.1).
    private static func mediaType(_ value: String) -> String {
        // A media type is ASCII; what is not would take long to be compared.
        guard value.utf8.allSatisfy({ $0 < 0x80 }) else { return "" }
        let end = value.utf8.firstIndex { $0 == UInt8(ascii: ";") } ?? value.endIndex
        return value[..<end].filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
