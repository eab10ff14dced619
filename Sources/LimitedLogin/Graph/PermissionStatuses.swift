// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the person granted, declined, and let expire, as Facebook says now.
///
/// A permission stands in one of the sets at most.
public struct PermissionStatuses: Sendable, Hashable {
    /// What the person granted.
    public let granted: Set<Permission>
    /// What the person declined, or took back.
    public let declined: Set<Permission>
    /// What ended because it was not used; the person may grant it again.
    public let expired: Set<Permission>

    /// The three sets.
    ///
    /// - Parameters:
    ///   - granted: What the person granted. What stands in another set too does not count as granted.
    ///   - declined: What the person declined.
    ///   - expired: What ended because it was not used.
    public init(granted: Set<Permission>, declined: Set<Permission>, expired: Set<Permission>) {
        self.granted = granted.subtracting(declined).subtracting(expired)
        self.declined = declined
        self.expired = expired.subtracting(declined)
    }

    /// Whether the person granted this permission; the name must be the same, letter case included.
    public func hasGranted(_ permission: Permission) -> Bool {
        granted.contains(permission)
    }
}

extension AccessToken {
    /// The same token, with what Facebook says of its permissions.
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
