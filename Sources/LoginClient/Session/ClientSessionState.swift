// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The state of a client's session, with the names of Facebook's SDK 3.
///
/// A session opens at most once, and never again after it was closed: signing in again needs another
/// ``ClientSession``.
public enum ClientSessionState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The session is new: no tokens were found in the cache, and no sign-in has begun.
    case created
    /// Tokens were found in the cache, and the session can open without user interaction.
    case createdTokenLoaded
    /// A sign-in has begun.
    case createdOpening
    /// The session can be used.
    case open
    /// The session can be used, and its first tokens were replaced.
    case openTokenExtended
    /// The session never opened: the sign-in failed or was cancelled, or the cached tokens are no longer valid.
    case closedLoginFailed
    /// The session is closed.
    case closed

    /// Whether the session can be used.
    public var isOpen: Bool { self == .open || self == .openTokenExtended }

    /// Whether no event leads to another state.
    public var isTerminal: Bool { self == .closedLoginFailed || self == .closed }

    /// Returns the state after an event.
    ///
    /// - Parameter event: The event.
    /// - Returns: The next state; nil if the event cannot occur in this state.
    func after(_ event: ClientSessionEvent) -> Self? {
        switch (self, event) {
        case (.created, .tokenLoaded): .createdTokenLoaded
        case (.created, .openingBegan): .createdOpening
        case (.createdTokenLoaded, .opened), (.createdOpening, .opened): .open
        case (.created, .loginFailed), (.createdTokenLoaded, .loginFailed), (.createdOpening, .loginFailed):
            .closedLoginFailed
        case (.open, .tokenExtended), (.openTokenExtended, .tokenExtended): .openTokenExtended
        case (.createdTokenLoaded, .closed), (.open, .closed), (.openTokenExtended, .closed): .closed
        case (.created, _), (.createdTokenLoaded, _), (.createdOpening, _), (.open, _), (.openTokenExtended, _),
            (.closedLoginFailed, _), (.closed, _):
            nil
        }
    }
}

/// An event in the life of a client's session.
enum ClientSessionEvent: Sendable, Hashable, CaseIterable {
    /// Tokens were found in the cache.
    case tokenLoaded
    /// A sign-in has begun.
    case openingBegan
    /// The user is signed in, or the cached tokens are valid.
    case opened
    /// The sign-in failed or was cancelled, or the cached tokens are no longer valid.
    case loginFailed
    /// The session got new tokens.
    case tokenExtended
    /// The session was closed.
    case closed
}
