// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
package import LoginTokens

extension Visit {
    /// Returns the body, read within a size limit and a deadline, if the network of the client does not send too many.
    ///
    /// All operations and pages read bodies with this function, and an application's routes may. A body that arrives
    /// slowly holds a connection, also that of a proxy, so each body counts for the network of the client while it is
    /// read.
    ///
    /// - Parameters:
    ///   - limit: The maximum size in bytes.
    ///   - deadline: The maximum time.
    /// - Returns: The whole body.
    /// - Throws: ``Problem``: `request-too-large`; `invalid-request` if the body is too slow or incomplete;
    ///   `too-many-requests` before it is read, if too many are; `CancellationError`.
    public func body(upTo limit: Int, within deadline: Duration = .seconds(20)) async throws -> [UInt8] {
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length > limit { throw Problem.tooLarge }
        let network = origin.addressPrefix
        guard bodies?.take(network) != false else { throw Problem.tooManyBodies }
        defer { bodies?.free(network) }
        let bytes = try await request.body.bytes(upTo: limit, within: deadline)
        guard length == nil || length == bytes.count else {
            throw Problem(.invalidRequest, "The body is incomplete or malformed.").closing
        }
        return bytes
    }

    /// Returns the fields of a posted form.
    ///
    /// - Parameter limit: The maximum size of the body in bytes.
    /// - Returns: The fields; ``FormFields/only(_:)`` returns one that occurs once.
    /// - Throws: ``Problem``: `unsupported-media-type` and those of ``body(upTo:within:)``.
    package func form(upTo limit: Int = 64 * 1024) async throws -> FormFields {
        try request.requireType("application/x-www-form-urlencoded")
        guard let fields = FormFields(reading: try await body(upTo: limit)) else {
            throw Problem(.invalidRequest, "The body must be a form in UTF-8 with at most 64 fields.")
        }
        return fields
    }
}

extension ServerRequest {
    /// Verifies the media type of the body, compared without parameters and without case (RFC 9110 §8.3.1).
    ///
    /// - Throws: ``Problem`` with the code `unsupported-media-type`.
    package func requireType(_ type: String) throws(Problem) {
        let value = headers[.contentType] ?? ""
        if value == type { return }
        let essence = value.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
            .map { $0 | ((0x41...0x5A).contains($0) ? 0x20 : 0) }
        guard essence.elementsEqual(type.utf8) else {
            throw Problem(.unsupportedType, "The media type of the body must be \(type).")
        }
    }
}

extension Problem {
    /// The body is too large.
    ///
    /// The connection is closed without reading the rest.
    static var tooLarge: Problem { Problem(.tooLarge).closing }

    /// Too many bodies are being read, which takes at most ``BodyPace``.
    ///
    /// The connection is closed without reading the body.
    fileprivate static var tooManyBodies: Problem {
        let wait = String(Problem.seconds(BodyPace.allowance(received: 0)))
        return Problem(ProblemCode(.tooManyRequests), headers: [.retryAfter: wait]).closing
    }
}
#endif
