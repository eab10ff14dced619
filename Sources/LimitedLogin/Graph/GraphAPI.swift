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
/// let posts = try await graph.list(["me", "feed"], first: 10, token: token)
/// ```
///
/// ``get(_:parameters:token:)``, ``list(_:parameters:first:token:)``, ``post(_:parameters:token:)`` and
/// ``delete(_:parameters:token:)`` send calls to any path. The other methods check the response too.
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
    ///   - app: The app. Without its secret, calls have no proof, and calls in the name of the app fail: ``debug(_:)``,
    ///     ``revoke(_:ofUser:)`` and ``revokeAll(ofUser:)``.
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
        let items = try await list(["me", "permissions"], token: token)
        func permissions(_ status: String) -> Set<Permission> {
            Set(items.filter { $0["status"]?.isString(status) == true }.compactMap(Permission.init(item:)))
        }
        return PermissionStatuses(
            granted: permissions("granted"),
            declined: permissions("declined"),
            expired: permissions("expired")
        )
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

    /// Returns the text of a token of this app.
    ///
    /// The proof of another app's token would be invalid.
    func own(_ token: AccessToken) throws(GraphError) -> String {
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
