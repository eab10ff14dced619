// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Where a session stands, by the names that Facebook's SDK gave to it.
///
/// A session opens at most once, and one that is over never opens again: whoever signs in again gets another. What the
/// server keeps are sessions that have opened; the states before are those of a sign-in, and of a client that finds tokens
/// in its cache.
public enum SessionState: String, Sendable, Hashable, Codable, CaseIterable {
    /// An attempt has begun, and nobody has proven anything.
    case created
    /// Tokens were found in a cache, and the session can open without asking anybody.
    case createdTokenLoaded
    /// The first proof is there, or a dialog is up; a second factor may be to come.
    case createdOpening
    /// It can be used.
    case open
    /// It can be used, and its tokens are not those it was opened with.
    case openTokenExtended
    /// It never opened: somebody declined, failed, or went away.
    case closedLoginFailed
    /// It is over.
    case closed

    /// Whether the session can be used.
    public var isOpen: Bool { self == .open || self == .openTokenExtended }

    /// Whether nothing leads out of this state.
    public var isTerminal: Bool { self == .closedLoginFailed || self == .closed }

    /// What an event makes of it.
    ///
    /// - Parameter event: What happened.
    /// - Returns: The state then; ``SessionTransition/invalidTransition`` where this cannot happen in this state.
    public func after(_ event: SessionEvent) -> SessionTransition {
        switch (self, event) {
        case (.created, .tokenLoaded): .becomes(.createdTokenLoaded)
        case (.created, .openingBegan): .becomes(.createdOpening)
        case (.createdTokenLoaded, .opened), (.createdOpening, .opened): .becomes(.open)
        case (.created, .loginFailed), (.createdTokenLoaded, .loginFailed), (.createdOpening, .loginFailed):
            .becomes(.closedLoginFailed)
        case (.open, .tokenExtended), (.openTokenExtended, .tokenExtended): .becomes(.openTokenExtended)
        // Who is asked for more and declines keeps what there is.
        case (.open, .permissionsDeclined), (.openTokenExtended, .permissionsDeclined): .becomes(self)
        case (.open, .closed), (.openTokenExtended, .closed): .becomes(.closed)
        case (.created, _), (.createdTokenLoaded, _), (.createdOpening, _), (.open, _), (.openTokenExtended, _),
            (.closedLoginFailed, _), (.closed, _):
            .invalidTransition
        }
    }
}

/// What happens to a session.
public enum SessionEvent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Tokens were found in a cache.
    case tokenLoaded
    /// The first proof is there, or a dialog is up.
    case openingBegan
    /// All that was asked for is proven.
    case opened
    /// Somebody declined, failed, or went away.
    case loginFailed
    /// The tokens were refreshed; or what the session may do has changed, and it got new ones.
    case tokenExtended
    /// More permissions were asked for, and declined.
    case permissionsDeclined
    /// It ended.
    case closed
}

/// What an event makes of a session.
public enum SessionTransition: Sendable, Hashable {
    /// It comes to this state, or stays there.
    case becomes(SessionState)
    /// That cannot happen in this state.
    case invalidTransition
}
