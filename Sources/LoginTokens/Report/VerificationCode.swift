// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The stable code of the reason why a token was refused, or could not be decided.
///
/// Codes are part of the compatibility promise: no code changes its meaning, and new codes may be added.
public struct VerificationCode: Sendable, Hashable, CustomStringConvertible {
    /// The code, for example `expired`.
    public let rawValue: String

    /// A sentence for the sender of an ID token.
    ///
    /// ``TokenRefusal/publicMessage`` contains the sentence for the kind of token that was expected.
    public let explanation: String

    /// A sentence for the sender of an access token.
    package let explanationForAccessTokens: String

    /// Whether the input may be of another kind than the expected token.
    let isAboutForm: Bool

    init(
        _ rawValue: String,
        _ explanation: String,
        accessToken explanationForAccessTokens: String? = nil,
        isAboutForm: Bool = false
    ) {
        self.rawValue = rawValue
        self.explanation = explanation
        self.explanationForAccessTokens = explanationForAccessTokens ?? explanation
        self.isAboutForm = isAboutForm
    }

    /// Returns the sentence for the sender of a token of this kind.
    func explanation(of kind: TokenKind) -> String {
        kind == .accessToken ? explanationForAccessTokens : explanation
    }

    /// The code, the same as ``rawValue``.
    public var description: String { rawValue }

    /// All codes.
    public static let all = refusals + undecided + possession + introspection
}

// MARK: - Refused tokens

extension VerificationCode {
    /// The token, its header or its signature exceeds its size limit.
    public static let tooLarge = Self(
        "too-large",
        "The token is too long to be an ID token.",
        accessToken: "The token is too long to be an access token.",
        isAboutForm: true
    )

    /// The number of segments is not three, or a required segment is empty.
    public static let segments = Self(
        "segments",
        "An ID token has three parts separated by dots. Send the whole token, and nothing else.",
        accessToken:
            "The access token is not a JWT of three parts separated by dots. Send the whole token, and nothing else.",
        isAboutForm: true
    )

    /// The token has five segments: it is encrypted (RFC 7516).
    public static let encryptedToken = Self(
        "encrypted-token",
        "The token is encrypted. Ask the provider for a signed, unencrypted ID token.",
        accessToken:
            "The access token is encrypted. Configure the authorization server to sign access tokens for this API without encryption.",
        isAboutForm: true
    )

    /// A segment is not canonical base64url (RFC 7515 §2).
    public static let encoding = Self(
        "encoding",
        "The token was changed or cut off. Send all of it, unchanged: no quotes, spaces, line breaks or padding.",
        isAboutForm: true
    )

    /// The header is not a JSON object, or is that of an encrypted token.
    public static let header = Self(
        "header",
        "The token's header cannot be read. Send the token unchanged.",
        isAboutForm: true
    )

    /// The header requires an unsupported extension (RFC 7515 §4.1.11).
    public static let criticalHeader = Self(
        "critical-header",
        "The token needs an extension that this service does not have."
    )

    /// The header or a claim is that of another kind of token (RFC 8725 §3.11).
    public static let tokenType = Self(
        "token-type",
        "This is another kind of token. To sign in, send the ID token.",
        accessToken:
            "This is not an access token for this API. Send the access token that the authorization server issued for it.",
        isAboutForm: true
    )

    /// The algorithm is not allowed.
    public static let algorithm = Self(
        "algorithm",
        "The token is not signed in the way this service requires.",
        isAboutForm: true
    )

    /// The payload is not a JSON object.
    public static let payload = Self(
        "payload",
        "The token's claims cannot be read. Send the token unchanged.",
        isAboutForm: true
    )

    /// The issuer is not an accepted one.
    public static let issuer = Self(
        "issuer",
        "The token comes from another provider or organization than this service accepts.",
        accessToken: "The access token comes from another authorization server than this API accepts."
    )

    /// The token was issued for another audience.
    public static let audience = Self(
        "audience",
        "The token was issued to another app. Check the app's client ID.",
        accessToken: "The access token was issued for another API. Request one for this API."
    )

    /// The key ID is missing although it is required, or is not a string of acceptable length.
    public static let keyID = Self("key-id", "The token does not say properly which key signed it.")

    /// The issuer has no key with this ID.
    public static let keyNotFound = Self(
        "key-not-found",
        "The provider does not publish the key this token was signed with. Sign in again.",
        accessToken:
            "The authorization server does not publish the key this token was signed with. Request a new access token."
    )

    /// Several keys match, and the token does not identify one of them.
    public static let keyAmbiguous = Self("key-ambiguous", "The token does not say which of several keys signed it.")

    /// The key exists but cannot be used: it is too weak, of another type, or for another use.
    public static let keyUnusable = Self("key-unusable", "The key this token was signed with cannot be used.")

