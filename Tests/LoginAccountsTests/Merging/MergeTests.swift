// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct MergeTests {
    @Test(.rule("R-MRG-1", "R-MRG-4", "R-MRG-8"), arguments: StoreUnderTest.all)
    func `a merge moves the source's logins and addresses to the target, and closes its session`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let old = try await fixture.signIn(as: "old", with: .apple, email: "old@example.com")
        let called = Mutex<[AccountID]>([])
        let auth = fixture.hooked { merge, _ in called.withLock { $0 = [merge.source, merge.target] } }
        let merged = try await auth.merge(from: old.session, into: ada.session)
        #expect(called.withLock { $0 } == [old.account.id, ada.account.id])
        #expect(merged.outcome == .merged)
        #expect(merged.account.id == ada.account.id)
        #expect(Set(merged.account.providerData.map(\.uid)) == ["ada", "old"])
        #expect(merged.account.email == "ada@example.com")
        #expect(
            try await fixture.signIn(as: "old", with: .apple, email: "old@example.com").account.id == ada.account.id
        )
        #expect(try await !fixture.isOpen(old.session))
        #expect(try await fixture.isOpen(merged.session))
        let resolved = try await fixture.auth.account(old.account.id)
        #expect(resolved.id == ada.account.id)
        #expect(resolved.resolvedFrom == old.account.id)
        #expect(try await fixture.count(EmailRecord.self) == 2)
        #expect(try await fixture.audit("account.merged") == 2)
        #expect(try await fixture.row(old.account.id)?.email == nil)
    }

    private struct Application: Error, Equatable { var number: Int }

    @Test(.rule("R-MRG-1", "R-MRG-4"), arguments: StoreUnderTest.all)
    func `an error thrown by the merge hook is passed on unchanged, and nothing is written`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        let before = try await fixture.everything()
        let auth = fixture.hooked { merge, rows in
            _ = try rows.update(
                AccountRecord.table,
                set: [AccountRecord.Column.displayName.becomes("changed")],
                where: [AccountRecord.Column.id.equals(merge.target.rawValue)]
            )
            throw Application(number: 7)
        }
        let error = await expectError(.internalError) { try await auth.merge(from: old.session, into: ada.session) }
        #expect(error?.application as? Application == Application(number: 7))
        #expect(try await fixture.everything() == before)
        #expect(try await fixture.isOpen(old.session))
        try await fixture.auth.merge(from: old.session, into: ada.session)
    }

    @Test(.rule("R-MRG-4"), arguments: StoreUnderTest.all)
    func `a merge hook for another store's transactions is not called, and the merge fails with a report`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        let before = try await fixture.everything()
        let runs = Mutex(0)
        let auth = fixture.hooked(AuthHooks<OtherTransaction>(onMerge: { _, _ in runs.withLock { $0 += 1 } }))
        let error = await expectError(.internalError) { try await auth.merge(from: old.session, into: ada.session) }
        #expect(error?.detail.hasPrefix("the hooks expect OtherTransaction, but the store has ") == true)
        #expect(error?.detail.hasSuffix("; nothing was written") == true)
        #expect(runs.withLock { $0 } == 0)
        #expect(try await fixture.everything() == before)
        #expect(try await fixture.isOpen(old.session))
    }

    /// A transaction type of no store.
    private final class OtherTransaction {}

    @Test(.rule("R-MRG-4"), arguments: StoreUnderTest.all)
    func `a merge is rolled back if its hook takes more than five seconds`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        let before = try await fixture.everything()
        let clock = fixture.clock
        let slow = fixture.hooked { _, _ in clock.advance(by: .milliseconds(5001)) }
        await expectError(.internalError) { try await slow.merge(from: old.session, into: ada.session) }
        #expect(try await fixture.everything() == before)
        let inTime = fixture.hooked { _, _ in clock.advance(by: .seconds(5)) }
        try await inTime.merge(from: old.session, into: ada.session)
    }

    @Test(.rule("R-MRG-4"), arguments: StoreUnderTest.all)
    func `a store error thrown by the merge hook is passed on unchanged, and nothing is written`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        let before = try await fixture.everything()
        let auth = fixture.hooked { _, _ in throw StoreError(.constraint, "the application's own") }
        let error = await expectError(.internalError) { try await auth.merge(from: old.session, into: ada.session) }
        #expect((error?.application as? StoreError)?.code == .constraint)
        #expect(try await fixture.everything() == before)
    }

    @Test(.rule("R-MRG-9"), arguments: StoreUnderTest.all)
    func `a merge preview lists the requirements that the sessions do not meet`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        func obstacles() async throws -> [AuthError.Code] {
            try await fixture.auth.previewMerge(from: old.session, into: ada.session).obstacles
        }
        #expect(try await obstacles() == [])
        fixture.clock.advance(by: .seconds(300))
        #expect(try await obstacles() == [])
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await obstacles() == [.requiresRecentLogin])
        try await fixture.giveFactor(to: ada.account.id)
        #expect(try await obstacles() == [.requiresRecentLogin, .secondFactorRequired])
        await expectError(.requiresRecentLogin) { try await fixture.auth.merge(from: old.session, into: ada.session) }
    }

    @Test(.rule("R-MRG-4"), arguments: StoreUnderTest.all)
    func `a merge whose hook meets a conflict is retried, including the hook`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        let runs = Mutex(0)
        let auth = fixture.hooked { _, _ in
            let count = runs.withLock { runs in
                runs += 1
                return runs
            }
            if count == 1 { throw StoreError(.busy, "somebody else") }
        }
        try await auth.merge(from: old.session, into: ada.session)
        #expect(runs.withLock { $0 } == 2)
    }

    @Test(.rule("R-MRG-3", "R-MRG-10"), arguments: StoreUnderTest.all)
    func `a merge requires the second factor of either account, and the target has it afterwards`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let other = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        try await fixture.giveFactor(to: old.account.id)
        await expectError(.secondFactorRequired) { try await fixture.auth.merge(from: old.session, into: ada.session) }
        await expectError(.secondFactorRequired) { try await fixture.auth.merge(from: ada.session, into: old.session) }
        try await fixture.raise(old.session)
        let merged = try await fixture.auth.merge(from: old.session, into: ada.session)
        #expect(merged.account.enrolledFactors.count == 1)
        // The account gains a factor, so sessions that never presented it are closed.
        #expect(try await !fixture.isOpen(other.session))
        await expectError(.secondFactorRequired) { try await fixture.signIn(as: "ada") }
    }

    @Test(.rule("R-MRG-10"), arguments: StoreUnderTest.all)
    func `a merged account has the second factors of both accounts, and a shared phone once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old", with: .apple)
        for account in [ada.account.id, old.account.id] {
            try await fixture.giveFactor(to: account, kind: .phone, fingerprint: [9])
            try await fixture.giveFactor(to: account)
        }
        try await fixture.raise(ada.session)
        try await fixture.raise(old.session)
        let preview = try await fixture.auth.previewMerge(from: old.session, into: ada.session)
        #expect(preview.factors.count == 3)
        let merged = try await fixture.auth.merge(from: old.session, into: ada.session)
        #expect(merged.account.enrolledFactors.count == 3)
        #expect(merged.session.level == 2)
    }

    @Test(.rule("R-MRG-5"), arguments: StoreUnderTest.all)
    func `two logins of one provider are a merge conflict, unless the request says which one to keep`(
        _ store: StoreUnderTest
    )
        async throws
    {
        for conflicts in [MergeConflicts.keepTarget, .keepSource] {
            let fixture = try await AuthFixture(store.make())
            let ada = try await fixture.signIn(as: "ada")
            let old = try await fixture.signIn(as: "old")
            try await fixture.link("old-a", with: .apple, in: old.session)
            let before = try await fixture.everything()
            let error = await expectError(.mergeConflict) {
                try await fixture.auth.merge(from: old.session, into: ada.session)
            }
            #expect(error?.providers == [.google])
            #expect(try await fixture.everything() == before)
            let merged = try await fixture.auth.merge(from: old.session, into: ada.session, conflicts: conflicts)
            let kept = conflicts == .keepTarget ? "ada" : "old"
            #expect(Set(merged.account.providerData.map(\.uid)) == [kept, "old-a"])
            let dropped = conflicts == .keepTarget ? "old" : "ada"
            #expect(try await fixture.audit("identity.unlinked") == 1)
            #expect(try await AccountInvariants.violations(in: fixture.store) == [])
            #expect(try await fixture.record(of: merged.session).identityID == nil || conflicts == .keepTarget)
            #expect(try await fixture.signIn(as: dropped).outcome == .created)
        }
    }

    @Test(.rule("R-MRG-6"), arguments: StoreUnderTest.all)
    func `a repeated merge, or one of an account with itself, succeeds and changes nothing`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let other = try await fixture.signIn(as: "ada")
        #expect(try await fixture.auth.merge(from: other.session, into: ada.session).outcome == .merged)
        #expect(try await fixture.isOpen(other.session))
        let old = try await fixture.signIn(as: "old", with: .apple)
        let runs = Mutex(0)
        let auth = fixture.hooked { _, _ in runs.withLock { $0 += 1 } }
        for _ in 1...2 {
            let merged = try await auth.merge(from: old.session, into: ada.session)
            #expect(merged.account.providerData.count == 2)
        }
        #expect(runs.withLock { $0 } == 1)
        #expect(try await fixture.audit("account.merged") == 2)
        // The result contains a refresh token, which an old session token alone must not obtain.
        fixture.clock.advance(by: .seconds(301))
        await expectError(.requiresRecentLogin) { try await fixture.auth.merge(from: ada.session, into: ada.session) }
    }

    @Test(.rule("R-MRG-7", "R-MRG-8"), arguments: StoreUnderTest.all)
    func `a merged account refers to its final target, over any number of merges`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.signIn(as: "first", with: .facebook)
        let second = try await fixture.signIn(as: "second", with: .apple)
        let third = try await fixture.signIn(as: "third")
        try await fixture.auth.merge(from: first.session, into: second.session)
        try await fixture.auth.merge(from: second.session, into: third.session)
        #expect(try await fixture.row(first.account.id)?.mergedInto == third.account.id)
        #expect(try await fixture.auth.account(first.account.id).id == third.account.id)
        let error = await expectError(.accountMerged) {
            try await fixture.auth.merge(from: third.session, into: first.session)
        }
        #expect(error?.mergedInto == third.account.id)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a hundred accounts can be merged into one within a day`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.read { transaction in
            for _ in 1...99 { try transaction.budgets.spend(Merges.budget(of: ada.account.id)) }
        }
        let guests = (try await fixture.auth.signInAnonymously(), try await fixture.auth.signInAnonymously())
        let merged = try await fixture.auth.merge(from: guests.0.session, into: ada.session)
        let error = await expectError(.tooManyRequests) {
            try await fixture.auth.merge(from: guests.1.session, into: merged.session)
        }
        #expect(error?.retryAfter == .seconds(86_400))
        #expect(try await guests.1.session.account().isAnonymous)
    }

    @Test(arguments: StoreUnderTest.all)
    func `accounts into which a thousand were merged cannot be merged, and a preview says so`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (ada, guest) = (try await fixture.signIn(as: "ada"), try await fixture.auth.signInAnonymously())
        func fill(_ numbers: ClosedRange<Int>, into target: AccountID) async throws {
            let merged: [String: StoreValue] = ["state": .text("merged"), "merged_into": .text(target.rawValue)]
            try await fixture.store.fill(
                numbers.map { ("login_account", StoreRows.account("merged \($0) into \(target)", merged)) }
            )
        }
        try await fill(1...500, into: guest.account.id)
        try await fill(1...500, into: ada.account.id)
        let preview = try await fixture.auth.previewMerge(from: guest.session, into: ada.session)
        #expect(preview.obstacles == [.tooManyRequests])
        let before = try await fixture.everything()
        await expectError(.tooManyRequests) {
            try await fixture.auth.merge(from: guest.session, into: ada.session)
        }
        #expect(try await fixture.everything() == before)
    }

    @Test(.rule("R-MRG-9"), arguments: StoreUnderTest.all)
    func `a merge preview shows the changes and writes nothing`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old")
        try await fixture.link("old-a", with: .apple, in: old.session)
        let before = try await fixture.everything()
        let preview = try await fixture.auth.previewMerge(from: old.session, into: ada.session)
        #expect(preview.moves.map(\.uid) == ["old-a"])
        #expect(preview.conflicts == [.google])
        #expect(preview.drops.isEmpty && !preview.isDone)
        let resolved = try await fixture.auth.previewMerge(
            from: old.session,
            into: ada.session,
            conflicts: .keepTarget
        )
        #expect(resolved.drops.map(\.uid) == ["old"])
        #expect(try await fixture.everything() == before)
        try await fixture.auth.merge(from: old.session, into: ada.session, conflicts: .keepTarget)
        #expect(try await fixture.auth.previewMerge(from: old.session, into: ada.session).isDone)
    }

    @Test(.rule("R-MRG-12"), arguments: StoreUnderTest.all)
    func `a guest's session that gets a user's account has the methods and the time of the user's authentication`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(200))
        let guest = try await fixture.auth.signInAnonymously()
        let merged = try await fixture.auth.merge(from: ada.session, into: guest.session)
        #expect(merged.session.methods == ada.session.methods && !merged.session.methods.isEmpty)
        #expect(merged.session.authenticatedAt == ada.session.authenticatedAt)
        // Further guests do not keep the login recent.
        fixture.clock.advance(by: .seconds(200))
        let next = try await fixture.auth.signInAnonymously()
        await expectError(.requiresRecentLogin) {
            try await fixture.auth.merge(from: merged.session, into: next.session)
        }
        await expectError(.requiresRecentLogin) { try await merged.session.requireRecentLogin() }
    }

    @Test(.rule("R-MRG-12", "R-UNL-6"), arguments: StoreUnderTest.all)
    func `a guest's session that gets a user's account is closed with the login of the user's session`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        for revokes in [false, true] {
            let user = "ada-\(revokes)"
            let ada = try await fixture.signIn(as: user)
            let linked = try await fixture.link(user, with: .apple, in: ada.session)
            let guest = try await fixture.auth.signInAnonymously()
            let merged = try await fixture.auth.merge(from: linked.session, into: guest.session)
            let other = try await fixture.signIn(as: user, with: .apple)
            #expect(other.account.id == guest.account.id)
            if revokes {
                try await fixture.auth.revokeIdentity(providerID: .google, uid: user)
            } else {
                try await other.session.unlink(fromProvider: .google)
            }
            #expect(try await !fixture.isOpen(merged.session))
            #expect(try await fixture.isOpen(other.session))
        }
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("R-MRG-12"), arguments: StoreUnderTest.all)
    func `a merge leaves the session of a user its own login, methods and time, and that of two guests none`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(100))
        let old = try await fixture.signIn(as: "old", with: .apple)
        let merged = try await fixture.auth.merge(from: old.session, into: ada.session)
        #expect(merged.session.authenticatedAt == ada.session.authenticatedAt)
        #expect(merged.session.identityID == ada.session.identityID)
        let guests = [try await fixture.auth.signInAnonymously(), try await fixture.auth.signInAnonymously()]
        let one = try await fixture.auth.merge(from: guests[0].session, into: guests[1].session)
        #expect(one.account.isAnonymous && one.session.methods.isEmpty && one.session.identityID == nil)
    }

    @Test(.rule("R-MRG-11", "R-MRG-4"), arguments: StoreUnderTest.all)
    func `a merged account has a thousand logins, and the account keeps its ID after its first login is unlinked`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let policy = AuthPolicy(linking: LinkPolicy(identitiesPerProvider: .many))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.signIn(as: "old")
        let account = try #require(try await fixture.row(old.account.id))
        try await fixture.read { transaction in
            for number in 1..<999 {
                let credential = VerifiedCredential(
                    providerID: .google,
                    subject: "old-\(number)",
                    isEmailVerified: false,
                    method: "fed",
                    begunAt: transaction.now
                )
                _ = try transaction.identities.add(credential, to: account)
            }
        }
        let merged = try await fixture.auth.merge(from: old.session, into: ada.session)
        #expect(merged.account.providerData.count == 1000)
        try await merged.session.unlink(fromProvider: .google, uid: "ada")
        #expect(try await fixture.signIn(as: "old-998").account.id == ada.account.id)
    }
}
