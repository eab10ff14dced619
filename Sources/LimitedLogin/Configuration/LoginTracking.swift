// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Whether Facebook may use a login for advertising and its measurement.
public enum LoginTracking: String, Sendable, Hashable, Codable, CaseIterable {
    /// It may: the classic login, which ends with an access token, and where asked for with an ID token too.
    case enabled
    /// It may not: Limited Login, which ends with an ID token and no access token.
    case limited
}
