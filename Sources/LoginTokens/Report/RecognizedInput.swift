// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A known kind of input that was sent instead of the expected token.
///
/// The explanations answer most questions about refused tokens.
public struct RecognizedInput: Sendable, Hashable, CustomStringConvertible {
    /// The stable name, for example `facebook-access-token`.
    public let rawValue: String

    /// A sentence that explains what the input is, and what to send instead.
    public let explanation: String

    init(_ rawValue: String, _ explanation: String) {
        self.rawValue = rawValue
        self.explanation = explanation
    }

    /// The name, the same as ``rawValue``.
    public var description: String { rawValue }

    /// Returns whether both are the same kind of input; the sentence depends on the token that was expected.
    public static func == (first: RecognizedInput, second: RecognizedInput) -> Bool {
        isEqual(first.rawValue, second.rawValue)
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue)
    }

    /// An empty text.
    public static let empty = Self("empty", "The input is empty.")

    /// A Facebook access token.
    public static let facebookAccessToken = Self(
        "facebook-access-token",
        "This is a Facebook access token (EAA...), not an ID token. Send AuthenticationToken.current?.tokenString. Under "
            + "Limited Login the access token cannot be used, not even with the Graph API."
    )

    /// A Google access token.
    public static let googleAccessToken = Self(
        "google-access-token",
        "This is a Google access token (ya29...), not an ID token. Send the id_token of the same response; "
            + "Google includes it if the scope openid was requested."
    )

    /// A signed request, which Facebook sends to deauthorization and data deletion callbacks, or sets in a cookie.
    public static let signedRequest = Self(
        "signed-request",
        "This is a signed_request (two parts, HMAC with the app secret), not an ID token."
    )

    /// An encrypted token (RFC 7516).
    public static let encryptedToken = Self(
        "encrypted-token",
        "This is an encrypted token (five parts, RFC 7516). Ask the provider for a signed one."
    )

    /// A DPoP proof (RFC 9449).
    public static let dpopProof = Self(
        "dpop-proof",
        "This is a DPoP proof (RFC 9449), made by the app for one request. Send the ID token it accompanies."
    )

    /// A logout token (OpenID Connect Back-Channel Logout).
    public static let logoutToken = Self(
        "logout-token",
        "This is a logout token, which ends sessions. Send an ID token."
    )

    /// An access token by RFC 9068, or one from Amazon Cognito.
    public static let accessTokenJWT = Self(
        "access-token-jwt",
        "This is an access token, not an ID token. Send the ID token to the sign-in endpoint, and the access token to "
            + "the API for which it was issued."
    )

    /// The value of an `Authorization` header field, including the scheme.
    public static let authorizationHeader = Self(
        "authorization-header",
        "This is an Authorization header. Send the token alone, without the name and the scheme (\"Bearer\")."
    )

    /// JSON: a response, a key set, or a token in a serialization that ID tokens do not use.
    public static let json = Self(
        "json",
        "This is JSON. Send the value of its member id_token; if there is none, the provider returned no ID token. A key set is "
            + "part of the configuration."
    )

    /// A URL or the end of one, which may contain a token.
    public static let url = Self(
        "url",
        "This is a URL, or a part of one. Send only the value of its parameter id_token; if there is none, the provider returned "
            + "no ID token."
    )

    /// A key or a certificate.
    public static let pem = Self("pem", "This is a key or a certificate in PEM form, not a token.")

    /// A token in quotation marks, possibly as Swift prints an optional.
    public static let quotedToken = Self(
        "quoted-token",
        "The token is in quotation marks, or in Optional(\"...\") as Swift prints it. Send the text between the marks."
    )

    /// A token with line breaks or spaces in or around it.
    public static let wrappedToken = Self(
        "wrapped-token",
        "There are spaces or line breaks in or around the token. Remove them."
    )

    /// A truncated token.
    public static let truncatedToken = Self(
        "truncated-token",
        "This looks like a truncated token. Send all three parts, separated by dots."
    )

    /// Recognizes a known kind of input; nil if the text matches none.
    ///
    /// - Parameter text: The input; for a text longer than any token, only the beginning is examined.
    package init?(_ text: String) {
        guard text.utf8.count <= Limits.tokenBytes else {
            self.init(beginning: text)
            return
        }
        guard let recognized = withUTF8(of: text, upTo: Limits.tokenBytes, Self.recognize) else { return nil }
        self = recognized
    }

    /// Recognizes a kind of input by the beginning of the text alone.
    init?(beginning text: String) {
        let beginning = text.utf8.prefix(Self.beginningBytes)
        if beginning.starts(with: "EAA".utf8) {
            self = .facebookAccessToken
            return
        }
        let lowercased = beginning.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let simple = Self.prefixes.first(where: { lowercased.starts(with: $0.prefix.utf8) }) else { return nil }
        self = simple.input
    }

    /// Returns the part of a text that ``init(beginning:)`` examines.
    static func beginning(of text: String) -> String {
        String(decoding: text.utf8.prefix(beginningBytes), as: UTF8.self)
    }

    private static let beginningBytes = 16

    private static func recognize(_ text: Span<UInt8>) -> RecognizedInput? {
        let isWhole = text.count <= Limits.recognizedBytes
        let head = bytes(of: text.extracting(first: Limits.recognizedBytes))
        guard head.contains(where: { !$0.isWhitespace }) else { return isWhole ? .empty : nil }
        let simple = RecognizedInput(beginning: String(decoding: head.prefix(beginningBytes), as: UTF8.self))
        if simple == .facebookAccessToken { return simple }
        // Spaces, line breaks and quotation marks around a token of any length are at its ends.
        let examined = isWhole ? head : head + bytes(of: text.extracting(last: beginningBytes))
        let survey = Survey(of: examined)
        if let message = survey.facebookMessage { return message }
        if simple == .json, text.count <= 2 * Limits.recognizedBytes, let answer = facebookJSON(bytes(of: text)) {
            return answer
        }
        if let pasted = pasted(head, of: text, hasWhitespace: survey.hasWhitespace) { return pasted }
        if let simple { return simple }
        if survey.hasWhitespace, isLikeToken(head, of: text) { return .wrappedToken }
        if survey.hasStray, let misread = misread(examined, of: text) { return misread }
        guard let ends = dots(in: text, atMost: 4) else { return nil }
        switch ends.count {
        case 0: return text.starts(with: "eyJ") ? .truncatedToken : nil
        case 4: return .encryptedToken
        case 1, 2:
            let end = ends.count == 1 ? text.count : ends[1]
            let first = text.extracting(..<ends[0])
            return structured(first, text.extracting((ends[0] + 1)..<end), isPair: ends.count == 1)
        default: return nil
        }
    }

    /// Returns the offsets of the dots in a text; nil if there are more than `limit`.
    static func dots(in text: Span<UInt8>, atMost limit: Int) -> [Int]? {
        var found: [Int] = []
        while let dot = firstOffset(of: UInt8(ascii: "."), in: text, from: (found.last ?? -1) + 1) {
            guard found.count < limit else { return nil }
            found.append(dot)
        }
        return found
    }

    private static let prefixes: [(prefix: String, input: RecognizedInput)] = [
        ("bearer ", .authorizationHeader), ("dpop ", .authorizationHeader), ("authorization:", .authorizationHeader),
        ("ya29.", .googleAccessToken), ("{", .json), ("[", .json), ("http://", .url), ("https://", .url),
        ("-----begin ", .pem),
        ("id_token=", .url), ("#id_token=", .url), ("?id_token=", .url),
        ("\"", .quotedToken), ("'", .quotedToken), ("optional(\"", .quotedToken),
        ("<!doctype", .html), ("<html", .html), ("<head", .html), ("<body", .html), ("<?xml", .html),
    ]

    /// Recognizes a signed request or a kind of token by its first two segments.
    private static func structured(_ first: Span<UInt8>, _ second: Span<UInt8>, isPair: Bool) -> RecognizedInput? {
        if isPair {
            let algorithm = object(second)?["algorithm"]?.string?.uppercased() ?? ""
            if isEqual(algorithm, "HMAC-SHA256") { return .signedRequest }
            return first.starts(with: "eyJ") ? .truncatedToken : nil
        }
        let header = object(first)
        if isEqual(header?["alg"]?.string?.lowercased() ?? "", "none") { return .unsignedToken }
        let type = header?["typ"]?.string.map(JOSEHeader.mediaType) ?? ""
        let types: [(String, RecognizedInput)] = [
            ("dpop+jwt", .dpopProof), ("logout+jwt", .logoutToken), ("at+jwt", .accessTokenJWT),
        ]
        return types.first { isEqual($0.0, type) }?.1 ?? RecognizedInput(claims: object(second))
    }

    /// Recognizes a kind of token by its claims.
    private init?(claims: JSONValue?) {
        if claims?["events"] != nil {
            self = .logoutToken
        } else if claims?["token_use"]?.isString("access") == true {
            self = .accessTokenJWT
        } else {
            return nil
        }
    }

    static func object(_ segment: Span<UInt8>) -> JSONValue? {
        guard segment.count <= Limits.recognizedSegmentBytes, let bytes = Base64URL.decode(segment) else { return nil }
        return try? JSONDocument.read(bytes).root
    }
}

extension Span<UInt8> {
    fileprivate func starts(with text: String) -> Bool {
        isEqual(extracting(first: text.utf8.count), text)
    }
}
