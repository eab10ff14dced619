// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Whether a login on a phone may switch to Facebook's app.
///
/// The app's SDK applies it. It has no effect on a server.
public enum AppSwitch: String, Sendable, Hashable, Codable, CaseIterable {
    /// The login may switch to the app if it is installed.
    case enabled
    /// The login opens a browser.
    case disabled
}
