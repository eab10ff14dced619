// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What stands in a token that nobody has verified: for looking at, never for deciding.
///
/// Anyone can write such a token. Nothing that verifies accepts this type, and nothing makes a ``VerifiedToken`` of it.
public struct UnverifiedToken: Sendable {
    /// The header as written.
    public let header: JOSEHeader

    /// The claims as written.
    public let claims: Claims

    /// Reads a token without verifying it.
    ///
    /// - Parameter text: The compact serialization.
    /// - Throws: ``TokenRefusal`` if the token is not well formed.
    public init(inspecting text: String) throws(TokenRefusal) {
        do throws(TokenRefusal) {
            let jws = try CompactJWS(text)
            self.header = jws.header
            self.claims = try Claims(jws.payload)
        } catch {
            throw error.recognizing(text)
        }
    }
}

extension UnverifiedToken: Redacted {
    /// A fixed text, without the claims.
    public var description: String { "token, unverified" }
}
