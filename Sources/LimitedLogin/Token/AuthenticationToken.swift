// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A verified Limited Login token, with the user's profile.
///
/// The type of this name in Facebook's SDK only means that the app received a token. Here it means that the token is
/// genuine: only ``LimitedLoginVerifier`` and `LoginSuccess.authenticationToken` return it.
public struct AuthenticationToken: Sendable {
    /// The token, in its compact serialization.
    ///
    /// Its holder can sign in with it until it expires: do not store or log it.
    public let tokenString: String

    /// The claims, by Facebook's names.
    public let claims: AuthenticationTokenClaims

    /// The user's profile.
    public var profile: Profile { Profile(claims) }

    /// The verified token: the matched issuer and audience, the check of the nonce, and all claims.
    public let verified: VerifiedToken

    /// Creates a token from a verified one; nil if it is not one of Facebook's.
    init?(tokenString: String, _ verified: VerifiedToken) {
        guard let claims = AuthenticationTokenClaims(verified) else { return nil }
        self.tokenString = tokenString
        self.claims = claims
        self.verified = verified
    }
}

extension AuthenticationToken: Redacted {
    /// The app ID, without the token and personal data.
    public var description: String { "AuthenticationToken for app \(claims.aud), verified" }
}
