// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

/// A user deletes the own account, or exports its data, in a session.
@Suite struct OwnDeletionTests {
    @Test(.rule("S-DEL-1", "S-SES-7"), arguments: StoreUnderTest.all)
    func `a deletion and an export require a recent login with all factors in an open session`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let closed = try await fixture.signIn(as: "ada")
        try await closed.session.signOut()
        let guarded = try await fixture.signIn(as: "bob", with: .apple)
        try await fixture.giveFactor(to: guarded.account.id)
        let stale = ada.session
        fixture.clock.advance(by: .seconds(301))
        let fresh = try await fixture.signIn(as: "bob", with: .facebook)
        let before = try await fixture.everything()
        let refused: [(Session, AuthError.Code)] = [
            (stale, .requiresRecentLogin), (closed.session, .invalidUserToken),
            (guarded.session, .secondFactorRequired),
        ]
        for (session, code) in refused {
            await expectError(code) { try await session.deleteAccount() }
            await expectError(code) { try await session.exportPersonalData() }
        }
        #expect(try await fixture.everything() == before)
        let own = try await fresh.session.exportPersonalData()
        #expect(try await own == fixture.auth.exportPersonalData(of: fresh.account.id))
        try await fresh.session.deleteAccount()
        await expectError(.userNotFound) { try await fixture.auth.account(fresh.account.id) }
        await expectError(.userNotFound) { try await fresh.session.deleteAccount() }
    }

    @Test(.rule("PERSONAL-1"), arguments: StoreUnderTest.all)
    func `a user can export the account's data five times in an hour, whatever the session, and an operator always`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let other = try await fixture.signIn(as: "ada")
        for session in [ada.session, other.session, ada.session, other.session, ada.session] {
            _ = try await session.exportPersonalData()
        }
        for session in [ada.session, other.session] {
            let error = await expectError(.tooManyRequests) { try await session.exportPersonalData() }
            #expect(error?.retryAfter == .seconds(3600))
        }
        _ = try await fixture.auth.exportPersonalData(of: ada.account.id)
        _ = try await fixture.signIn(as: "bob", with: .apple).session.exportPersonalData()
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.signIn(as: "ada").session.exportPersonalData()
    }

    @Test(.rule("PERSONAL-1"))
    func `while an export is made, others are refused without being counted`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await fixture.auth.exports.take { () async throws(AuthError) in
            for _ in 1...5 { await expectError(.tooManyRequests) { try await bob.session.exportPersonalData() } }
            let own = await expectError(.tooManyRequests) { try await bob.session.exportPersonalData() }
            let operators = await expectError(.tooManyRequests) {
                try await fixture.auth.exportPersonalData(of: ada.account.id)
            }
            for error in [own, operators] { #expect(error?.retryAfter == .seconds(5)) }
        }
        // The place is released after a failure, too.
        await expectError(.userNotFound) {
            try await fixture.auth.exportPersonalData(of: AccountID(rawValue: "nobody"))
        }
        _ = try await bob.session.exportPersonalData()
    }

    @Test(arguments: StoreUnderTest.all)
    func `a deletion first removes the devices of old sessions and the merged accounts, in parts`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let origin = RequestOrigin(address: "203.0.113.7", device: "a phone")
        var ada = try await fixture.signIn(as: "ada")
        let guest = try await fixture.auth.signInAnonymously()
        ada = try await fixture.auth.merge(from: guest.session, into: ada.session)
        for _ in 1...3 {
            let old = try await fixture.auth.signIn(with: fixture.credential(as: "ada", with: .google), from: origin)
                .get()
            try await old.session.signOut()
        }
        let id = ada.account.id
        var left: [Int] = []
        var isDone = false
        while !isDone {
            isDone = try await fixture.read { transaction in
                try transaction.removal.removePart(of: transaction.accounts.lock(id), limit: 2)
            }
            left.append(try await fixture.count(SessionRecord.self, where: SessionRecord.Column.device.isNotNull))
        }
        // The first part has removed the guest, too.
        #expect(left == [2, 0, 0])
        await expectError(.userNotFound) { try await fixture.auth.account(guest.account.id) }
        await expectError(.userNotFound) { try await fixture.auth.account(id) }
        #expect(try await fixture.count(SessionRecord.self, where: SessionRecord.Column.addressPrefix.isNotNull) == 0)
    }

    @Test(arguments: StoreUnderTest.all)
    func `the stored responses of an account and of merged ones are deleted in parts`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let guest = try await fixture.auth.signInAnonymously()
        try await fixture.fillResponses(2, of: guest.account.id)
        var ada = try await fixture.signIn(as: "ada")
        ada = try await fixture.auth.merge(from: guest.session, into: ada.session)
        let id = ada.account.id
        try await fixture.fillResponses(2, of: id)
        var left: [Int] = []
        var isDone = false
        while !isDone {
            isDone = try await fixture.read { transaction in
                try transaction.removal.removePart(of: transaction.accounts.lock(id), limit: 2)
            }
            left.append(try await fixture.count(IdempotencyRecord.self))
        }
        // The second part deletes the row of the guest and one response.
        #expect(left == [2, 1, 0])
    }

    @Test(.rule("S-DEL-1"), arguments: StoreUnderTest.all)
    func `of a deletion in parts, the first requires a recent login, and all of them the open session`(
        _ store: StoreUnderTest
    ) async throws {
        let parts = PartsStore(try await store.make())
        let fixture = try await AuthFixture(parts)
        for endsSession in [false, true] {
            let ada = try await fixture.signIn(as: "ada \(endsSession)")
            let id = ada.account.id
            try await fixture.addClosed(1...1000, to: id, device: "a phone")
            parts.beforeSecond { transaction in
                fixture.clock.advance(by: .seconds(301))
                guard endsSession else { return }
                _ = try transaction.update(
                    SessionRecord.table,
                    set: [SessionRecord.Column.closedAt.becomes(StoreTime(fixture.clock.now))],
                    where: [SessionRecord.Column.id.equals(ada.session.id)]
                )
            }
            if endsSession {
                await expectError(.invalidUserToken) { try await ada.session.deleteAccount() }
                #expect(try await fixture.row(id)?.state == AccountState.active.rawValue)
            } else {
                try await ada.session.deleteAccount()
                #expect(try await fixture.row(id)?.state == AccountState.deleted.rawValue)
            }
            try await fixture.removeSessions()
        }
    }

    @Test(.rule("S-DEL-1"))
    func `a deletion ends between two parts when its task is cancelled, and can be repeated`() async throws {
        let parts = PartsStore(InMemoryAccountStore())
        let fixture = try await AuthFixture(parts)
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.addClosed(1...1000, to: ada.account.id, device: "a phone")
        let (isReady, ready) = AsyncStream.makeStream(of: Void.self)
        let deletion = Task {
            for await _ in isReady { break }
            try await ada.session.deleteAccount()
        }
        parts.afterFirst { deletion.cancel() }
        ready.yield()
        await expectError(.conflictRetry) { try await deletion.value }
        #expect(try await fixture.row(ada.account.id)?.state == AccountState.active.rawValue)
        try await ada.session.deleteAccount()
        #expect(try await fixture.row(ada.account.id)?.state == AccountState.deleted.rawValue)
    }

    @Test func `while an account is deleted, its other deletions are refused, and those of other accounts are not`()
        async throws
    {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await fixture.auth.deletions.take(of: ada.account.id.rawValue) { () async throws(AuthError) in
            let own = await expectError(.tooManyRequests) { try await ada.session.deleteAccount() }
            let operators = await expectError(.tooManyRequests) { try await fixture.auth.delete(ada.account.id) }
            for error in [own, operators] { #expect(error?.retryAfter == .seconds(5)) }
            try await bob.session.deleteAccount()
        }
        try await ada.session.deleteAccount()
    }

    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `the audit names the user and the session of a deletion, and the service for an operator's`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await ada.session.deleteAccount()
        try await fixture.auth.delete(bob.account.id)
        for action: AuditAction in [.accountDeleted, .identityUnlinked, .sessionClosed] {
            let own = try await fixture.auth.audit(of: ada.account.id).first { $0.action == action }
            #expect(own?.actor == .user && own?.sessionID == ada.session.id, "\(action)")
            let operators = try await fixture.auth.audit(of: bob.account.id).first { $0.action == action }
            #expect(operators?.actor == .service, "\(action)")
        }
    }

    @Test(.rule("S-RAC-1", "S-LEV-1", "S-SES-7"), arguments: StoreUnderTest.all)
    func `of a deletion and the closing of all other sessions by another session, exactly one succeeds`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            let again = try await fixture.signIn(as: "ada \(round)")
            let deleting = try await fixture.session(ada.session, on: one)
            let closing = try await fixture.session(again.session, on: other)
            let contenders: [Race.Contender<Int>] = [
                {
                    try await deleting.deleteAccount()
                    return 0
                },
                { try await closing.signOutOthers() },
            ]
            let results = await Race.run(contenders)
            // After the closing, the deletion has no session; after the deletion, the closing has none.
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["invalid-user-token"])
            let isDeleted = try await fixture.row(ada.account.id)?.state == AccountState.deleted.rawValue
            #expect(isDeleted == (Race.winners(results) == [0]))
        }
    }
}

