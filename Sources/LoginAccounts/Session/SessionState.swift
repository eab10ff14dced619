// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The state of a session, with the names of Facebook's SDK.
///
/// A session opens at most once, and never again after it was closed: signing in again opens another. The server stores
/// only sessions that have opened. The earlier states are those of a sign-in, and of a client that finds tokens in its
/// cache.
public enum SessionState: String, Sendable, Hashable, Codable, CaseIterable {
    /// A sign-in has begun, and nothing has been authenticated.
    case created
    /// Tokens were found in a cache, and the session can open without user interaction.
    case createdTokenLoaded
    /// The first factor was verified, or a dialog is shown; a second factor may follow.
    case createdOpening
    /// The session can be used.
    case open
    /// The session can be used, and its first tokens were replaced.
    case openTokenExtended
    /// The session never opened: the sign-in was declined, failed, or was abandoned.
    case closedLoginFailed
    /// The session is closed.
    case closed

    /// Whether the session can be used.
    public var isOpen: Bool { self == .open || self == .openTokenExtended }

    /// Whether no event leads to another state.
    public var isTerminal: Bool { self == .closedLoginFailed || self == .closed }

    /// Returns the transition for an event.
    ///
    /// - Parameter event: The event.
    /// - Returns: The next state; ``SessionTransition/invalidTransition`` if the event cannot occur in this state.
    public func after(_ event: SessionEvent) -> SessionTransition {
        switch (self, event) {
        case (.created, .tokenLoaded): .becomes(.createdTokenLoaded)
        case (.created, .openingBegan): .becomes(.createdOpening)
        case (.createdTokenLoaded, .opened), (.createdOpening, .opened): .becomes(.open)
        case (.created, .loginFailed), (.createdTokenLoaded, .loginFailed), (.createdOpening, .loginFailed):
            .becomes(.closedLoginFailed)
        case (.open, .tokenExtended), (.openTokenExtended, .tokenExtended): .becomes(.openTokenExtended)
        // A user who declines further permissions keeps those of the session.
        case (.open, .permissionsDeclined), (.openTokenExtended, .permissionsDeclined): .becomes(self)
        case (.open, .closed), (.openTokenExtended, .closed): .becomes(.closed)
        case (.created, _), (.createdTokenLoaded, _), (.createdOpening, _), (.open, _), (.openTokenExtended, _),
            (.closedLoginFailed, _), (.closed, _):
            .invalidTransition
        }
    }
}

/// An event in the life of a session.
public enum SessionEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Tokens were found in a cache.
    case tokenLoaded
    /// The first factor was verified, or a dialog is shown.
    case openingBegan
    /// All required factors were verified.
    case opened
    /// The sign-in was declined, failed, or was abandoned.
    case loginFailed
    /// The session got new tokens: by a refresh, or because its rights have changed.
    case tokenExtended
    /// Further permissions were requested in the open session, and declined.
    case permissionsDeclined
    /// The session was closed.
    case closed
}

/// The result of an event.
public enum SessionTransition: Sendable, Hashable {
    /// The session enters this state, or stays in it.
    case becomes(SessionState)
    /// The event cannot occur in this state.
    case invalidTransition
}
