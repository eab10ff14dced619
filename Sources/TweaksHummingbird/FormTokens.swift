// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import Hummingbird
internal import HTTPTypes
internal import LoginCrypto
internal import LoginText
package import LoginTokens
internal import NIOCore

/// The CSRF tokens of forms, each bound to a session.
///
/// A restart replaces the key: older pages must be reloaded.
package struct FormTokens: Sendable {
    /// The maximum size of a form: 16 KiB, four times the longest value of a tweak.
    package static let formBytes = 16 * 1024

    private let key = randomBytes(count: 32)

    /// Creates the tokens, with a new key.
    package init() {}

    /// Returns the token of a session, which only a reader of its pages knows.
    package func token(for session: String) -> String {
        Base64URL.encode(Digest.sha256.authenticationCode(of: "form of an operator \(session)".utf8, key: key))
    }

    /// Reads a form, and checks its token.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - session: The session of the operator who made the request.
    ///   - limit: The maximum size in bytes.
    /// - Returns: The fields.
    /// - Throws: ``PageRefusal``
    package func form(of request: Request, for session: String, atMost limit: Int = FormTokens.formBytes)
        async throws(PageRefusal) -> FormFields
    {
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            throw PageRefusal(.unsupportedMediaType, "The request is not a valid form.")
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch {
            throw PageRefusal(.contentTooLarge, "The form is too long.")
        }
        guard let form = FormFields(reading: body.readableBytesView, atMost: 16) else {
            throw PageRefusal(.badRequest, "The request is not a valid form.")
        }
        guard let token = form.only("csrf"), constantTimeEquals(Array(token.utf8), Array(self.token(for: session).utf8))
        else {
            throw PageRefusal(
                .forbidden,
                "The form belongs to another session, or was loaded before a restart. Reload the page."
            )
        }
        return form
    }
}
#endif
