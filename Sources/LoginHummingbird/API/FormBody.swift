// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
package import Hummingbird
internal import LoginAccounts
internal import LoginTokens
internal import NIOCore

/// The fields of a posted form.
package struct FormBody: Sendable {
    private let fields: FormFields

    /// Reads the form in the body of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The maximum size of the body in bytes.
    ///   - login: The client.
    /// - Throws: ``Problem``: `unsupported-media-type`, `request-too-large`, `invalid-request`, `too-many-requests`.
    package init(_ request: Request, upTo limit: Int = 64 * 1024, from login: RequestLogin) async throws {
        try request.requireType("application/x-www-form-urlencoded")
        guard let fields = FormFields(reading: try await request.bytes(upTo: limit, from: login)) else {
            throw Problem(.invalidRequest, "The body must be a form in UTF-8 with at most 64 fields.")
        }
        self.fields = fields
    }

    /// The value of a field; nil if the field is missing, or ambiguous because it occurs more than once.
    package subscript(name: String) -> String? { fields.only(name) }
}

extension Request {
    /// The default deadline for reading a body, so that slow clients do not occupy connections.
    static var bodyDeadline: Duration { .seconds(20) }

    /// Returns the body, read within a size limit and a deadline, if its network does not hold too many.
    ///
    /// All operations and pages read bodies with this function, which counts them for the network of the client, also
    /// behind a proxy: a body that arrives slowly holds a connection. Requests without a body are not counted.
    ///
    /// The deadline is checked when a chunk arrives. ``ConnectionLimits`` close the connection of a client that sends
    /// none, or too few bytes.
    ///
    /// - Parameters:
    ///   - limit: The maximum size in bytes.
    ///   - login: The client.
    ///   - deadline: The maximum time.
    /// - Returns: The whole body.
    /// - Throws: ``Problem``: `request-too-large`; `invalid-request` if the body is too slow or incomplete;
    ///   `too-many-requests` before it is read, if too many are.
    package func bytes(
        upTo limit: Int,
        from login: RequestLogin,
        within deadline: Duration = bodyDeadline
    ) async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw Problem.tooLarge }
        let network = login.origin.addressPrefix
        guard login.bodies?.take(network) != false else { throw Problem.tooManyBodies }
        defer { login.bodies?.free(network) }
        let begun = ContinuousClock.now
        var read: [UInt8] = []
        do {
            for try await piece in body {
                guard piece.readableBytes <= limit - read.count else { throw Problem.tooLarge }
                read.append(contentsOf: piece.readableBytesView)
                guard begun.duration(to: .now) <= deadline else {
                    throw Problem(.invalidRequest, "The body was not received in time.", headers: .closing)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            guard !Task.isCancelled else { throw error }
            // A malformed body is an error of the client, whatever error the reader throws.
            throw Problem(.invalidRequest, "The body is incomplete or malformed.", headers: .closing)
        }
        return read
    }

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
    static var tooLarge: Problem { Problem(.tooLarge, headers: .closing) }

    /// Too many bodies are being read, which takes at most ``BodyPace``.
    ///
    /// The connection is closed without reading the body.
    fileprivate static var tooManyBodies: Problem {
        var headers = HTTPFields.closing
        headers[.retryAfter] = String(Problem.seconds(BodyPace.allowance(received: 0)))
        return Problem(ProblemCode(.tooManyRequests), headers: headers)
    }
}

extension HTTPFields {
    /// The header fields of a response that closes the connection.
    fileprivate static var closing: HTTPFields { [.connection: "close"] }
}
#endif
