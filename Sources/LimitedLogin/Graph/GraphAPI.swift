// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// Asks Facebook's Graph API about a person who logged in with tracking, and about access tokens.
///
/// ```swift
/// let graph = GraphAPI(app: app, transport: transport)
/// let token = try await graph.debug(received)
/// let statuses = try await graph.permissions(of: token)
/// ```
///
/// A token goes to the host that the app's endpoints name, and to no other: no answer says where to ask next. It stands
/// in the head `Authorization` and in no address, where logs would keep it; ``debug(_:)`` alone names the token in the
/// query, for Facebook knows no other way. Where the app has a secret, each call proves that it is the app's own
/// (`appsecret_proof`).
///
/// A call takes ten seconds at most. One that reads or deletes is repeated once, after half a second, where the error
/// says that Facebook itself failed (``GraphError/Category/transient``); no other error leads to a second call, and
/// nothing that is posted is sent twice.
public struct GraphAPI: Sendable {
    /// Which app asks.
    public let app: FacebookApp

    let transport: any HTTPTransport
    let timekeeper: Timekeeper
    let wallClock: any WallClock
    private(set) var latestEnd: Duration?

    /// Asks as an app.
    ///
    /// - Parameters:
    ///   - app: Which app asks. Without its secret no call is proven, and ``debug(_:)`` cannot ask.
    ///   - transport: What sends the requests.
    ///   - clock: What measures deadlines and pauses.
    ///   - wallClock: Who says what time of day it is, for ``AccessToken/refreshDate``.
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

    /// The same, for several calls that share an end.
    ///
    /// - Parameter duration: After what time from now on the last call has ended.
    /// - Returns: What makes the calls; none of them takes longer than it would alone.
    package func ending(within duration: Duration) -> GraphAPI {
        var graph = self
        graph.latestEnd = timekeeper.now() + duration
        return graph
    }

    /// What the person grants this app now.
    ///
    /// - Parameter token: The person's token.
    /// - Returns: What is granted, declined and expired; a status that is not known here counts as none of them.
    /// - Throws: ``GraphError``
    public func permissions(of token: AccessToken) async throws(GraphError) -> PermissionStatuses {
        let call = try GraphCall(path: ["me", "permissions"], token: own(token))
        let end = deadline()
        let first = try await answer(to: call, until: end)
        guard let items = try await items(from: first, of: call, until: end) else {
            throw .unreadable("the list of permissions has no end, or is none")
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

    /// Gives one permission back.
    ///
    /// - Parameters:
    ///   - permission: Which one.
    ///   - token: The person's token.
    /// - Throws: ``GraphError``, also where Facebook does not say that it was done.
    public func revoke(_ permission: Permission, of token: AccessToken) async throws(GraphError) {
        // An empty name, or two dots, would end more than this permission.
        let isName = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "_")
        }
        guard (1...Limits.permissionBytes).contains(permission.rawValue.utf8.count),
            permission.rawValue.utf8.allSatisfy(isName)
        else { throw GraphError(.caller, "no permission has the name \(quoted(permission.rawValue))") }
        try await delete(["me", "permissions", permission.rawValue], of: token)
    }

    /// Gives all permissions back, and ends the connection of the person and the app: the next time is a first login.
    ///
    /// - Parameter token: The person's token, which is of no use afterwards.
    /// - Throws: ``GraphError``, also where Facebook does not say that it was done.
    public func revokeAll(of token: AccessToken) async throws(GraphError) {
        try await delete(["me", "permissions"], of: token)
    }

    /// Ends the connection of the app and a person who used Limited Login, for which there is no access token.
    ///
    /// By Facebook's documents it takes back no permission: they are there again at the next login. How the answer
    /// looks they do not say, so that everything counts as done that is not called an error.
    ///
    /// - Parameter token: The person's token, just verified.
    /// - Throws: ``GraphError``
    public func uninstall(_ token: AuthenticationToken) async throws(GraphError) {
        guard token.claims.aud == app.id else { throw .anotherApp }
        let body = FormFields([("id_token", token.tokenString), ("app_id", app.id)]).encoded
        let request = GraphCall.form(body, to: app.endpoints.uninstall)
        let answer = try await send(request, until: deadline())
        guard answer?["success"]?.boolean != false else { throw .unreadable("Facebook says that it was not done") }
    }

    /// Asks who the person is.
    ///
    /// - Parameter token: The person's token. What its permissions name is asked for, and nothing else.
    /// - Returns: The profile of the person whose token it is: nobody else's.
    /// - Throws: ``GraphError``; what the answer has in a form that cannot be read is nil, and named in the profile's
    ///   notes.
    public func profile(of token: AccessToken) async throws(GraphError) -> Profile {
        let text = try own(token)
        let end = deadline()
        let fields = GraphProfile.fields(for: token.permissions)
        let json = try await answer(
            to: GraphCall(path: ["me"], parameters: [("fields", fields)], token: text),
            until: end
        )
        guard let userID = json["id"]?.string, !userID.isEmpty else { throw .unreadable("the profile has no ID") }
        guard userID == token.userID else { throw GraphError(.foreignToken, "the token is another person's") }
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
        guard json["success"]?.boolean == true else { throw .unreadable("Facebook does not say that it was done") }
    }

    /// The text of a token, which must be this app's: to prove another's by our secret would make no sense.
    private func own(_ token: AccessToken) throws(GraphError) -> String {
        guard token.appID == app.id else { throw .anotherApp }
        return token.tokenString
    }
}

extension Permission {
    /// The permission that an entry of a list names; nil if it names none.
    fileprivate init?(item: JSONValue) {
        guard let name = item["permission"]?.string, name.utf8.count <= Limits.permissionBytes else { return nil }
        self.init(rawValue: name)
    }
}
