// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What somebody sent in place of an ID token.
///
/// Most questions about refused tokens are answered by one of these sentences.
public struct RecognizedInput: Sendable, Hashable, CustomStringConvertible {
    /// A stable name, for example `facebook-access-token`.
    public let rawValue: String

    /// A sentence that says what this is and what to send.
    public let explanation: String

    private init(_ rawValue: String, _ explanation: String) {
        self.rawValue = rawValue
        self.explanation = explanation
    }

    /// The name, as in ``rawValue``.
    public var description: String { rawValue }

    /// Nothing at all.
    public static let empty = Self("empty", "There is no token here.")

    /// A Facebook access token.
    public static let facebookAccessToken = Self(
        "facebook-access-token",
        "This is a Facebook access token (EAA...), not an ID token. Send AuthenticationToken.current?.tokenString. Under "
            + "Limited Login the access token cannot be used, not even with the Graph API."
    )

    /// What Facebook sends to deauthorize and data-deletion callbacks, or a browser in a cookie.
    public static let signedRequest = Self(
        "signed-request",
        "This is a signed_request (two parts, HMAC with the app secret), not an ID token."
    )

    /// A token encrypted by RFC 7516.
    public static let encryptedToken = Self(
        "encrypted-token",
        "This is an encrypted token (five parts, RFC 7516). Ask the provider for a signed one."
    )

    /// A proof of possession by RFC 9449.
    public static let dpopProof = Self(
        "dpop-proof",
        "This is a DPoP proof (RFC 9449), made by the app for one request. Send the ID token it accompanies."
    )

    /// A token that ends sessions, by OpenID Connect Back-Channel Logout.
    public static let logoutToken = Self("logout-token", "This is a logout token: it ends sessions and begins none.")

    /// An access token by RFC 9068, or one of Amazon Cognito's.
    public static let accessTokenJWT = Self(
        "access-token-jwt",
        "This is an access token in JWT form, meant for an API. Send the ID token."
    )

    /// The value of an `Authorization` field, scheme included.
    public static let authorizationHeader = Self(
        "authorization-header",
        "This is an Authorization header. Send the token alone, without the name and the scheme (\"Bearer\")."
    )

    /// JSON: a response, a key set, or a token in a serialization that ID tokens do not use.
    public static let json = Self(
        "json",
        "This is JSON. Send the value of its id_token member; a key set belongs where the keys are."
    )

    /// A URL, perhaps one that carries a token.
    public static let url = Self("url", "This is a URL. Send the value of its id_token parameter.")

    /// A key or a certificate.
    public static let pem = Self("pem", "This is a key or a certificate in PEM form, not a token.")

    /// A token between quotation marks.
    public static let quotedToken = Self("quoted-token", "The token is in quotation marks. Remove them.")

    /// A token with line breaks or spaces in or around it.
    public static let wrappedToken = Self(
        "wrapped-token",
        "There are spaces or line breaks in or around the token. Remove them."
    )

    /// A token whose end is missing.
    public static let truncatedToken = Self(
        "truncated-token",
        "This looks like a token that was cut off. Send the whole of it: three parts separated by dots."
    )

    /// Names what `text` looks like; nil where it looks like none of these.
    ///
    /// - Parameter text: What was sent; of a long text only the beginning is looked at.
    package init?(_ text: String) {
        let text = text.utf8.prefix(Limits.tokenBytes)
        let beginning = String(decoding: text.prefix(16), as: UTF8.self).lowercased()
        if text.allSatisfy(isWhitespace) {
            self = .empty
        } else if text.starts(with: "EAA".utf8) {
            self = .facebookAccessToken
        } else if let simple = Self.prefixes.first(where: { beginning.hasPrefix($0.prefix) })?.input {
            self = simple
        } else if Self.isWrapped(text) {
            self = .wrappedToken
        } else if let structured = Self.structured(
            text.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        ) {
            self = structured
        } else {
            return nil
        }
    }

    private static let prefixes: [(prefix: String, input: RecognizedInput)] = [
        ("bearer ", .authorizationHeader), ("dpop ", .authorizationHeader), ("authorization:", .authorizationHeader),
        ("{", .json), ("[", .json), ("http://", .url), ("https://", .url), ("-----begin ", .pem),
        ("\"", .quotedToken), ("'", .quotedToken),
    ]

    /// Whether without its white space the text would be a token: the header of every token begins with `{"`.
    private static func isWrapped(_ text: Substring.UTF8View) -> Bool {
        let rest = text.filter { !isWhitespace($0) }
        return rest.count < text.count && rest.starts(with: "eyJ".utf8) && rest.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// What segments between dots tell about themselves.
    private static func structured(_ segments: [Substring.UTF8View.SubSequence]) -> RecognizedInput? {
        switch segments.count {
        case 1:
            return segments[0].starts(with: "eyJ".utf8) ? .truncatedToken : nil
        case 2:
            let payload = object(segments[1])
            if payload?["algorithm"]?.string?.uppercased() == "HMAC-SHA256" { return .signedRequest }
            return segments[0].starts(with: "eyJ".utf8) ? .truncatedToken : nil
        case 3:
            switch object(segments[0])?["typ"]?.string.map(JOSEHeader.mediaType) {
            case "dpop+jwt": return .dpopProof
            case "logout+jwt": return .logoutToken
            case "at+jwt": return .accessTokenJWT
            default: return RecognizedInput(claims: object(segments[1]))
            }
        case 5:
            return .encryptedToken
        default:
            return nil
        }
    }

    /// What claims tell where the header does not.
    private init?(claims: JSONValue?) {
        if claims?["events"] != nil {
            self = .logoutToken
        } else if claims?["token_use"]?.string == "access" {
            self = .accessTokenJWT
        } else {
            return nil
        }
    }

    private static func object(_ segment: Substring.UTF8View) -> JSONValue? {
        guard let bytes = Base64URL.decode(segment) else { return nil }
        return try? JSONDocument.read(bytes).root
    }
}

private func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
}
