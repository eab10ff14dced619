// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// A credential to sign in, to link, or to reauthenticate.
public struct AuthCredential: Sendable {
    enum Kind: Sendable {
        case idToken(String, attempt: String, accessToken: String?)
        case identity(VerifiedIdentity)
        case accessToken(String, attempt: String)
        case password(email: String, password: String)
        case phone(verificationID: String, code: String)
        case pending(String, of: ProviderID)
    }

    let kind: Kind

    /// Creates a credential from an ID token of an app, which completes an attempt.
    ///
    /// The expected nonce is derived from the attempt, so that a caller cannot supply the nonce of a stolen token.
    ///
    /// - Parameters:
    ///   - token: The token, as the provider signed it.
    ///   - attempt: The token of the attempt: ``AuthAttempt/token``.
    ///   - accessToken: The access token that the provider issued with the ID token; nil for none. The ID token must
    ///     contain its hash (`at_hash`, OpenID Connect Core §3.1.3.8), since both came through a client. It is not
    ///     stored: ``AuthDataResult/identity`` has it in `providerTokens`.
    /// - Returns: The credential.
    public static func idToken(_ token: String, attempt: String, accessToken: String? = nil) -> Self {
        Self(kind: .idToken(token, attempt: attempt, accessToken: accessToken))
    }

    /// Creates a credential from the identity of a browser login, whose attempt was stored in ``Auth/attempts``.
    ///
    /// - Parameter identity: The identity that `LoginManager` returned.
    /// - Returns: The credential.
    public static func identity(_ identity: VerifiedIdentity) -> Self {
        Self(kind: .identity(identity))
    }

    /// Creates a credential from a Facebook access token of an app's login with tracking, which completes an attempt.
    public static func accessToken(_ token: String, attempt: String) -> Self {
        Self(kind: .accessToken(token, attempt: attempt))
    }

    /// Creates a credential from an e-mail address and its password.
    public static func password(email: String, password: String) -> Self {
        Self(kind: .password(email: email, password: password))
    }

    /// Creates a credential from the code that ``Auth/sendPhoneCode(to:for:from:)`` has sent to a phone number.
    public static func phone(verificationID: String, code: String) -> Self {
        Self(kind: .phone(verificationID: verificationID, code: code))
    }

    /// Creates a credential from a pending credential.
    ///
    /// It is refused if its provider does not match.
    public static func pending(_ credential: PendingCredential) -> Self {
        Self(kind: .pending(credential.token, of: credential.providerID))
    }
}

extension AuthCredential: Redacted {
    /// The kind, without the content.
    public var description: String {
        switch kind {
        case .idToken: "credential: an ID token"
        case .identity: "credential: a browser login"
        case .accessToken: "credential: an access token"
        case .password: "credential: a password"
        case .phone: "credential: a code"
        case .pending: "credential: a pending credential"
        }
    }
}