    /// The signature is invalid.
    public static let signature = Self(
        "signature",
        "The token's signature is not valid. Send the token exactly as the provider issued it.",
        accessToken: "The token's signature is not valid. Send the access token exactly as it was issued."
    )

    /// A required claim is missing.
    public static let missingClaim = Self(
        "missing-claim",
        "The token lacks a claim that it must have. Send the ID token unchanged.",
        accessToken: "The access token lacks a claim that it must have.",
        isAboutForm: true
    )

    /// A claim has the wrong type, or a time is outside the years 1970 to 9999.
    public static let claimType = Self("claim-type", "A claim of the token has the wrong type.")

    /// A claim does not have one of the values that the policy requires.
    public static let claimValue = Self(
        "claim-value",
        "A claim of the token does not have a value that this service requires."
    )

    /// The authorized party of an ID token, or the client of an access token, is missing although it is required, or is not an accepted one.
    public static let authorizedParty = Self(
        "authorized-party",
        "The token was issued to another party.",
        accessToken: "The access token was issued to a client that may not call this API."
    )

    /// The subject is empty, too long, not ASCII, or not the expected one.
    public static let subject = Self(
        "subject",
        "The token does not say properly whom it is about, or is about somebody else."
    )

    /// The token has expired.
    public static let expired = Self(
        "expired",
        "The token has expired. Sign in again.",
        accessToken: "The access token has expired. Request a new one."
    )

    /// The current time is before `nbf`.
    public static let notYetValid = Self("not-yet-valid", "The token is not valid yet. Check the clocks.")

    /// The token was issued in the future.
    public static let issuedInFuture = Self("issued-in-future", "The token was issued in the future. Check the clocks.")

    /// The token exceeds the maximum age, or a refreshed token is older than the first one.
    public static let tooOld = Self(
        "too-old",
        "The token was issued too long ago. Sign in again.",
        accessToken: "The access token was issued too long ago. Request a new one."
    )

    /// The authentication time is missing, invalid, in the future, too old, or not that of the original authentication.
    public static let authTime = Self(
        "auth-time",
        "It is too long ago that you last signed in to the provider. Sign in again.",
        accessToken: "The user was authenticated too long ago for this request. Let the user authenticate again."
    )

    /// The authentication context class is not an accepted one.
    public static let acr = Self(
        "acr",
        "A stronger way to sign in is required. Sign in again.",
        accessToken: "This request requires a stronger authentication of the user. Let the user authenticate again."
    )

    /// The access token lacks a required scope (RFC 6750 §3.1).
    public static let insufficientScope = Self(
        "insufficient-scope",
        "The access token does not allow this request. Request one with the required scope."
    )

    /// The account does not belong to the expected organization.
    public static let hostedDomain = Self(
        "hosted-domain",
        "This account does not belong to the organization that may sign in here. Choose another account."
    )

    /// The hash of the access token is missing or does not match.
    public static let accessTokenHash = Self(
        "access-token-hash",
        "The token and the access token do not belong together. Sign in again."
    )

    /// The hash of the authorization code is missing or does not match.
    public static let codeHash = Self(
        "code-hash",
        "The token and the authorization code do not belong together. Sign in again."
    )

    /// The nonce is missing, different, or present although none was expected.
    public static let nonce = Self(
        "nonce",
        "The token does not belong to this sign-in attempt. Start again, with the nonce this service issued."
    )

    /// The nonce was consumed before: the token was sent a second time.
    public static let replayed = Self("replayed", "This token was used before. Sign in again.")

    /// The codes of refused tokens, in the order of the checks.
    public static let refusals: [Self] = [
        .tooLarge, .segments, .encryptedToken, .encoding, .header, .criticalHeader, .tokenType, .algorithm, .payload,
        .issuer, .audience, .keyID, .keyNotFound, .keyAmbiguous, .keyUnusable, .signature, .missingClaim, .claimType,
        .claimValue, .authorizedParty, .subject, .expired, .notYetValid, .issuedInFuture, .tooOld, .authTime, .acr,
        .insufficientScope, .hostedDomain, .accessTokenHash, .codeHash, .nonce, .replayed,
    ]
}

// MARK: - Undecided tokens

extension VerificationCode {
    /// The issuer's keys could not be fetched.
    public static let keysUnavailable = Self(
        "keys-unavailable",
        "The token cannot be checked now. Try again in a moment."
    )

    /// The issuer's discovery document is invalid or cannot be trusted.
    public static let discovery = Self("discovery", "The token cannot be checked now. Try again later.")

    /// The codes of tokens that could not be decided.
    public static let undecided: [Self] = [.keysUnavailable, .discovery]
}
