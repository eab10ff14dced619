// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A check at Facebook whether an ID token was revoked after its issuance.
///
/// The endpoint is undocumented. Facebook's SDK for iOS uses it when an app starts; it may change or disappear at any
/// time. This package calls it only through this type. The token is in the URL, since no other form is known: your
/// proxies may log it.
///
/// No result confirms a token: everything but an explicit "not authorized" is ``Answer/unknown``, as in the SDK.
///
/// ```swift
/// if await TokenLiveness(app: app, transport: transport).ask(about: token) == .notAuthorized { endSession() }
/// ```
public struct TokenLiveness: Sendable {
    /// Facebook's answer.
    public enum Answer: String, Sendable, Hashable {
        /// The user revoked the app's authorization.
        ///
        /// End the session.
        case notAuthorized
        /// Any other response, or none.
        ///
        /// It proves nothing about the token.
        case unknown
    }

    private let app: FacebookApp
    private let transport: any HTTPTransport

    /// Creates a client for an app.
    ///
    /// - Parameters:
    ///   - app: The app with its endpoints.
    ///   - transport: The transport for requests.
    public init(app: FacebookApp, transport: any HTTPTransport) {
        self.app = app
        self.transport = transport
    }

    /// Asks about a token once, for at most ten seconds.
    ///
    /// - Parameter token: The token. The answer is unknown for a token that makes the URL longer than 2,048 bytes.
    /// - Returns: Facebook's answer.
    public func ask(about token: AuthenticationToken) async -> Answer {
        let base = app.endpoints.tokenStatus
        let separator = base.target.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let text = base.description + separator + FormFields([("id_token", token.tokenString)]).encoded
        guard let url = try? EndpointURL(text, allowsLoopbackHTTP: base.scheme == .http) else { return .unknown }
        let request = TransportRequest(
            url: url,
            responseLimit: GraphLimits.answerBytes,
            deadline: GraphLimits.deadline
        )
        guard let response = try? await transport.send(request), response.status == 200,
            response.values(of: "fb-s") == ["not_authorized"]
        else { return .unknown }
        return .notAuthorized
    }
}
