// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Inputs that users of Facebook Login commonly send instead of an ID token after an error.
extension RecognizedInput {
    /// An error of Facebook's Graph API.
    public static let facebookGraphError = Self(
        "facebook-graph-error",
        "This is an error of Facebook's Graph API, not a token. Send the ID token, if the login returned one."
    )

    /// The Graph API's error for a login without tracking, whose access token is not usable.
    public static let facebookUnparsedToken = Self(
        "facebook-unparsed-token",
        "This is an error of Facebook's Graph API, not a token. The access token cannot be parsed (code 190): a login without "
            + "tracking returns no usable access token. Send AuthenticationToken.current?.tokenString instead."
    )

    /// The response of a login without tracking that contains an access token, which is not usable.
    public static let facebookShimToken = Self(
        "facebook-shim-token",
        "This is the response of a Facebook login without tracking. Its access token, which expires in the year 4001, is a "
            + "placeholder that the Graph API refuses. Send AuthenticationToken.current?.tokenString."
    )

    /// An error of Facebook's SDK, which refused the token it received.
    public static let facebookSDKError = Self(
        "facebook-sdk-error",
        "This is error 309 of Facebook's SDK: the SDK refused the ID token that it received, and gives no reason. Check the "
            + "clock of the device, set a nonce, and use version 12.1 or later: Facebook's issuer changed in 2021."
    )

    /// A discovery document of OpenID Connect.
    public static let discoveryDocument = Self(
        "discovery-document",
        "This is a discovery document, not a token. Send the ID token; the document is part of the provider's configuration."
    )

    /// Facebook's discovery document.
    public static let facebookDiscoveryDocument = Self(
        "facebook-discovery-document",
        "This is Facebook's discovery document, not a token. It has no token_endpoint. If a client requires "
            + "one, configure oauth/access_token of the Graph API, where authorization codes are exchanged."
    )

    /// A browser's error message for a response that a web page may not read.
    public static let browserError = Self(
        "browser-error",
        "This is a browser's CORS error, not a token: web pages cannot read Facebook's discovery document or keys. Send the "
            + "token to a server, which verifies it."
    )

    /// Recognizes an error message by characteristic words anywhere in the text, in JSON or not.
    ///
    /// - Parameter text: The examined part of the input.
    /// - Returns: The kind; nil if no characteristic words occur.
    static func facebookMessage(in text: [UInt8]) -> RecognizedInput? {
        var found: Set<Words> = []
        var (last, has309): (UInt32, Bool) = (0, false)
        // One pass for all words: a search for each would take longer than a signature.
        for (offset, byte) in text.enumerated() {
            last = last << 8 | UInt32(lowercased(byte))
            if last & 0xFF_FFFF == 0x33_3039 { has309 = true }
            let words: Words
            switch last {
            case 0x3634_3039: words = .shimExpiry
            case 0x6361_6E6E: words = .unparsed
            case 0x6F61_7574: words = .exception
            case 0x6572_726F: words = .invalid
            case 0x636F_6D2E: words = .sdk
            case 0x626C_6F63: words = .blocked
            default: continue
            }
            if begins(text[(offset - 3)...], with: words.rawValue) { found.insert(words) }
        }
        if found.contains(.shimExpiry) { return .facebookShimToken }
        guard text.contains(0x20) else { return nil }
        if found.contains(.unparsed) { return .facebookUnparsedToken }
        if found.contains(.exception) || found.contains(.invalid) { return .facebookGraphError }
        if has309, found.contains(.sdk) { return .facebookSDKError }
        return found.contains(.blocked) ? .browserError : nil
    }

    /// The characteristic words of messages, in lower case.
    ///
    /// Their first four bytes differ.
    private enum Words: String {
        case shimExpiry = "64092211200"
        case unparsed = "cannot parse access token"
        case exception = "oauthexception"
        case invalid = "error validating access token"
        case sdk = "com.facebook.sdk.core"
        case blocked = "blocked by cors policy"
    }

    /// Recognizes a JSON object by its members; returns nil for any other.
    static func facebookJSON(_ text: [UInt8]) -> RecognizedInput? {
        guard let json = try? JSONDocument.read(text).root else { return nil }
        if json["jwks_uri"] != nil, let issuer = json["issuer"] {
            let isFacebook = issuer.string.map(Provider.facebook.issuers.contains) ?? false
            return isFacebook ? .facebookDiscoveryDocument : .discoveryDocument
        }
        guard let error = json["error"] else { return nil }
        let isGraph = error["type"]?.isString("OAuthException") == true || error["fbtrace_id"] != nil
        return isGraph ? .facebookGraphError : nil
    }

    /// Returns whether the text begins with `word`, which is in lower case; ASCII letters are compared
    /// case-insensitively.
    private static func begins(_ text: ArraySlice<UInt8>, with word: String) -> Bool {
        text.count >= word.utf8.count && zip(text, word.utf8).allSatisfy { lowercased($0) == $1 }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
