// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The repeated request to a user who has signed in before (`auth_type`).
public enum LoginAuthType: String, Sendable, Hashable, Codable, CaseIterable {
    /// A request for the permissions that the user declined before.
    ///
    /// Without it, Facebook's dialog skips them.
    case rerequest
    /// A request to renew the access to the user's data, after it has expired.
    case reauthorize
}
