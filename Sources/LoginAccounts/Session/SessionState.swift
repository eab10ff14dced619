// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The state of a session, with the names of Facebook's SDK.
///
/// A session never opens again after it was closed: signing in again opens another.
public enum SessionState: String, Sendable, Hashable {
    /// The session can be used.
    case open
    /// The session can be used, and its first tokens were replaced: by a refresh, or because its rights have changed.
    case openTokenExtended
    /// The session is closed.
    case closed

    /// Whether the session can be used.
    public var isOpen: Bool { self != .closed }
}
