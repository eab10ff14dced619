// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginProviders

/// A change of permissions for which a signed-in user logs in at a provider again.
enum PermissionChange: Sendable, Codable, Hashable {
    /// The permission is requested, even if the user declined it before.
    case request(Permission)
    /// The permission is revoked.
    case revoke(Permission)
    /// The whole login is revoked.
    case revokeAll
}
#endif
