// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The reason why a known session cannot be used.
enum SessionFault: Sendable, Hashable {
    /// The session is closed, or its account is not in use.
    case closed
    /// All sessions of the account were closed, but the row of this one is still open.
    case outdated
    /// The session has expired, but its row is still open.
    case expiring
    /// The session was opened in the future, so it has expired by this server's clock, and its row stays open.
    case ahead
    /// The session has expired, and its row was closed.
    case expired
    /// The account is disabled.
    case disabled

    /// Returns the fault of a session; nil if it can be used.
    ///
    /// Faults that no use could have prevented are checked before the expiry.
    static func of(_ session: SessionRecord, account: AccountRecord?, now: StoreTime) -> Self? {
        guard let account, account.isInUse else { return .closed }
        let reason = session.closeReason.map { SessionCloseReason($0) }
        if account.disabledAt != nil, session.closedAt == nil || reason == .disabled { return .disabled }
        if session.closedAt != nil { return reason == .expired ? .expired : .closed }
        if session.epoch != account.sessionEpoch { return .outdated }
        if session.hasEnded(at: now) { return .expiring }
        return session.isAhead(of: now) ? .ahead : nil
    }

    /// The error for the client.
    ///
    /// It does not reveal whether a session was closed or never existed.
    var error: AuthError {
        switch self {
        case .closed, .outdated: .unknownSession
        case .expiring, .ahead, .expired: .expiredSession
        case .disabled: AuthError(.userDisabled, "the account of the session is disabled")
        }
    }

    /// The reason with which the row is still to be closed; nil if it is closed, or stays open.
    var reasonToClose: SessionCloseReason? {
        switch self {
        case .outdated: .closedByService
        case .expiring: .expired
        case .closed, .ahead, .expired, .disabled: nil
        }
    }
}

extension AccountRecord {
    var isInUse: Bool { isEqual(state, AccountState.active.rawValue) }
}

extension SessionRecord {
    /// Whether the session has reached its maximum age, or was unused for too long.
    func hasEnded(at now: StoreTime) -> Bool { now >= expiresAt || now >= idleExpiresAt }

    /// Whether the session was opened in the future.
    ///
    /// Then it is refused, but never closed: it is this server's clock that may be behind.
    func isAhead(of now: StoreTime) -> Bool { createdAt > .latestCreation(now) }

    /// Whether the session has ended, or was opened in the future.
    func isOver(at now: StoreTime) -> Bool { hasEnded(at: now) || isAhead(of: now) }

    /// Whether the token of the session was issued within a duration.
    func isJustRotated(_ grace: Duration, at now: StoreTime) -> Bool {
        now < rotatedAt + grace && !rotatedAt.isAhead(of: now)
    }

    /// The expiry of the current token; nil if it lasts as long as the session.
    ///
    /// A token that was issued in the future has expired.
    func tokenEnd(at now: StoreTime) -> StoreTime? {
        tokenExpiresAt.map { rotatedAt > .latestCreation(now) ? now : $0 }
    }

    /// The level by a server's clock: 1 if the session got its level, or was last used, in the future.
    ///
    /// The stored level is kept: it is this server's clock that may be behind.
    func level(at now: StoreTime) -> Int64 { levelAt.isAhead(of: now) || lastSeenAt.isAhead(of: now) ? 1 : level }

    /// Lowers the level to 1 if the second factor has expired.
    ///
    /// Times in the future lower only ``level(at:)``.
    mutating func lapse(at now: StoreTime, policy: SessionPolicy) {
        guard level > 1 else { return }
        guard
            now >= levelAt + policy.secondFactorAbsolute || now >= lastSeenAt + policy.secondFactorIdle
        else { return }
        (level, levelAt) = (1, now)
    }
}

extension AuthError {
    static var unknownSession: Self { Self(.invalidUserToken, "the session is unknown or closed") }
    static var oldSessionToken: Self { Self(.userTokenExpired, "the session token has expired: refresh it") }
    static var expiredSession: Self { Self(.userTokenExpired, "the session has expired") }

    static func levelRequired(_ level: Int) -> Self {
        Self(
            .secondFactorRequired,
            "the session is not, or no longer, at level \(level): confirm a second factor"
        )
    }
}
