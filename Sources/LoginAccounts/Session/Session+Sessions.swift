// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A session of an account, for lists that its user may see.
public struct SessionInfo: Sendable, Hashable, Identifiable {
    /// The ID of the session.
    public let id: SessionID

    /// The name that the device reported.
    public let device: String?

    /// The network from which the session was opened: the prefix of an IP address.
    public let addressPrefix: String?

    /// The level: 1, or 2 if a second factor was verified and its time has not expired.
    public let level: Int

    /// The time at which the session was opened.
    public let createdAt: Date

    /// The time of the last use, to the minute.
    public let lastSeenAt: Date

    /// Whether it is the session that requests the list.
    public let isCurrent: Bool
}

extension SessionInfo: Redacted {
    /// The ID, without the device and the origin.
    public var description: String { "session \(id)" }
}

extension Session {
    /// Returns the open sessions of the account, the newest first.
    ///
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    public func sessions() async throws(AuthError) -> [SessionInfo] {
        try await auth.read { transaction in
            let current = try transaction.sessions.current(self)
            return try transaction.sessions.open(of: current.accountID, epoch: current.epoch).map { record in
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
            _ = try transaction.tables.accounts.lockIfInUse(accountID)
            let current = try transaction.sessions.current(self)
            guard let found = try transaction.tables.sessions.find(other),
                found.accountID == current.accountID, found.closedAt == nil
            else { return false }
            try transaction.sessions.close(found, reason: found.id == current.id ? .cleared : .closedElsewhere)
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
            _ = try transaction.tables.accounts.lockIfInUse(accountID)
            let current = try transaction.sessions.current(self)
            return try transaction.sessions.close(of: current.accountID, except: current.id, reason: .closedElsewhere)
        }
    }

    /// Signs out: closes this session, and revokes the tokens of its device, which has to sign in again.
    ///
    /// Facebook's SDK 3 calls this `closeAndClearTokenInformation`. A session that is closed already stays closed; the
    /// tokens that ``closeKeepingTokens()`` has kept are revoked.
    ///
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    public func signOut() async throws(AuthError) {
        try await end(.cleared)
    }

    /// Closes this session, but keeps the device signed in: the device keeps its tokens, and ``Auth/resume(_:from:)``
    /// opens another session.
    ///
    /// Facebook's SDK 3 calls this `close`. To sign out, use ``signOut()``. Closing a session again does nothing.
    ///
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    public func closeKeepingTokens() async throws(AuthError) {
        try await end(.kept)
    }

    /// Requires that the session still has a level, without reading the store.
    ///
    /// - Parameter level: 1, or 2 for a second factor.
    /// - Throws: ``AuthError``: `second-factor-required`. It has no resolver, because the open session is stepped up.
    public func requireLevel(_ level: Int) throws(AuthError) {
        let (levelAt, now) = (StoreTime(levelAt), StoreTime(auth.clock.now))
        let hasLapsed = now >= levelAt + auth.policy.sessions.secondFactorAbsolute || levelAt.isAhead(of: now)
        let current = self.level > 1 && hasLapsed ? 1 : self.level
        guard current >= level else { throw AuthError.levelRequired(level) }
    }

    private func end(_ reason: SessionCloseReason) async throws(AuthError) {
        try await auth.transaction { transaction in
            _ = try transaction.tables.accounts.lockIfInUse(accountID)
            if let found = try transaction.tables.sessions.find(id) {
                try transaction.sessions.close(found, reason: reason)
            }
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
    /// Returns the open sessions of an account, the newest first.
    ///
    /// It is for operators: it requires no session.
    ///
    /// - Parameter account: The account.
    /// - Returns: The sessions.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `store-unavailable`, `conflict-retry`.
    public func sessions(of account: AccountID) async throws(AuthError) -> [SessionInfo] {
        try await read { transaction in
            let account = try transaction.accounts.inUse(account)
            return try transaction.sessions.open(of: account.id, epoch: account.sessionEpoch).map { record in
                SessionInfo(record, isCurrent: false)
            }
        }
    }
}
