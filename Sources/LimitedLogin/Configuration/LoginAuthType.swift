// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The question that a user who has signed in before is asked again (`auth_type`).
public enum LoginAuthType: String, Sendable, Hashable, Codable, CaseIterable {
    /// The permissions that the user declined before.
    ///
    /// Without it, Facebook's dialog skips them.
    case rerequest
    /// To continue sharing data with the app after the access to the user's data has expired.
    case reauthorize
}
