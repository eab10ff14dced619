// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
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
        var hasMore = true
        while hasMore {
            hasMore = try await fixture.read { transaction in
                try transaction.removal.removePage(of: transaction.accounts.lock(id), limit: 2)
            }
            left.append(try await fixture.count(SessionRecord.self, where: SessionRecord.Column.device.isNotNull))
        }
        // The first part has removed the guest, too.
        #expect(left == [2, 0, 0])
        await expectError(.userNotFound) { try await fixture.auth.account(guest.account.id) }
        try await ada.session.deleteAccount()
        await expectError(.userNotFound) { try await fixture.auth.account(id) }
        #expect(try await fixture.count(SessionRecord.self, where: SessionRecord.Column.addressPrefix.isNotNull) == 0)
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
