// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A session of the same account, as its person may see it.
public struct SessionInfo: Sendable, Hashable, Identifiable {
    /// What it is known by.
    public let id: SessionID

    /// What the device calls itself.
    public let device: String?

    /// From where it was opened, roughly: the first part of an address.
    public let addressPrefix: String?

    /// 1, or 2 once a second factor was right, and not too long ago.
    public let level: Int

    /// When it was opened.
    public let createdAt: Date

    /// When it was last used, to the minute.
    public let lastSeenAt: Date

    /// Whether it is the one that asks.
    public let isCurrent: Bool
}

extension SessionInfo: Redacted {
    /// The ID, without the device and the origin.
    public var description: String { "session \(id)" }
}

extension Session {
    /// The open sessions of the account, the newest first.
    ///
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    public func sessions() async throws(AuthError) -> [SessionInfo] {
        try await auth.read { transaction in
            let current = try transaction.currentSession(self)
            return try transaction.openSessions(of: current.accountID, epoch: current.epoch).map { record in
                SessionInfo(record, isCurrent: record.id == current.id)
            }
        }
    }

    /// Signs out another session of the account: closes it, and revokes the tokens of its device.
    ///
    /// - Parameter other: The ID of the session, which may be this one.
    /// - Returns: Whether it was an open session of this account; otherwise nothing happens.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    @discardableResult
    public func signOut(_ other: SessionID) async throws(AuthError) -> Bool {
        try await auth.transaction { transaction in
            _ = try transaction.lockAccountIfInUse(accountID)
            let current = try transaction.currentSession(self)
            let found: SessionRecord? = try transaction.first(
                where: SessionRecord.Column.id.equals(other.rawValue),
                SessionRecord.Column.accountID.equals(current.accountID.rawValue),
                SessionRecord.Column.closedAt.isNull
            )
            guard let found else { return false }
            try transaction.close(found, reason: found.id == current.id ? .cleared : .closedElsewhere)
            return true
        }
    }

    /// Signs out all other sessions of the account: closes them, and revokes the tokens of their devices.
    ///
    /// - Returns: The number of sessions that were open.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    @discardableResult
    public func signOutOthers() async throws(AuthError) -> Int {
        try await auth.transaction { transaction in
            _ = try transaction.lockAccountIfInUse(accountID)
            let current = try transaction.currentSession(self)
            return try transaction.closeSessions(of: current.accountID, except: current.id, reason: .closedElsewhere)
        }
    }

    /// Signs out: closes this session, and revokes the tokens of its device, which has to sign in again.
    ///
    /// Facebook's SDK 3 calls this `closeAndClearTokenInformation`. A session that is closed already stays closed; the tokens that
    /// ``closeKeepingTokens()`` has kept are revoked.
    ///
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    public func signOut() async throws(AuthError) {
        try await end(.cleared)
    }

    /// Closes this session, but signs nobody out: the device keeps its tokens, and ``Auth/resume(_:from:)`` opens another session.
    ///
    /// Facebook's SDK 3 calls this `close`. To sign out, use ``signOut()``. Closing a session again does nothing.
    ///
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    public func closeKeepingTokens() async throws(AuthError) {
        try await end(.kept)
    }

    /// Whether the session has a level now, without asking the store.
    ///
    /// - Parameter level: 1, or 2 where only a second factor will do.
    /// - Throws: ``AuthError``: `second-factor-required`, without a resolver: the open session is stepped up.
    public func requireLevel(_ level: Int) throws(AuthError) {
        let end = StoreTime(levelAt) + auth.policy.sessions.secondFactorAbsolute
        let current = self.level > 1 && StoreTime(auth.clock.now) >= end ? 1 : self.level
        guard current >= level else { throw AuthError.levelRequired(level) }
    }

    private func end(_ reason: SessionCloseReason) async throws(AuthError) {
        try await auth.transaction { transaction in
            _ = try transaction.lockAccountIfInUse(accountID)
            let found: SessionRecord? = try transaction.first(where: SessionRecord.Column.id.equals(id.rawValue))
            if let found { try transaction.close(found, reason: reason) }
        }
    }
}

extension SessionInfo {
    init(_ record: SessionRecord, isCurrent: Bool) {
        id = record.id
        device = record.device
        addressPrefix = record.addressPrefix
        level = Int(record.level)
        createdAt = record.createdAt.date
        lastSeenAt = record.lastSeenAt.date
        self.isCurrent = isCurrent
    }
}

extension Auth {
    /// The open sessions of an account, the newest first: for an operator, since nobody has to be signed in.
    ///
    /// - Parameter account: Whose.
    /// - Returns: The sessions.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `store-unavailable`, `conflict-retry`.
    public func sessions(of account: AccountID) async throws(AuthError) -> [SessionInfo] {
        try await read { transaction in
            let account = try transaction.accountInUse(account)
            return try transaction.openSessions(of: account.id, epoch: account.sessionEpoch).map { record in
                SessionInfo(record, isCurrent: false)
            }
        }
    }
}

extension AccountTransaction {
    /// The sessions that are neither closed nor over, the newest first.
    fileprivate func openSessions(of account: AccountID, epoch: Int64) throws(StoreError) -> [SessionRecord] {
        let open: [SessionRecord] = try all(
            where: SessionRecord.Column.accountID.equals(account.rawValue),
            SessionRecord.Column.closedAt.isNull,
            SessionRecord.Column.epoch.equals(epoch),
            SessionRecord.Column.idleExpiresAt.isAfter(now),
            SessionRecord.Column.expiresAt.isAfter(now),
            order: .descending(SessionRecord.Column.createdAt, then: SessionRecord.Column.id)
        )
        return open.map { record in
            var record = record
            record.lapse(at: now, policy: auth.policy.sessions)
            return record
        }
    }
}
