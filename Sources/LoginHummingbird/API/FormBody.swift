// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
package import Hummingbird
internal import LoginTokens
internal import NIOCore

/// The fields of a form that a browser posted.
package struct FormBody: Sendable {
    private let fields: FormFields

    /// Reads the body of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: How many bytes it may have.
    /// - Throws: ``Problem``: `unsupported-media-type`, `request-too-large`, `invalid-request`.
    package init(_ request: Request, upTo limit: Int = 64 * 1024) async throws {
        try request.requireType("application/x-www-form-urlencoded")
        guard let fields = FormFields(reading: try await request.bytes(upTo: limit)) else {
            throw Problem(.invalidRequest, "The body is not a form of at most 64 fields in UTF-8.")
        }
        self.fields = fields
    }

    /// What a field holds; nil where it is not there, or more than once: which one is meant is for nobody to guess.
    package subscript(name: String) -> String? { fields.only(name) }
}

extension Request {
    /// How long a body may take: nobody keeps a connection by sending a byte now and then.
    static var bodyDeadline: Duration { .seconds(20) }

    /// The bytes of the body, of which no more are read than wanted, and none for longer than that.
    ///
    /// The deadline is checked when a piece arrives. ``ConnectionLimits/requestTimeout`` closes the connection of a client that sends
    /// none.
    ///
    /// - Parameters:
    ///   - limit: How many bytes it may have.
    ///   - deadline: How long it may take.
    /// - Returns: All of it.
    /// - Throws: ``Problem``: `request-too-large`; `invalid-request` where it comes too slowly, or breaks off.
    package func bytes(upTo limit: Int, within deadline: Duration = bodyDeadline) async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw Problem.tooLarge }
        let begun = ContinuousClock.now
        var read: [UInt8] = []
        do {
            for try await piece in body {
                guard piece.readableBytes <= limit - read.count else { throw Problem.tooLarge }
                read.append(contentsOf: piece.readableBytesView)
                guard begun.duration(to: .now) <= deadline else {
                    throw Problem(.invalidRequest, "The body did not come in time.", headers: .closing)
                }
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            guard !Task.isCancelled else { throw error }
            // What the client sends is no fault of the service, whatever the reader calls it.
            throw Problem(.invalidRequest, "The body broke off, or is none.", headers: .closing)
        }
        return read
    }

    /// Wants the body to be of a type, compared without parameters and without case (RFC 9110 §8.3.1).
    ///
    /// - Throws: ``Problem`` with the code `unsupported-media-type`.
    package func requireType(_ type: String) throws(Problem) {
        let value = headers[.contentType] ?? ""
        let essence = value.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
            .map { $0 | ((0x41...0x5A).contains($0) ? 0x20 : 0) }
        guard essence.elementsEqual(type.utf8) else { throw Problem(.unsupportedType, "The body has to be \(type).") }
    }
}

extension Problem {
    /// The body is too long; what is left of it is not waited for.
    static var tooLarge: Problem { Problem(.tooLarge, headers: .closing) }
}

extension HTTPFields {
    /// Those of an answer after which the connection is of no use any more.
    fileprivate static var closing: HTTPFields { [.connection: "close"] }
}
#endif
