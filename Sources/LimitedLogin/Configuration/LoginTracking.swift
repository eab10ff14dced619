// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Whether Facebook may use a login for advertising and its measurement.
public enum LoginTracking: String, Sendable, Hashable, Codable, CaseIterable {
    /// With tracking: the classic login, which issues an access token, and on request an ID token.
    case enabled
    /// Without tracking: Limited Login, which issues an ID token and no access token.
    case limited
}