extension AuthFixture {
    /// Stores responses of an account, of which the first expires first.
    func fillResponses(_ count: Int64, of account: AccountID) async throws {
        let now = StoreTime(clock.now)
        let rows = (1...count).map { number in
            let values: [String: StoreValue] = [
                "key": .bytes(Array("\(number) \(account)".utf8)), "account_id": .text(account.rawValue),
                "expires_at": .integer((now + .seconds(number)).milliseconds),
            ]
            return (table: IdempotencyRecord.table.name, row: StoreRows.row(of: IdempotencyRecord.table.name, values))
        }
        try await store.fill(rows)
    }

    /// Deletes all sessions, so that others can have their IDs.
    fileprivate func removeSessions() async throws {
        try await store.transaction { transaction in
            for table in [SessionRecord.table, SessionFamilyRecord.table] {
                _ = try transaction.delete(from: table, where: [])
            }
        }
    }
}

/// A store that runs a closure before the second, or after the first, of the transactions that write from then on.
private final class PartsStore: AccountStore {
    private struct State {
        var count = 0
        var before: (@Sendable (any StoreTransaction) throws -> Void)?
        var after: (@Sendable () -> Void)?
    }

    private let base: any AccountStore
    private let state = Mutex(State())

    init(_ base: any AccountStore) { self.base = base }

    func beforeSecond(_ body: @escaping @Sendable (any StoreTransaction) throws -> Void) {
        state.withLock { $0 = State(before: body) }
    }

    func afterFirst(_ body: @escaping @Sendable () -> Void) { state.withLock { $0 = State(after: body) } }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let (count, before, after) = state.withLock { state in
            state.count += 1
            return (state.count, state.before, state.after)
        }
        if count == 2, let before { try await base.transaction(before) }
        let value = try await base.transaction(body)
        if count == 1, let after { after() }
        return value
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.read(body)
    }

    func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
}
