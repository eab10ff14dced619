// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Your app at Facebook: who asks, with what secret, in which version of Facebook's interface, and where.
///
/// ```swift
/// let app = try FacebookApp(id: "1234567890", secret: secret)
/// ```
public struct FacebookApp: Sendable {
    /// The app ID, in decimal.
    public let id: String

    /// The app secret; nil for a server that was not given it.
    ///
    /// What needs it says so: proving that a call is the app's own, and everything that Facebook signed with it.
    let secret: String?

    /// The version of Facebook's dialogs and Graph API, for example `v21.0`.
    public let graphVersion: String

    /// Where Facebook answers.
    public let endpoints: FacebookEndpoints

    /// An app.
    ///
    /// - Parameters:
    ///   - id: The app ID: 1 to 20 digits.
    ///   - secret: The app secret, as the app's dashboard shows it; nil where nothing is done that needs it.
    ///   - graphVersion: The version of Facebook's dialogs and Graph API. Facebook ends each after about two years; the
    ///     default is the one that version 18.1 of its SDK for iOS asks for.
    ///   - endpoints: Where Facebook answers.
    /// - Throws: ``FacebookAppError`` if one of them cannot be so.
    public init(
        id: String,
        secret: String? = nil,
        graphVersion: String = "v21.0",
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

    /// Printable ASCII without spaces: what remains of a file that was read with its line break is no secret.
    private static func isSecret(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isVersion(_ text: String) -> Bool {
        let parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.hasPrefix("v") && parts.count == 2
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(isDigit) }
    }
}

/// Where Facebook answers.
///
/// Every address is asked as it stands; what Facebook sends back never changes whom we ask.
public struct FacebookEndpoints: Sendable, Hashable {
    /// The dialog of a login with tracking, the version and `dialog/oauth` to be added.
    public var dialog: EndpointURL
    /// The dialog of a Limited Login, the version and `dialog/oauth` to be added.
    public var limitedDialog: EndpointURL
    /// The Graph API, the version and the path to be added.
    public var graph: EndpointURL
    /// What ends the connection of an app and a person, given an ID token.
    public var uninstall: EndpointURL
    /// What tells whether an ID token is still good, as Facebook's SDK asks it; documented nowhere.
    public var tokenStatus: EndpointURL

    /// Other places than Facebook's, for tests.
    ///
    /// - Parameters:
    ///   - dialog: The dialog of a login with tracking.
    ///   - limitedDialog: The dialog of a Limited Login.
    ///   - graph: The Graph API.
    ///   - uninstall: What ends the connection of an app and a person.
    ///   - tokenStatus: What tells whether an ID token is still good.
    public init(
        dialog: EndpointURL,
        limitedDialog: EndpointURL,
        graph: EndpointURL,
        uninstall: EndpointURL,
        tokenStatus: EndpointURL
    ) {
        self.dialog = dialog
        self.limitedDialog = limitedDialog
        self.graph = graph
        self.uninstall = uninstall
        self.tokenStatus = tokenStatus
    }

    /// Facebook's own.
    public static let live = Self(
        dialog: url("https://www.facebook.com/"),
        limitedDialog: url("https://limited.facebook.com/"),
        graph: url("https://graph.facebook.com/"),
        uninstall: url("https://www.limited.facebook.com/platform/uninstall/"),
        tokenStatus: url("https://m.facebook.com/platform/oidc/status")
    )

    private static func url(_ text: String) -> EndpointURL {
        guard let url = try? EndpointURL(text) else { preconditionFailure("Facebook's addresses are addresses") }
        return url
    }
}

/// What no app at Facebook has.
public enum FacebookAppError: Error, Sendable, Hashable {
    /// The app ID is not 1 to 20 digits.
    case id
    /// The app secret is empty, longer than 256 bytes, or holds white space, as a line break at the end of a file.
    case secret
    /// The version is not like `v21.0`.
    case graphVersion
}

extension FacebookAppError: CustomStringConvertible {
    /// What is wrong, for the operator.
    public var description: String {
        switch self {
        case .id: "an app ID is 1 to 20 digits"
        case .secret:
            "an app secret is 1 to 256 printable characters without white space: remove a line break at its end"
        case .graphVersion: "a version of the Graph API is like v21.0"
        }
    }
}

extension FacebookApp: Redacted {
    /// The app ID and the version of the Graph API, without the secret.
    public var description: String { "app \(id) at Facebook, \(graphVersion)" }
}
