// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Two servers perform operations that exclude each other.
///
/// Each server waits between its read and its write, so that the other one can interfere.
@Suite struct LinkingRaceTests {
    // E2, E3 and E4 are the same race with different SQL statements: with each of them, one login stays.
    @Test(.rule("E1", "E2", "E3", "E4", "S-RAC-1", "S-LCK-4"), arguments: StoreUnderTest.all)
    func `E1, E2, E3, E4: of two logins that are unlinked concurrently, one remains`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            try await fixture.link("apple \(round)", with: .apple, in: ada.session)
            let first = try await fixture.session(ada.session, on: one)
            let second = try await fixture.session(ada.session, on: other)
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await first.unlink(fromProvider: .google) },
                { try await second.unlink(fromProvider: .apple) },
            ]
            let results = await Race.run(contenders)
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["last-provider"])
            #expect(try await fixture.auth.account(ada.account.id).providerData.count == 1)
        }
    }

    @Test(.rule("E5", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `E5: a login that two accounts link concurrently is linked once, and the other gets a conflict`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            let bob = try await fixture.signIn(as: "bob \(round)")
            let contenders = try await [(ada, one), (bob, other)].async { result, server in
                let session = try await fixture.session(result.session, on: server)
                let credential = try await fixture.credential(as: "wanted \(round)", with: .apple, for: .link(session))
                return { try await session.link(with: credential) } as Race.Contender<AuthDataResult>
            }
            let results = await Race.run(contenders)
            #expect(Race.winners(results).map(\.outcome) == [.linked])
            #expect(Race.refusals(results) == ["credential-already-in-use"])
            let owner = try await fixture.signIn(as: "wanted \(round)", with: .apple)
            #expect(owner.account.id == Race.winners(results).first?.account.id)
        }
    }

    @Test(.rule("E9", "S-RAC-1", "R-MRG-7"), arguments: StoreUnderTest.all)
    func `E9: of two concurrent merges in opposite directions, exactly one succeeds`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            let bob = try await fixture.signIn(as: "bob \(round)", with: .apple)
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await one.merge(from: ada.session, into: bob.session) },
                { try await other.merge(from: bob.session, into: ada.session) },
            ]
            let results = await Race.run(contenders)
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["account-merged"])
            let states = [try await fixture.row(ada.account.id)?.state, try await fixture.row(bob.account.id)?.state]
            #expect(Set(states) == ["active", "merged"])
            #expect(Race.winners(results).first?.account.providerData.count == 2)
        }
    }

    @Test(.rule("E10", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `E10: a link concurrent with the merge of its account leaves no login on the source`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            let bob = try await fixture.signIn(as: "bob \(round)", with: .apple)
            let held = try await fixture.session(bob.session, on: other)
            let credential = try await fixture.credential(
                as: "late \(round)",
                with: .facebook,
                for: .link(bob.session)
            )
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await one.merge(from: bob.session, into: ada.session) },
                { try await held.link(with: credential) },
            ]
            let results = await Race.run(contenders)
            // The merge always succeeds; the link was either committed before and moved with the account, or is
            // refused.
            #expect(try results[0].get().outcome == .merged)
            let account = try await fixture.auth.account(ada.account.id)
            if case .success = results[1] {
                #expect(account.providerData.count == 3)
            } else {
                #expect(Race.refusals(results) == ["account-merged"])
                #expect(account.providerData.count == 2)
            }
            #expect(try await fixture.identities(of: bob.account.id) == 0)
        }
    }

    @Test(.rule("E10", "S-RAC-1", "S-DEL-1"), arguments: StoreUnderTest.all)
    func `E10: a link concurrent with the deletion of its account leaves no login behind`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            let held = try await fixture.session(ada.session, on: other)
            let credential = try await fixture.credential(as: "late \(round)", with: .apple, for: .link(ada.session))
            let contenders: [Race.Contender<Bool>] = [
                {
                    try await one.delete(ada.account.id)
                    return true
                },
                {
                    _ = try await held.link(with: credential)
                    return true
                },
            ]
            let results = await Race.run(contenders)
            #expect(try results[0].get())
            #expect(Race.refusals(results).allSatisfy { $0 == "user-not-found" })
            #expect(try await fixture.identities(of: ada.account.id) == 0)
            #expect(try await fixture.signIn(as: "late \(round)", with: .apple).outcome == .created)
        }
    }

    @Test(.rule("S-RAC-1", "R-ANO-6"), arguments: StoreUnderTest.all)
    func `an anonymous account that is linked and swept concurrently is either upgraded or deleted`(
        _ store: StoreUnderTest
    ) async throws {
        // The session outlives the lifetime of unused anonymous accounts, so the account can still be linked.
        let policy = AuthPolicy(linking: LinkPolicy(anonymousLifetime: .seconds(3600)))
        let fixture = try await AuthFixture(store.pair(), policy: policy)
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let anonymous = try await fixture.auth.signInAnonymously()
            fixture.clock.advance(by: .seconds(3601))
            let held = try await fixture.session(anonymous.session, on: other)
            let credential = try await fixture.credential(
                as: "ada \(round)",
                with: .google,
                for: .link(anonymous.session)
            )
            let contenders: [Race.Contender<Bool>] = [
                { try await one.sweep().deletedAccounts == 1 },
                { try await held.link(with: credential).outcome == .upgraded },
            ]
            let results = await Race.run(contenders)
            let isSwept = try results[0].get()
            #expect(isSwept == (Race.refusals(results) == ["user-not-found"]))
            let state = try await fixture.row(anonymous.account.id)?.state
            #expect(state == (isSwept ? "deleted" : "active"))
        }
    }

    @Test(.rule("S-RAC-1", "IDEMPOTENCY-1"), arguments: StoreUnderTest.all)
    func `two concurrent requests with one idempotency key are executed once, and both succeed`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "ada \(round)")
            let held = try await fixture.session(ada.session, on: other)
            let credential = try await fixture.credential(as: "apple \(round)", with: .apple, for: .link(ada.session))
            let first = try await fixture.session(ada.session, on: one)
            let contenders = [first, held].map { session -> Race.Contender<AuthDataResult> in
                { try await session.link(with: credential, idempotencyKey: "k") }
            }
            let results = await Race.run(contenders)
            #expect(Race.winners(results).map(\.outcome) == [.linked, .linked])
        }
        #expect(try await fixture.audit("identity.linked") == Race.rounds)
    }
}

extension AuthFixture {
    /// Returns the number of identities of an account.
    func identities(of account: AccountID) async throws -> Int {
        try await count(IdentityRecord.self, where: IdentityRecord.Column.accountID.equals(account.rawValue))
    }
}

extension Array {
    /// Applies an asynchronous function to each element, one after the other.
    fileprivate func async<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
