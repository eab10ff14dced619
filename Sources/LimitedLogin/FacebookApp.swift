// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Your app at Facebook: its ID, its secret, the version of the Graph API, and the endpoints.
///
/// ```swift
/// let app = try FacebookApp(id: "1234567890", secret: secret)
/// ```
public struct FacebookApp: Sendable {
    /// The app ID, in decimal.
    public let id: String

    /// The app secret; nil for a server without it.
    ///
    /// It is required to verify an access token (``GraphAPI/debug(_:)``) or a ``SignedRequest``, and to revoke
    /// permissions without the user's access token, for example a single permission after a Limited Login. With the
    /// secret, each call of the Graph API has an `appsecret_proof`, and the exchange of a code is authenticated.
    let secret: String?

    /// The version of Facebook's dialogs and Graph API, for example `v21.0`.
    public let graphVersion: String

    /// Facebook's endpoints.
    public let endpoints: FacebookEndpoints

    /// Creates an app.
    ///
    /// - Parameters:
    ///   - id: The app ID: 1 to 20 digits.
    ///   - secret: The app secret, as in the app's dashboard; nil if nothing needs it.
    ///   - graphVersion: The version of Facebook's dialogs and Graph API. Facebook serves a version until two years
    ///     after the release of the next version: see ``graphVersionStatus(at:)``.
    ///   - endpoints: Facebook's endpoints.
    /// - Throws: ``FacebookAppError`` if one of them is invalid.
    public init(
        id: String,
        secret: String? = nil,
        graphVersion: String = defaultGraphVersion,
        endpoints: FacebookEndpoints = .live
    ) throws(FacebookAppError) {
        guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy(Self.isDigit) else { throw .id }
        guard secret.map(Self.isSecret) ?? true else { throw .secret }
        guard Self.isVersion(graphVersion) else { throw .graphVersion }
        self.id = id
        self.secret = secret
        self.graphVersion = graphVersion
        self.endpoints = endpoints
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns whether a text is printable ASCII without spaces.
    ///
    /// It refuses a secret with the line break of its file.
    private static func isSecret(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isVersion(_ text: String) -> Bool {
        let parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.hasPrefix("v") && parts.count == 2
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
    }
}

/// Facebook's endpoints.
///
/// No response of Facebook changes the hosts that requests are sent to.
public struct FacebookEndpoints: Sendable, Hashable {
    /// The base URL of the login dialog with tracking; the version and `dialog/oauth` are appended.
    public var dialog: EndpointURL
    /// The base URL of the Limited Login dialog; the version and `dialog/oauth` are appended.
    public var limitedDialog: EndpointURL
    /// The base URL of the Graph API; the version and the path are appended.
    public var graph: EndpointURL
    /// The endpoint that disconnects a user from an app, given an ID token.
    public var uninstall: EndpointURL

    /// Creates endpoints, for tests.
    ///
    /// - Parameters:
    ///   - dialog: The login dialog with tracking.
    ///   - limitedDialog: The Limited Login dialog.
    ///   - graph: The Graph API.
    ///   - uninstall: The endpoint that disconnects a user from an app.
    public init(
        dialog: EndpointURL,
        limitedDialog: EndpointURL,
        graph: EndpointURL,
        uninstall: EndpointURL
    ) {
        self.dialog = dialog
        self.limitedDialog = limitedDialog
        self.graph = graph
        self.uninstall = uninstall
    }

    /// Facebook's production endpoints.
    public static let live = Self(
        dialog: url("https://www.facebook.com/"),
        limitedDialog: url("https://limited.facebook.com/"),
        graph: url("https://graph.facebook.com/"),
        uninstall: url("https://www.limited.facebook.com/platform/uninstall/")
    )

    private static func url(_ text: String) -> EndpointURL {
        guard let url = try? EndpointURL(text) else { preconditionFailure("the URLs of Facebook are valid") }
        return url
    }
}

/// The reason why an app is invalid.
public enum FacebookAppError: Error, Sendable, Hashable {
    /// The app ID is not 1 to 20 digits.
    case id
    /// The app secret is empty, is longer than 256 bytes, or contains white space, for example a line break at its end.
    case secret
    /// The version does not have the form of `v21.0`.
    case graphVersion
}

extension FacebookAppError: CustomStringConvertible {
    /// The reason, for the operator.
    public var description: String {
        switch self {
        case .id: "an app ID must have 1 to 20 digits"
        case .secret:
            "an app secret must have 1 to 256 printable characters without white space; check for a line break at the end"
        case .graphVersion: "a Graph API version must have the form v21.0"
        }
    }
}

extension FacebookApp: Redacted {
    /// The app ID and the version of the Graph API, without the secret.
    public var description: String { "app \(id) at Facebook, \(graphVersion)" }
}
