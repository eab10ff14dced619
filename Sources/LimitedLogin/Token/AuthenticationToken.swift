// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A Limited Login token that was verified: whose it is, and what the person shared.
///
/// In Facebook's SDK the type of this name says only that the app once received a token. Here it says that the token is
/// genuine; only a verified token becomes one: ``LimitedLoginVerifier`` and `LoginSuccess.authenticationToken` return
/// it.
public struct AuthenticationToken: Sendable {
    /// The token itself.
    ///
    /// Whoever holds it can sign in with it until it expires: do not store or log it.
    public let tokenString: String

    /// What the token says, by Facebook's names.
    public let claims: AuthenticationTokenClaims

    /// What the person shared.
    public var profile: Profile { Profile(claims) }

    /// The token as its verifier left it: the matched issuer and audience, how the nonce was checked, all claims.
    public let verified: VerifiedToken

    /// Creates a token that was verified; nil if it is not one of Facebook's.
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
