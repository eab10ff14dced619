// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Whether Facebook may use a login for advertising and its measurement.
public enum LoginTracking: String, Sendable, Hashable, Codable, CaseIterable {
    /// The classic login, with tracking, which issues an access token, and on request an ID token.
    case enabled
    /// Limited Login, without tracking, which issues an ID token and no access token.
    case limited
}
