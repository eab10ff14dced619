// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension GraphAPI {
    /// Verifies an access token at Facebook.
    ///
    /// Trust no access token before this call: a token of another app is as genuine, and would sign in its user here.
    /// The call needs the app secret.
    ///
    /// - Parameter tokenString: The token, as it was received.
    /// - Returns: The token, which is valid now, and belongs to this app and a user. It has no declined and expired
    ///   permissions: call ``permissions(of:)`` for them.
    /// - Throws: ``GraphError``: `relogin` for an invalid or expired token, `foreign-token` for one of another app or
    ///   without a user.
    public func debug(_ tokenString: String) async throws(GraphError) -> AccessToken {
        guard GraphCall.isToken(tokenString) else { throw .noToken }
        let json: JSONValue
        do throws(GraphError) {
            json = try await answerAsApp(
                to: GraphCall(path: ["debug_token"], parameters: [("input_token", tokenString)])
            )
        } catch {
            // The call has one parameter, and Facebook reports it as invalid if it is the token of another app.
            throw error.code == 100 && error.type == "OAuthException"
                ? error.judged(.foreignToken, "the token belongs to another app") : error
        }
        guard let data = json["data"], data.kind == .object else {
            throw .unreadable("the token information is not an object")
        }
        return try read(data, about: tokenString)
    }

    private func read(_ data: JSONValue, about tokenString: String) throws(GraphError) -> AccessToken {
        // The app is checked first. Other errors of a token of another app do not concern the user of this one.
        let appID = Self.id(data["app_id"])
        guard appID == nil || appID == app.id else { throw .anotherApp }
        if let error = data["error"], error.kind == .object {
            throw GraphError(error, status: 200, retryAfter: nil)
        }
        guard data["is_valid"]?.boolean == true else {
            throw GraphError(.relogin, "Facebook reports that the token is invalid")
        }
        guard appID != nil else { throw .unreadable("the token information has no app ID") }
        guard data["type"]?.string == "USER", let userID = Self.id(data["user_id"]) else {
            throw GraphError(.foreignToken, "the token is not a user access token")
        }
        guard let scopes = data["scopes"]?.elements?.map(\.string), !scopes.contains(nil) else {
            throw .unreadable("the token information has no valid scopes")
        }
        let now = wallClock.now
        let token = AccessToken(
            tokenString: tokenString,
            permissions: Set(scopes.compactMap { $0.map(Permission.init(rawValue:)) }),
            appID: app.id,
            userID: userID,
            expirationDate: try Self.end(data["expires_at"], isOptional: false),
            refreshDate: now,
            dataAccessExpirationDate: try Self.end(data["data_access_expires_at"], isOptional: true)
        )
        guard !token.isExpired(at: now) else { throw GraphError(.relogin, "the token has expired") }
        return token
    }

    /// Returns an ID, which Facebook has also sent as a number.
    private static func id(_ value: JSONValue?) -> String? {
        if let text = value?.string { return text.isEmpty ? nil : text }
        return value?.integer.map { String($0) }
    }

    /// Returns a time in seconds since 1970; nil for 0, which means never.
    ///
    /// A string instead of a number is an error. Facebook's SDK for iOS reads it as never.
    private static func end(_ value: JSONValue?, isOptional: Bool) throws(GraphError) -> Date? {
        if value == nil, isOptional { return nil }
        guard let seconds = value?.integer, Limits.numericDate.contains(Double(seconds)) else {
            throw .unreadable("the token information has no valid expiry")
        }
        return seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds))
    }

    /// Exchanges an authorization code for tokens.
    ///
    /// The request is never retried, since a code is valid for one use.
    ///
    /// - Parameters:
    ///   - code: The authorization code.
    ///   - redirectURL: The redirect URI of the authorization request.
    ///   - verifier: The code verifier of the login (RFC 7636 §4.5).
    /// - Returns: The tokens, not yet verified.
    /// - Throws: ``GraphError``: `relogin` for a code that has expired or was used.
    package func exchange(
        code: String,
        redirectURL: String,
        verifier: String
    ) async throws(GraphError) -> CodeExchange {
        var parameters = [
            ("client_id", app.id), ("redirect_uri", redirectURL), ("code", code), ("code_verifier", verifier),
        ]
        // Facebook requires no secret beside a verifier. If there is one, it makes a stolen code useless.
        if let secret = app.secret { parameters.append(("client_secret", secret)) }
        let json = try await answer(
            to: GraphCall(method: .post, path: ["oauth", "access_token"], parameters: parameters),
            until: deadline()
        )
        return try CodeExchange(json)
    }
}

/// The response to a code exchange, not yet verified.
package struct CodeExchange: Sendable {
    /// The access token.
    package let accessToken: String
    /// The ID token; nil if the login did not request one.
    package let idToken: String?
    /// The lifetime of the access token; nil if it is not stated.
    package let lifetime: Duration?

    init(_ json: JSONValue) throws(GraphError) {
        guard let accessToken = json["access_token"]?.string, GraphCall.isToken(accessToken) else {
            throw .unreadable("the response has no access token")
        }
        // Another token type would have to be used differently (RFC 6749 §7.1).
        guard json["token_type"] == nil || json["token_type"]?.string?.lowercased() == "bearer" else {
            throw .unreadable("the token type is not bearer")
        }
        guard json["id_token"] == nil || json["id_token"]?.string != nil else {
            throw .unreadable("the ID token is not a string")
        }
        let seconds = json["expires_in"]?.integer
        guard json["expires_in"] == nil || seconds.map({ (0...0x7FFF_FFFF).contains($0) }) == true else {
            throw .unreadable("the lifetime of the access token is not a valid number of seconds")
        }
        self.accessToken = accessToken
        idToken = json["id_token"]?.string
        lifetime = seconds.map { .seconds($0) }
    }
}

extension CodeExchange: Redacted {
    /// A fixed text, without the tokens.
    package var description: String { "tokens for a code" }
}
