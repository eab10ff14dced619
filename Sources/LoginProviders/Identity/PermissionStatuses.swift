// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The permissions that a user granted, declined and let expire, as the provider reports them.
///
/// A permission is in at most one of the sets.
public struct PermissionStatuses: Sendable, Hashable {
    /// The granted permissions.
    public let granted: Set<Permission>
    /// The permissions that the user declined or revoked.
    public let declined: Set<Permission>
    /// The permissions that expired because they were not used; the user may grant them again.
    public let expired: Set<Permission>

    /// Creates the statuses.
    ///
    /// - Parameters:
    ///   - granted: The granted permissions. Those in another set are removed.
    ///   - declined: The declined permissions.
    ///   - expired: The expired permissions.
    public init(granted: Set<Permission>, declined: Set<Permission>, expired: Set<Permission> = []) {
        self.granted = granted.subtracting(declined).subtracting(expired)
        self.declined = declined
        self.expired = expired.subtracting(declined)
    }

    /// Returns whether the user granted this permission, compared byte for byte.
    public func hasGranted(_ permission: Permission) -> Bool {
        granted.contains(permission)
    }
}

/// The source of the permissions of a login.
public struct PermissionSource: Sendable, Hashable, CustomStringConvertible {
    /// The name, for example `provider`.
    public let rawValue: String

    package init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name, as in ``rawValue``.
    public var description: String { rawValue }

    /// The callback.
    ///
    /// The browser reported the permissions, and the token does not contradict them.
    ///
    /// Do not base security decisions on them.
    public static let callback = Self("callback")
    /// The provider's API.
    public static let provider = Self("provider")
    /// The claims of the ID token.
    public static let token = Self("token")
}
