// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The permissions that a user granted, declined and let expire, as the provider reports them.
///
/// A permission is in at most one of the sets.
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
