// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

/// Revocation of permissions and logins.
extension GraphAPI {
    /// Revokes one permission.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - token: The user's access token.
    /// - Throws: ``GraphError``, also if Facebook does not confirm the revocation.
    public func revoke(_ permission: Permission, of token: AccessToken) async throws(GraphError) {
        let call = try GraphCall(revoking: permission, ofUser: nil, token: own(token))
        try Self.confirm(await answer(to: call, until: deadline()))
    }

    /// Revokes all permissions and disconnects the user from the app.
    ///
    /// The next login is a first login.
    ///
    /// - Parameter token: The user's access token, which is invalid afterwards.
    /// - Throws: ``GraphError``, also if Facebook does not confirm the revocation.
    public func revokeAll(of token: AccessToken) async throws(GraphError) {
        let call = try GraphCall(revoking: nil, ofUser: nil, token: own(token))
        try Self.confirm(await answer(to: call, until: deadline()))
    }

    /// Revokes one permission of a user whose access token the server does not have, in the name of the app.
    ///
    /// The call needs the app secret. Facebook documents it in the Graph API reference, User, Permissions.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - userID: The user's ID within this app: 1 to 64 digits.
    /// - Throws: ``GraphError``, also if Facebook does not confirm the revocation; `app-configuration` without the app
    ///   secret.
    public func revoke(_ permission: Permission, ofUser userID: String) async throws(GraphError) {
        let call = try GraphCall(revoking: permission, ofUser: userID)
        try Self.confirm(await answerAsApp(to: call))
    }

    /// Revokes all permissions of a user and disconnects the user from the app, in the name of the app.
    ///
    /// The access tokens of the user are invalid afterwards, and the next login is a first login. The call needs the
    /// app secret, and no token of the user.
    ///
    /// - Parameter userID: The user's ID within this app: 1 to 64 digits.
    /// - Throws: ``GraphError``, also if Facebook does not confirm the revocation; `app-configuration` without the app
    ///   secret.
    public func revokeAll(ofUser userID: String) async throws(GraphError) {
        let call = try GraphCall(revoking: nil, ofUser: userID)
        try Self.confirm(await answerAsApp(to: call))
    }

    /// Disconnects a user of Limited Login, who has no access token, from the app.
    ///
    /// According to Facebook's documentation it revokes no permission: all are granted again at the next login. The
    /// response is undocumented, so everything but an error counts as success.
    ///
    /// - Parameter token: The user's ID token, just verified.
    /// - Throws: ``GraphError``
    public func uninstall(_ token: AuthenticationToken) async throws(GraphError) {
        guard token.claims.aud == app.id else { throw .anotherApp }
        let body = FormFields([("id_token", token.tokenString), ("app_id", app.id)]).encoded
        let request = GraphCall.form(body, to: app.endpoints.uninstall)
        let answer = try await send(request, until: deadline())
        guard answer?["success"]?.boolean != false else { throw .unreadable("Facebook reports that the call failed") }
    }

    private static func confirm(_ answer: JSONValue) throws(GraphError) {
        // The reference states the response `true`; the API responds with an object.
        guard answer.boolean == true || answer["success"]?.boolean == true else {
            throw .unreadable("Facebook does not confirm the call")
        }
    }
}

extension GraphCall {
    /// Creates a call that revokes one permission, or all of them.
    ///
    /// - Parameters:
    ///   - permission: The permission; nil for all.
    ///   - userID: The user's ID; nil for the user of the token.
    ///   - token: The user's access token; nil for a call of the app.
    /// - Throws: ``GraphError`` if the name or the ID is invalid.
    fileprivate init(revoking permission: Permission?, ofUser userID: String?, token: String? = nil) throws(GraphError)
    {
        guard userID.map(Self.isUserID) ?? true else {
            throw GraphError(.caller, "the user ID does not consist of 1 to 64 digits")
        }
        var path = [userID ?? "me", "permissions"]
        if let name = permission?.rawValue {
            guard Self.isPermissionName(name) else {
                throw GraphError(.caller, "\(quoted(name)) is not a valid permission name")
            }
            path.append(name)
        }
        self.init(method: .delete, path: path, token: token)
    }

    /// Returns whether a text is the name of a permission: ASCII letters, digits and underscores.
    ///
    /// An empty name, or two dots, would revoke more than this permission.
    private static func isPermissionName(_ text: String) -> Bool {
        (1...Limits.permissionBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_")
            }
    }
}
