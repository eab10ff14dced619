// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Whether a login on a phone may go by way of Facebook's app.
///
/// ``LoginDialog/order(behavior:tracking:device:appSwitch:)`` tells what comes of it.
public enum AppSwitch: String, Sendable, Hashable, Codable, CaseIterable {
    /// It may, where the app is installed.
    case enabled
    /// It may not: a browser is opened.
    case disabled
}
