// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token of Facebook's, and what is known about it.
///
/// A login with tracking brings one; a Limited Login brings none. What an app sends as an access token proves nothing:
/// it may be another app's, or one that Facebook never made, as where the person declined to be tracked.
/// `GraphAPI.debug(_:)` makes one of these that is known to be good.
public struct AccessToken: Sendable, Hashable {
    /// The token itself.
    ///
    /// Whoever holds it can act for the person: do not log it, and store it encrypted.
    public let tokenString: String

    /// What the person granted.
    public let permissions: Set<Permission>

    /// What the person was asked for and declined.
    public let declinedPermissions: Set<Permission>

    /// What the person granted once, and what ended since because it was not used.
    public let expiredPermissions: Set<Permission>

    /// The ID of the app it is for.
    public let appID: String

    /// The person's ID within this app.
    public let userID: String

    /// When it ends; nil if it never does.
    ///
    /// Nil is a statement, and never stands for an end that could not be read.
    public let expirationDate: Date?

    /// When what stands here was learned.
    public let refreshDate: Date

    /// When the app may no longer read the person's data with it.
    ///
    /// Nil where nothing is known of an end: there is none, or nobody was asked.
    public let dataAccessExpirationDate: Date?

    /// An access token whose properties are known, for example because they were stored.
    ///
    /// - Parameters:
    ///   - tokenString: The token itself.
    ///   - permissions: What the person granted.
    ///   - declinedPermissions: What the person declined.
    ///   - expiredPermissions: What ended because it was not used.
    ///   - appID: The ID of the app it is for.
    ///   - userID: The person's ID within this app.
    ///   - expirationDate: When it ends; nil if it never does.
    ///   - refreshDate: When all this was learned.
    ///   - dataAccessExpirationDate: When the person's data may no longer be read; nil where nothing is known of an
    ///     end.
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

    /// Whether the person had granted this permission when ``refreshDate`` was.
    ///
    /// The name must be the same, letter case included. The person may have taken it back since: ask
    /// `GraphAPI.permissions(of:)` before you rely on it.
    public func hasGranted(_ permission: Permission) -> Bool {
        permissions.contains(permission)
    }

    /// Whether the token has ended at a moment; that of ``expirationDate`` is the first at which it has.
    public func isExpired(at date: Date) -> Bool {
        expirationDate.map { $0 <= date } ?? false
    }

    /// Whether at a moment the person's data may no longer be read, though the token itself may be good.
    ///
    /// False where nothing is known of an end: there is none, or nobody was asked.
    public func isDataAccessExpired(at date: Date) -> Bool {
        dataAccessExpirationDate.map { $0 <= date } ?? false
    }
}

extension AccessToken {
    /// Returns the token with the permissions that Facebook reports.
    ///
    /// - Parameters:
    ///   - statuses: What ``GraphAPI/permissions(of:)`` answered.
    ///   - date: When it did.
    /// - Returns: The token, to be stored in the place of this one.
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

extension AccessToken: Redacted {
    /// The app ID, without the token and the user.
    public var description: String { "AccessToken for app \(quoted(appID))" }
}
