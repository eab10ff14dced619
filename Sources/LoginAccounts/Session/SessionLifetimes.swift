// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The expiry of a session and of its tokens, by the policies and the time of the transaction.
struct SessionLifetimes {
    let sessions: SessionPolicy
    /// The lifetime of anonymous accounts that are not used.
    let anonymous: Duration
    let now: StoreTime

    init(_ context: TransactionContext) {
        sessions = context.policy.sessions
        anonymous = context.policy.linking.anonymousLifetime
        now = context.now
    }

    /// The time at which a session that is opened now expires in any case.
    var opened: StoreTime { now + sessions.absolute }

    /// Returns the time at which a session expires in any case.
    ///
    /// That of an anonymous account moves with each use, like the lifetime of the account.
    func end(_ end: StoreTime, isGuest: Bool) -> StoreTime {
        guard isGuest else { return end }
        return Self.later(now + max(anonymous, sessions.absolute), than: end)
    }

    /// Returns the later of an end that begins now and the stored one.
    ///
    /// A stored end that is later by more than the clocks of servers differ has no effect: a server whose clock was
    /// ahead, or a longer lifetime of the past, has written it.
    static func later(_ end: StoreTime, than stored: StoreTime) -> StoreTime {
        stored.isAhead(of: end) ? end : max(end, stored)
    }

    /// Returns the time at which a session expires unless it is used.
    func idleEnd(before end: StoreTime, isGuest: Bool) -> StoreTime {
        min(now + (isGuest ? max(anonymous, sessions.idle) : sessions.idle), end)
    }

    /// Returns the time at which a session token expires; nil if it lasts as long as the session.
    func tokenEnd(before end: StoreTime) -> StoreTime? {
        guard let lifetime = sessions.tokenLifetime else { return nil }
        // Without jitter, tokens that were issued at once would all be refreshed at once.
        let part = Double(randomBytes(count: 1)[0]) / 255
        return min(now + lifetime * (0.95 + 0.1 * part), end)
    }

    /// The maximum error of the stored time of the last use: a minute, or less if sessions expire after a short time.
    var touchInterval: Duration { min(.seconds(60), sessions.idle / 10, sessions.secondFactorIdle / 10) }
}
