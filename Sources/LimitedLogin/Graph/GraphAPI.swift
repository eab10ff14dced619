// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// A client of Facebook's Graph API for access tokens and the users who logged in with tracking.
///
/// ```swift
/// let graph = GraphAPI(app: app, transport: transport)
/// let token = try await graph.debug(received)
/// let statuses = try await graph.permissions(of: token)
/// ```
///
/// A token is sent to the host of the app's endpoints only; no response changes that. It is sent in the header
/// `Authorization` and never in a URL, which logs would contain. The exception is ``debug(_:)``, whose token Facebook
/// accepts in the query only. If the app has a secret, each call proves that it is the app's own (`appsecret_proof`).
///
/// A call takes at most ten seconds. A call that reads or deletes is retried once after half a second, if the error is
/// one of Facebook itself (``GraphError/Category/transient``). No other error is retried, and no POST is sent twice.
public struct GraphAPI: Sendable {
    /// The app that sends the calls.
    public let app: FacebookApp

    let transport: any HTTPTransport
    let timekeeper: Timekeeper
    let wallClock: any WallClock
    private(set) var latestEnd: Duration?

    /// Creates a client for an app.
    ///
    /// - Parameters:
    ///   - app: The app. Without its secret, calls have no proof, and ``debug(_:)`` fails.
    ///   - transport: The transport for requests.
    ///   - clock: The clock for deadlines and pauses.
    ///   - wallClock: The clock for ``AccessToken/refreshDate``.
    public init(
        app: FacebookApp,
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        wallClock: any WallClock = .system
    ) {
        self.app = app
        self.transport = transport
        self.timekeeper = Timekeeper(clock)
        self.wallClock = wallClock
    }

    /// Returns the same client with a deadline for several calls.
    ///
    /// - Parameter duration: The time from now until the deadline.
    /// - Returns: The client. Each call also has its usual deadline.
    package func ending(within duration: Duration) -> GraphAPI {
        var graph = self
        graph.latestEnd = timekeeper.now() + duration
        return graph
    }

    /// Returns the permissions that the user grants this app now.
    ///
    /// - Parameter token: The user's access token.
    /// - Returns: The granted, declined and expired permissions, without those of an unknown status.
    /// - Throws: ``GraphError``
    public func permissions(of token: AccessToken) async throws(GraphError) -> PermissionStatuses {
        let call = try GraphCall(path: ["me", "permissions"], token: own(token))
        let end = deadline()
        let first = try await answer(to: call, until: end)
        guard let items = try await items(from: first, of: call, until: end) else {
            throw .unreadable("the list of permissions is invalid, or too long")
        }
        func permissions(_ status: String) -> Set<Permission> {
            Set(items.filter { $0["status"]?.isString(status) == true }.compactMap(Permission.init(item:)))
        }
        return PermissionStatuses(
            granted: permissions("granted"),
            declined: permissions("declined"),
            expired: permissions("expired")
        )
    }

    /// Revokes one permission.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - token: The user's access token.
    /// - Throws: ``GraphError``, also if Facebook does not confirm the revocation.
    public func revoke(_ permission: Permission, of token: AccessToken) async throws(GraphError) {
        // An empty name, or two dots, would revoke more than this permission.
        let isName = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        guard (1...Limits.permissionBytes).contains(permission.rawValue.utf8.count),
            permission.rawValue.utf8.allSatisfy(isName)
        else { throw GraphError(.caller, "\(quoted(permission.rawValue)) is not a valid permission name") }
        try await delete(["me", "permissions", permission.rawValue], of: token)
    }

    /// Revokes all permissions and disconnects the user from the app.
    ///
    /// The next login is a first login.
    ///
    /// - Parameter token: The user's access token, which is invalid afterwards.
    /// - Throws: ``GraphError``, also if Facebook does not confirm the revocation.
    public func revokeAll(of token: AccessToken) async throws(GraphError) {
        try await delete(["me", "permissions"], of: token)
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

    /// Returns the user's profile.
    ///
    /// - Parameter token: The user's access token. The fields of its permissions are requested, and no others.
    /// - Returns: The profile of the user whose token it is.
    /// - Throws: ``GraphError``. A field that cannot be read is nil, and listed in the profile's notes.
    public func profile(of token: AccessToken) async throws(GraphError) -> Profile {
        let text = try own(token)
        let end = deadline()
        let fields = GraphProfile.fields(for: token.permissions)
        let json = try await answer(
            to: GraphCall(path: ["me"], parameters: [("fields", fields)], token: text),
            until: end
        )
        guard let userID = json["id"]?.string, !userID.isEmpty else { throw .unreadable("the profile has no ID") }
        guard userID == token.userID else { throw GraphError(.foreignToken, "the token belongs to another user") }
        var friends: [JSONValue]?
        if let first = json["friends"] {
            let parameters = [("fields", "id"), ("limit", String(GraphLimits.pageItems))]
            let call = GraphCall(path: ["me", "friends"], parameters: parameters, token: text)
            friends = try await items(from: first, of: call, until: end)
        }
        return Profile(
            GraphProfile(json, userID: userID, friends: friends, date: wallClock.now),
            permissions: token.permissions
        )
    }

    private func delete(_ path: [String], of token: AccessToken) async throws(GraphError) {
        let json = try await answer(to: GraphCall(method: .delete, path: path, token: own(token)), until: deadline())
        guard json["success"]?.boolean == true else { throw .unreadable("Facebook does not confirm the call") }
    }

    /// Returns the text of a token of this app.
    ///
    /// The proof of another app's token would be invalid.
    private func own(_ token: AccessToken) throws(GraphError) -> String {
        guard token.appID == app.id else { throw .anotherApp }
        return token.tokenString
    }
}

extension Permission {
    /// Creates the permission in an entry of a list; nil if it names none.
    fileprivate init?(item: JSONValue) {
        guard let name = item["permission"]?.string, name.utf8.count <= Limits.permissionBytes else { return nil }
        self.init(rawValue: name)
    }
}
