// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// Why a session that is known cannot be used.
enum SessionFault: Sendable, Hashable {
    /// It is closed, or its account is not in use.
    case closed
    /// All sessions of the account were closed, and this row does not say so yet.
    case outdated
    /// It is over, and this row does not say so yet.
    case expiring
    /// It was found over before.
    case expired
    /// The account is disabled.
    case disabled

    /// The fault of a session; nil where it can be used.
    ///
    /// What ends a session in any case is looked at first, then what ends it unless it is used.
    static func of(_ session: SessionRecord, account: AccountRecord?, now: StoreTime) -> Self? {
        guard let account, account.isInUse else { return .closed }
        let reason = session.closeReason.map { SessionCloseReason($0) }
        if account.disabledAt != nil, session.closedAt == nil || reason == .disabled { return .disabled }
        if session.closedAt != nil { return reason == .expired ? .expired : .closed }
        if session.epoch != account.sessionEpoch { return .outdated }
        return session.isOver(at: now) ? .expiring : nil
    }

    /// What the client learns: whether a session was closed, or never was one, is not told apart.
    var error: AuthError {
        switch self {
        case .closed, .outdated: .unknownSession
        case .expiring, .expired: .expiredSession
        case .disabled: AuthError(.userDisabled, "the account of the session is disabled")
        }
    }

    /// With which reason its row has to be closed yet.
    var reasonToClose: SessionCloseReason? {
        switch self {
        case .outdated: .closedByService
        case .expiring: .expired
        case .closed, .expired, .disabled: nil
        }
    }
}

extension AccountRecord {
    var isInUse: Bool { isEqual(state, AccountState.active.rawValue) }
}

extension SessionRecord {
    /// Whether it has lasted long enough, or was not used for too long.
    func isOver(at now: StoreTime) -> Bool { now >= expiresAt || now >= idleExpiresAt }

    /// Takes level 2 from it where the second factor was too long ago.
    mutating func lapse(at now: StoreTime, policy: SessionPolicy) {
        guard level > 1 else { return }
        guard now >= levelAt + policy.secondFactorAbsolute || now >= lastSeenAt + policy.secondFactorIdle else {
            return
        }
        (level, levelAt) = (1, now)
    }
}

extension SessionState {
    /// The state as it was kept.
    init(kept: String) throws {
        guard let state = Self(rawValue: kept) else {
            throw StoreError(.damaged, "a session is in no state that there is")
        }
        self = state
    }

    /// The state after an event that this service brought about.
    func advanced(by event: SessionEvent) throws -> Self {
        guard case .becomes(let state) = after(event) else {
            throw AuthError(.internalError, "a session that is \(rawValue) cannot be \(event.rawValue)")
        }
        return state
    }
}

extension AuthError {
    static var unknownSession: Self { Self(.invalidUserToken, "the session is unknown or closed") }
    static var oldSessionToken: Self { Self(.userTokenExpired, "the session token has to be refreshed") }
    static var expiredSession: Self { Self(.userTokenExpired, "the session is over") }

    static func levelRequired(_ level: Int) -> Self {
        Self(
            .secondFactorRequired,
            "the session is not of level \(level), or no longer: the second factor brings it there"
        )
    }
}
