// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension TokenRefusal {
    /// The stable name of a reason to refuse a token.
    ///
    /// Codes are part of the promise of compatibility: none changes its meaning, and new ones may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `expired`.
        public let rawValue: String

        /// A sentence for whoever sent the token.
        public let explanation: String

        /// Whether what was sent may be no ID token at all.
        let isAboutForm: Bool

        private init(_ rawValue: String, _ explanation: String, isAboutForm: Bool = false) {
            self.rawValue = rawValue
            self.explanation = explanation
            self.isAboutForm = isAboutForm
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }
    }
}

extension TokenRefusal.Code {
    /// The token, its header or its signature is longer than any real one.
    public static let tooLarge = Self("too-large", "The token is too long to be an ID token.", isAboutForm: true)

    /// There are not exactly three segments, or one that must not be empty is.
    public static let segments = Self(
        "segments",
        "An ID token has three parts separated by dots. Send the whole token, and nothing else.",
        isAboutForm: true
    )

    /// There are five segments: the token is encrypted (RFC 7516).
    public static let encryptedToken = Self(
        "encrypted-token",
        "The token is encrypted. Ask the provider for a signed, unencrypted ID token.",
        isAboutForm: true
    )

    /// A segment is not canonical base64url (RFC 7515 §2).
    public static let encoding = Self(
        "encoding",
        "The token has characters that no token has. Send it unchanged: no quotes, spaces, line breaks or padding.",
        isAboutForm: true
    )

    /// The header is not a JSON object, or is that of an encrypted token.
    public static let header = Self(
        "header",
        "The token's header cannot be read. Send the token unchanged.",
        isAboutForm: true
    )

    /// The header asks for an extension that must be understood, and is not (RFC 7515 §4.1.11).
    public static let criticalHeader = Self(
        "critical-header",
        "The token needs an extension that this service does not have."
    )

    /// The header says that this is another kind of token (RFC 8725 §3.11).
    public static let tokenType = Self(
        "token-type",
        "This is another kind of token. Send the ID token.",
        isAboutForm: true
    )

    /// The algorithm is not one of those allowed.
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

    /// The issuer is not one of those expected.
    public static let issuer = Self(
        "issuer",
        "The token comes from another provider or organization than this service accepts."
    )

    /// The token is meant for somebody else.
    public static let audience = Self("audience", "The token was issued to another app. Check the app's client ID.")

    /// The key ID is missing where one is required, or is not a string of acceptable length.
    public static let keyID = Self("key-id", "The token does not say properly which key signed it.")

    /// The issuer has no key with this ID.
    public static let keyNotFound = Self(
        "key-not-found",
        "The provider does not publish the key this token was signed with. Sign in again."
    )

    /// Two keys or more could have signed the token, and it does not say which.
    public static let keyAmbiguous = Self("key-ambiguous", "The token does not say which of several keys signed it.")

    /// The key exists and cannot be used: too weak, of another type, or not meant for this.
    public static let keyUnusable = Self("key-unusable", "The key this token was signed with cannot be used.")

    /// The signature is not valid.
    public static let signature = Self(
        "signature",
        "The token's signature is not valid. Send the token exactly as the provider issued it."
    )

    /// A claim that must be there is not.
    public static let missingClaim = Self(
        "missing-claim",
        "The token lacks a claim that it must have. Send the ID token unchanged.",
        isAboutForm: true
    )

    /// A claim has the wrong type, or a time lies outside the years 1970 to 9999.
    public static let claimType = Self("claim-type", "A claim of the token has the wrong type.")

    /// The authorized party is missing where it is required, or is not us.
    public static let authorizedParty = Self("authorized-party", "The token was issued to another party.")

    /// The subject is empty, too long, not ASCII, or not the person expected.
    public static let subject = Self(
        "subject",
        "The token does not say properly whom it is about, or is about somebody else."
    )

    /// The token's life has ended.
    public static let expired = Self("expired", "The token has expired. Sign in again.")

    /// The token's life has not begun.
    public static let notYetValid = Self("not-yet-valid", "The token is not valid yet. Check the clocks.")

    /// The token was issued later than now.
    public static let issuedInFuture = Self("issued-in-future", "The token was issued in the future. Check the clocks.")

    /// The token was issued longer ago than is accepted here, though it has not expired.
    public static let tooOld = Self("too-old", "The token was issued too long ago. Sign in again.")

    /// The person was authenticated too long ago, or the token does not say when.
    public static let authTime = Self(
        "auth-time",
        "It is too long ago that you last signed in to the provider. Sign in again."
    )

    /// The person was not authenticated in an accepted way.
    public static let acr = Self("acr", "A stronger way to sign in is required. Sign in again.")

    /// The account does not belong to the organization expected.
    public static let hostedDomain = Self(
        "hosted-domain",
        "This account does not belong to the organization that may sign in here. Choose another account."
    )

    /// The token does not belong to the access token it came with.
    public static let accessTokenHash = Self(
        "access-token-hash",
        "The token and the access token do not belong together. Sign in again."
    )

    /// The token does not belong to the authorization code it came with.
    public static let codeHash = Self(
        "code-hash",
        "The token and the authorization code do not belong together. Sign in again."
    )

    /// The nonce is missing, different, or there where there must be none.
    public static let nonce = Self(
        "nonce",
        "The token does not belong to this sign-in attempt. Start again, with the nonce this service issued."
    )

    /// The nonce was used before: the token has been sent a second time.
    public static let replayed = Self("replayed", "This token was used before. Sign in again.")

    /// All of them, in the order of the checks.
    public static let all: [Self] = [
        .tooLarge, .segments, .encryptedToken, .encoding, .header, .criticalHeader, .tokenType, .algorithm, .payload,
        .issuer, .audience, .keyID, .keyNotFound, .keyAmbiguous, .keyUnusable, .signature, .missingClaim, .claimType,
        .authorizedParty, .subject, .expired, .notYetValid, .issuedInFuture, .tooOld, .authTime, .acr,
        .hostedDomain, .accessTokenHash, .codeHash, .nonce, .replayed,
    ]
}
