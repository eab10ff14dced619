// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension GraphError {
    /// Creates the error of a response that the application received for a request of its own.
    ///
    /// The categories, the limits and the redaction are those of the errors that ``GraphAPI`` throws. It is nil if the
    /// response is no error: if its status is below 300, and its body is not a JSON object with a member `error`.
    ///
    /// ```swift
    /// if let error = GraphError(status: status, headers: headers, body: body) { throw error }
    /// ```
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields. `Retry-After` and `X-Business-Use-Case-Usage` become ``retryAfter``.
    ///   - body: The body, decompressed. A body of more than 256 KiB is not read.
    public init?(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        let response = TransportResponse(status: status, headers: headers, body: body)
        guard let error = response.graphError(in: response.json(limit: GraphLimits.responseBytes)) else { return nil }
        self = error
    }
}

extension TransportResponse {
    /// Reads a response of the Graph API.
    ///
    /// - Parameter limit: The maximum length in bytes.
    /// - Returns: The response; nil if it is not JSON.
    /// - Throws: ``GraphError`` for every response that is an error by its body or its status.
    func graphAnswer(limit: Int) throws(GraphError) -> JSONValue? {
        let isPlain = values(of: "Content-Encoding").allSatisfy { ["", "identity"].contains($0.lowercased()) }
        guard isPlain, body.count <= limit else {
            throw GraphError(.unavailable, "the response is compressed or too long", status: status)
        }
        let json = json(limit: limit)
        if let error = graphError(in: json) { throw error }
        return json
    }

    /// Returns the body; nil if it is not JSON, or longer than the limit in bytes.
    fileprivate func json(limit: Int) -> JSONValue? {
        let limits = JSONLimits(bytes: limit, depth: Limits.jsonDepth, members: Limits.jsonMembers)
        return try? JSONDocument.read(body.withoutByteOrderMark, limits: limits).root
    }

    /// Returns the error that the response is by its body or its status; nil if it is none.
    fileprivate func graphError(in json: JSONValue?) -> GraphError? {
        guard !(300..<400).contains(status) else {
            return GraphError(.unavailable, "the response is a redirect, which is not followed", status: status)
        }
        if let error = json?["error"], error.kind == .object {
            return GraphError(error, status: status, retryAfter: retryAfter)
        }
        return switch status {
        case ..<300: nil
        case 429: GraphError(.throttle, "too many calls", status: status, retryAfter: retryAfter)
        case 500...: GraphError(.transient, "server error at Facebook", status: status, retryAfter: retryAfter)
        default: GraphError(.unavailable, "the response has an error status but no error", status: status)
        }
    }

    /// The longest wait that the headers ask for: `Retry-After` in seconds (RFC 9110 §10.2.3), or Facebook's estimates
    /// in minutes.
    private var retryAfter: Duration? {
        let seconds = values(of: "Retry-After").compactMap(Self.wholeNumber)
        let estimates = values(of: "X-Business-Use-Case-Usage").flatMap(Self.estimatedMinutes)
        let longest = (seconds + estimates.map { $0 * 60 }).max() ?? 0
        return longest > 0 ? min(.seconds(longest), GraphLimits.retryAfter) : nil
    }

    /// Returns the members `estimated_time_to_regain_access` of all use cases of all businesses.
    private static func estimatedMinutes(_ header: String) -> [Int] {
        let limits = JSONLimits(bytes: 16 * 1024, depth: Limits.jsonDepth, members: Limits.jsonMembers)
        guard let json = try? JSONDocument.read(Array(header.utf8), limits: limits).root else { return [] }
        return (json.members ?? []).flatMap { $0.value.elements ?? [] }
            .compactMap { $0["estimated_time_to_regain_access"]?.integer }
            .map { min(max($0, 0), 24 * 60) }
    }

    /// Returns a number of one to nine digits; nil for any other text.
    private static func wholeNumber(_ text: String) -> Int? {
        let isNumber = (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int(text) : nil
    }
}
