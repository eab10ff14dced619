// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The content of an unverified token, for inspection only.
///
/// Anybody can write such a token. No verifying method accepts this type, and it cannot be converted to a
/// ``VerifiedToken``.
public struct UnverifiedToken: Sendable {
    /// The header as written.
    public let header: JOSEHeader

    /// The claims as written.
    public let claims: Claims

    /// Parses a token without verifying it.
    ///
    /// - Parameters:
    ///   - text: The compact serialization.
    ///   - limits: The maximum sizes.
    /// - Throws: ``TokenRefusal`` if the token is malformed.
    public init(inspecting text: String, limits: TokenLimits = .standard) throws(TokenRefusal) {
        do throws(TokenRefusal) {
            let jws = try CompactJWS(text, limits: limits)
            self.header = jws.header
            self.claims = try Claims(jws.payload)
        } catch {
            throw error.recognizing(text, as: .idToken)
        }
    }
}

extension UnverifiedToken: Redacted {
    /// A fixed text without the claims.
    public var description: String { "token, unverified" }
}
