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
}
