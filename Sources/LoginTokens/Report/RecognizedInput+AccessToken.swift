// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The input that an API received instead of an access token in JWT form.
extension RecognizedInput {
    /// An ID token sent to an API.
    public static let idToken = Self(
        "id-token",
        "This is an ID token, which tells the client who signed in. Send the access token that was issued for this API; "
            + "request it with the API's scopes or its resource identifier."
    )

    /// An access token that is not a JWT.
    public static let opaqueToken = Self(
        "opaque-token",
        "This is an opaque access token, not a JWT: only its issuer knows what it permits. Ask the issuer's introspection "
            + "endpoint (RFC 7662), or request the token for an API with JWT access tokens."
    )

    /// Recognizes the kind of input that was sent instead of an access token.
    ///
    /// - Parameters:
    ///   - recognized: The kind of the input as that of an ID token is determined.
    ///   - text: The input.
    /// - Returns: The kind; nil if it is none of the known kinds.
    static func insteadOfAccessToken(_ recognized: RecognizedInput?, _ text: String) -> RecognizedInput? {
        switch recognized {
        case .accessTokenJWT: nil
        case .facebookAccessToken, .googleAccessToken: .opaqueToken
        case .some(let recognized): advice[recognized.rawValue].map { Self(recognized.rawValue, $0) } ?? recognized
        case nil: isIDToken(text) ? .idToken : isOpaque(text) ? .opaqueToken : nil
        }
    }

    /// The sentences for the kinds whose usual sentence recommends an ID token.
    private static let advice = [
        "signed-request":
            "This is a signed_request of Facebook (two parts, HMAC with the app secret), not an access token.",
        "dpop-proof":
            "This is a DPoP proof (RFC 9449). Send the access token in the field Authorization, and the proof in the field DPoP.",
        "logout-token": "This is a logout token, which ends sessions. Send an access token.",
        "json": "This is JSON. Send the value of its member access_token.",
        "url": "This is a URL, or a part of one. Send the access token alone.",
        "authorization-code":
            "This is an authorization code. Exchange it at the token endpoint first, and send the access_token of the response.",
        "facebook-app-access-token":
            "This is a Facebook app access token (app ID, \"|\", secret). It is a secret of a server: keep it out of apps and logs.",
    ]

    /// Returns whether the claims of a token are those of an ID token.
    ///
    /// The nonce and the hashes of OpenID Connect Core §2 and §3.3.2.11 tie an ID token to a sign-in. Amazon Cognito and
    /// Keycloak also name the kind of token.
    private static func isIDToken(_ text: String) -> Bool {
        withUTF8(of: text, upTo: Limits.tokenBytes) { text in
            guard let ends = dots(in: text, atMost: 3), ends.count == 2,
                let claims = object(text.extracting((ends[0] + 1)..<ends[1]))
            else { return false }
            return ["nonce", "at_hash", "c_hash"].contains { claims[$0] != nil }
                || ClaimedTokenKind.claims.contains { claim in
                    claims[claim.rawValue].map(ClaimedTokenKind.kinds)?.contains(.id) == true
                }
        }
    }

    /// Returns whether the text has the form of an access token (RFC 6750 §2.1), but not that of a JWT.
    private static func isOpaque(_ text: String) -> Bool {
        let beginning = utf8Bytes(of: text, in: 0..<min(text.utf8.count, Limits.recognizedBytes))
        let isToken = beginning.allSatisfy { byte in
            switch byte {
            case 0x2B, 0x2E, 0x2F, 0x3D, 0x7E: true
            default: byte.isBase64URL
            }
        }
        return isToken && !beginning.isEmpty && !beginning.starts(with: "eyJ".utf8)
    }
}
