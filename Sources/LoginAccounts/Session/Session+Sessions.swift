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
    /// The open sessions of an account, the newest first: for an operator, since nobody has to be signed in.
    ///
    /// - Parameter account: Whose.
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
