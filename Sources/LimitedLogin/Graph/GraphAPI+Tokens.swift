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
    /// Asks Facebook what a text is that came as an access token.
    ///
    /// Before this no such text may count for anything: a token of another app is as real, and would sign its owner in
    /// here. It needs the app secret.
    ///
    /// - Parameter tokenString: The text, as it came.
    /// - Returns: The token, known to be good now, this app's, and a person's. Declined and expired permissions are not
    ///   told: ask ``permissions(of:)``.
    /// - Throws: ``GraphError``: `relogin` for a token that is none or ended, `foreign-token` for one that is not this
    ///   app's or not a person's.
    public func debug(_ tokenString: String) async throws(GraphError) -> AccessToken {
        guard let secret = app.secret else {
            throw GraphError(.appConfiguration, "to ask about a token needs the app secret")
        }
        guard GraphCall.isToken(tokenString) else { throw .noToken }
        let call = GraphCall(
            path: ["debug_token"],
            parameters: [("input_token", tokenString)],
            token: "\(app.id)|\(secret)"
        )
        let json: JSONValue
        do throws(GraphError) {
            json = try await answer(to: call, until: deadline())
        } catch {
            throw Self.judgedOutside(error)
        }
        guard let data = json["data"], data.kind == .object else {
            throw .unreadable("what Facebook says about the token is no object")
        }
        return try read(data, about: tokenString)
    }

    private func read(_ data: JSONValue, about tokenString: String) throws(GraphError) -> AccessToken {
        // Whose it is comes first: what is wrong with a token of others concerns them.
        let appID = Self.id(data["app_id"])
        guard appID == nil || appID == app.id else { throw .anotherApp }
        if let error = data["error"], error.kind == .object {
            throw GraphError(error, status: 200, retryAfter: nil)
        }
        guard data["is_valid"]?.boolean == true else { throw GraphError(.relogin, "Facebook calls the token invalid") }
        guard appID != nil else { throw .unreadable("Facebook does not say whose app's the token is") }
        guard data["type"]?.string == "USER", let userID = Self.id(data["user_id"]) else {
            throw GraphError(.foreignToken, "the token is not a person's")
        }
        guard let scopes = data["scopes"]?.elements?.map(\.string), !scopes.contains(nil) else {
            throw .unreadable("Facebook does not say what the token permits")
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
        guard !token.isExpired(at: now) else { throw GraphError(.relogin, "the token expired") }
        return token
    }

    /// An error of the call itself, and not of what it asked about.
    ///
    /// The question has one parameter, and Facebook calls it wrong where it is the token of another app. That the token
    /// is no good concerns the app's own, by which it asked: nobody has to log in again for it.
    private static func judgedOutside(_ error: GraphError) -> GraphError {
        if error.code == 100, error.type == "OAuthException" {
            return error.judged(.foreignToken, "the token is not this app's")
        }
        return error.category == .relogin
            ? error.judged(.appConfiguration, "Facebook does not take the app's ID and secret") : error
    }

    /// An ID, which Facebook has written as a number too.
    private static func id(_ value: JSONValue?) -> String? {
        if let text = value?.string { return text.isEmpty ? nil : text }
        return value?.integer.map { String($0) }
    }

    /// When something ends, in seconds since 1970, where 0 is never.
    ///
    /// Text in the place of a number is no "never": Facebook's SDK for iOS takes it for one.
    private static func end(_ value: JSONValue?, isOptional: Bool) throws(GraphError) -> Date? {
        if value == nil, isOptional { return nil }
        guard let seconds = value?.integer, Limits.numericDate.contains(Double(seconds)) else {
            throw .unreadable("Facebook does not say when the token ends")
        }
        return seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds))
    }

    /// Exchanges the code of a login for tokens.
    ///
    /// It is sent once, whatever happens: a code is good for one use.
    ///
    /// - Parameters:
    ///   - code: The code that came back with the browser.
    ///   - redirectURL: The address it came back to, as in the beginning of the login.
    ///   - verifier: The code verifier of the login (RFC 7636 §4.5).
    /// - Returns: The tokens; none of them has been verified.
    /// - Throws: ``GraphError``: `relogin` for a code that ended or was used.
    package func exchange(
        code: String,
        redirectURL: String,
        verifier: String
    ) async throws(GraphError) -> CodeExchange {
        var parameters = [
            ("client_id", app.id), ("redirect_uri", redirectURL), ("code", code), ("code_verifier", verifier),
        ]
        // With a verifier Facebook asks for no secret, but where there is one, a stolen code is of no use to who stole
        // it.
        if let secret = app.secret { parameters.append(("client_secret", secret)) }
        let json = try await answer(
            to: GraphCall(method: .post, path: ["oauth", "access_token"], parameters: parameters),
            until: deadline()
        )
        return try CodeExchange(json)
    }
}

/// What came for the code of a login: not yet verified.
package struct CodeExchange: Sendable {
    /// The access token.
    package let accessToken: String
    /// The ID token; nil where the login did not ask for one.
    package let idToken: String?
    /// How long the access token is good; nil where nothing is said.
    package let lifetime: Duration?

    init(_ json: JSONValue) throws(GraphError) {
        guard let accessToken = json["access_token"]?.string, GraphCall.isToken(accessToken) else {
            throw .unreadable("there is no access token in the answer")
        }
        // A token of another type would have to be used otherwise (RFC 6749 §7.1).
        guard json["token_type"] == nil || json["token_type"]?.string?.lowercased() == "bearer" else {
            throw .unreadable("the access token is of another type than bearer")
        }
        guard json["id_token"] == nil || json["id_token"]?.string != nil else {
            throw .unreadable("the ID token is no text")
        }
        let seconds = json["expires_in"]?.integer
        guard json["expires_in"] == nil || seconds.map({ (0...0x7FFF_FFFF).contains($0) }) == true else {
            throw .unreadable("the lifetime of the access token is no number of seconds")
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
