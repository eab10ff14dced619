// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Asks Facebook whether an ID token was taken back since it was issued.
///
/// Facebook documents no way to ask. Its SDK for iOS asks this one when an app starts, so that it may change or end any
/// day, and nothing here asks it unless you do. The token stands in the address, for no other form is known: on the way
/// through a proxy of yours, it stands in that one's logs.
///
/// There is no answer "alive": everything but a plain "not authorized" is ``Answer/unknown``, as it is to the SDK.
///
/// ```swift
/// if await TokenLiveness(app: app, transport: transport).ask(about: token) == .notAuthorized { endSession() }
/// ```
public struct TokenLiveness: Sendable {
    /// What Facebook says.
    public enum Answer: String, Sendable, Hashable {
        /// The person took the app's authorization back: end the session.
        case notAuthorized
        /// Anything else, no answer included: it says nothing about the token.
        case unknown
    }

    private let app: FacebookApp
    private let transport: any HTTPTransport

    /// Asks as an app.
    ///
    /// - Parameters:
    ///   - app: Whose endpoints to ask.
    ///   - transport: What sends the requests.
    public init(app: FacebookApp, transport: any HTTPTransport) {
        self.app = app
        self.transport = transport
    }

    /// Asks about a token, once, for ten seconds at most.
    ///
    /// - Parameter token: The token. One that makes the address longer than 2,048 bytes is not asked about.
    /// - Returns: What Facebook says.
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
