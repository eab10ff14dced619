// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token of Facebook, with its properties.
///
/// A login with tracking issues one; a Limited Login does not. An access token from an app proves nothing by itself: it
/// may be another app's, or invalid, as after a login in which the user declined tracking. ``GraphAPI/debug(_:)``
/// verifies it and returns a value of this type.
///
/// To store it, encode it, and encrypt the result: the encoded form contains the token itself, which is a secret.
public struct AccessToken: Sendable, Hashable {
    /// The access token.
    ///
    /// Its holder can act for the user: do not log it, and store it encrypted.
    public let tokenString: String

    /// The granted permissions.
    public let permissions: Set<Permission>

    /// The declined permissions.
    public let declinedPermissions: Set<Permission>

    /// The permissions that expired because they were not used.
    public let expiredPermissions: Set<Permission>

    /// The ID of the app that the token was issued to.
    public let appID: String

    /// The user's ID within this app.
    public let userID: String

    /// The time at which the token expires; nil if it never does.
    ///
    /// Nil never stands for an expiry that could not be read.
    public let expirationDate: Date?

    /// The time at which Facebook reported the properties.
    public let refreshDate: Date

    /// The time from which the app may no longer read the user's data with the token.
    ///
    /// Nil if there is none, or if it is unknown.
    public let dataAccessExpirationDate: Date?

    /// Creates an access token from known properties, for example stored ones.
    ///
    /// - Parameters:
    ///   - tokenString: The access token.
    ///   - permissions: The granted permissions.
    ///   - declinedPermissions: The declined permissions.
    ///   - expiredPermissions: The permissions that expired because they were not used.
    ///   - appID: The ID of the app that the token was issued to.
    ///   - userID: The user's ID within this app.
    ///   - expirationDate: The time at which the token expires; nil if it never does.
    ///   - refreshDate: The time at which Facebook reported the properties.
    ///   - dataAccessExpirationDate: The time from which the app may no longer read the user's data; nil if there is
    ///     none, or if it is unknown.
    public init(
        tokenString: String,
        permissions: Set<Permission>,
        declinedPermissions: Set<Permission> = [],
        expiredPermissions: Set<Permission> = [],
        appID: String,
        userID: String,
        expirationDate: Date?,
        refreshDate: Date,
        dataAccessExpirationDate: Date?
    ) {
        self.tokenString = tokenString
        self.permissions = permissions
        self.declinedPermissions = declinedPermissions
        self.expiredPermissions = expiredPermissions
        self.appID = appID
        self.userID = userID
        self.expirationDate = expirationDate
        self.refreshDate = refreshDate
        self.dataAccessExpirationDate = dataAccessExpirationDate
    }

    /// Returns whether the user had granted this permission at ``refreshDate``.
    ///
    /// The name is case-sensitive. The user may have revoked the permission since: call ``GraphAPI/permissions(of:)``
    /// before you rely on it.
    public func hasGranted(_ permission: Permission) -> Bool {
        permissions.contains(permission)
    }

    /// Returns whether the token has expired at a time; at ``expirationDate`` itself it has.
    public func isExpired(at date: Date) -> Bool {
        expirationDate.map { $0 <= date } ?? false
    }

    /// Returns whether the access to the user's data has expired at a time.
    ///
    /// The token itself may be valid.
    ///
    /// It is false if there is no such expiry, or if it is unknown.
    public func isDataAccessExpired(at date: Date) -> Bool {
        dataAccessExpirationDate.map { $0 <= date } ?? false
    }
}

extension AccessToken {
    /// Returns the token with the permissions that Facebook reported.
    ///
    /// - Parameters:
    ///   - statuses: The result of ``GraphAPI/permissions(of:)``.
    ///   - date: The time of that result.
    /// - Returns: The token, to be stored instead of this one.
    public func with(_ statuses: PermissionStatuses, at date: Date) -> AccessToken {
        AccessToken(
            tokenString: tokenString,
            permissions: statuses.granted,
            declinedPermissions: statuses.declined,
            expiredPermissions: statuses.expired,
            appID: appID,
            userID: userID,
            expirationDate: expirationDate,
            refreshDate: date,
            dataAccessExpirationDate: dataAccessExpirationDate
        )
    }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case tokenString, permissions, declinedPermissions, expiredPermissions, appID, userID
        case expirationDate, refreshDate, dataAccessExpirationDate
    }

    /// Decodes an access token.
    ///
    /// All members are required. A missing ``expirationDate`` is an error, since nil would mean that the token never
    /// expires.
    ///
    /// - Throws: `DecodingError`, without the token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            tokenString: try container.decode(String.self, forKey: .tokenString),
            permissions: try container.decode(Set<Permission>.self, forKey: .permissions),
            declinedPermissions: try container.decode(Set<Permission>.self, forKey: .declinedPermissions),
            expiredPermissions: try container.decode(Set<Permission>.self, forKey: .expiredPermissions),
            appID: try container.decode(String.self, forKey: .appID),
            userID: try container.decode(String.self, forKey: .userID),
            expirationDate: try container.decode(Date?.self, forKey: .expirationDate),
            refreshDate: try container.decode(Date.self, forKey: .refreshDate),
            dataAccessExpirationDate: try container.decode(Date?.self, forKey: .dataAccessExpirationDate)
        )
    }

    /// Encodes the token with its properties, by their names; nil is encoded as `null`.
    ///
    /// The result contains the token itself: encrypt it before you store it, and do not log it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tokenString, forKey: .tokenString)
        try container.encode(permissions, forKey: .permissions)
        try container.encode(declinedPermissions, forKey: .declinedPermissions)
        try container.encode(expiredPermissions, forKey: .expiredPermissions)
        try container.encode(appID, forKey: .appID)
        try container.encode(userID, forKey: .userID)
        try container.encode(expirationDate, forKey: .expirationDate)
        try container.encode(refreshDate, forKey: .refreshDate)
        try container.encode(dataAccessExpirationDate, forKey: .dataAccessExpirationDate)
    }
}

extension AccessToken: Redacted {
    /// The app ID, without the token and the user.
    public var description: String { "AccessToken for app \(quoted(appID))" }
}
