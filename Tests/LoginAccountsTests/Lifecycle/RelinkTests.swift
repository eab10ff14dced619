// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// New subjects of a provider that has issued its subjects again.
@Suite struct RelinkTests {
    private static let change = SubjectChange(providerID: .google, from: "old", to: "new")

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `a relinked login keeps its account and its sessions, and both subjects sign in`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "old", email: "ada@example.com")
        let id = ada.account.id
        #expect(try await fixture.auth.relink(Self.change) == .relinked(id))
        #expect(try await fixture.isOpen(ada.session))
        #expect(try await fixture.auth.account(id).providerData.map(\.uid) == ["new"])
        for subject in ["new", "old"] {
            let again = try await fixture.signIn(as: subject, email: "ada@example.com")
            #expect(again.account.id == id && again.outcome == .signedIn)
        }
        #expect(try await fixture.count(AccountRecord.self) == 1)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `a repeated change finds the new subject in place, and writes nothing`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "old")
        #expect(try await fixture.auth.relink(Self.change) == .relinked(ada.account.id))
        #expect(try await fixture.auth.relink(Self.change) == .alreadyRelinked(ada.account.id))
        #expect(try await fixture.audit("identity.rekeyed") == 1)
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `a new subject that the account has as another login is in place already`(_ store: StoreUnderTest) async throws
    {
        var policy = AuthPolicy()
        policy.linking.identitiesPerProvider = .many
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await fixture.signIn(as: "old")
        try await fixture.link("new", with: .google, in: ada.session)
        #expect(try await fixture.auth.relink(Self.change) == .alreadyRelinked(ada.account.id))
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `a new subject of another account is not taken from it, whatever addresses both have`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "old", email: "ada@example.com", isVerified: false)
        let eve = try await fixture.signIn(as: "new", email: "ada@example.com", isVerified: false)
        #expect(try await fixture.auth.relink(Self.change) == .taken(ada.account.id, by: eve.account.id))
        #expect(try await fixture.signIn(as: "new").account.id == eve.account.id)
        #expect(try await fixture.signIn(as: "old").account.id == ada.account.id)
        #expect(try await fixture.audit("identity.rekeyed") == 0)
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `an old subject that only another provider has issued is unknown`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "old", with: .apple)
        #expect(try await fixture.auth.relink(Self.change) == .unknown)
        #expect(try await fixture.signIn(as: "new").outcome == .created)
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `a dry run has the outcome of the change, and writes nothing`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "old")
        let bob = try await fixture.signIn(as: "bob")
        let taken = SubjectChange(providerID: .google, from: "old", to: "bob")
        let unknown = SubjectChange(providerID: .google, from: "nobody", to: "new")
        for _ in 1...2 {
            #expect(try await fixture.auth.relink(Self.change, isDryRun: true) == .relinked(ada.account.id))
        }
        #expect(
            try await fixture.auth.relink(taken, isDryRun: true) == .taken(ada.account.id, by: bob.account.id)
        )
        #expect(try await fixture.auth.relink(unknown, isDryRun: true) == .unknown)
        #expect(try await fixture.audit("identity.rekeyed") == 0)
        #expect(try await fixture.auth.account(ada.account.id).providerData.map(\.uid) == ["old"])
    }

    @Test func `the audit names the service and the provider, and neither subject nor address`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let ada = try await fixture.signIn(as: "old", email: "ada@example.com")
        _ = try await fixture.auth.relink(Self.change)
        let events = try await fixture.auth.audit(of: ada.account.id)
        let event = try #require(events.first { $0.action == .identityRekeyed })
        #expect(event.actor == .service)
        #expect(Set(event.subject.keys) == ["provider", "subject", "to"])
        #expect(event.subject["provider"] == "google" && event.subject["subject"] != event.subject["to"])
        #expect(Set(event.subject.values).isDisjoint(with: ["old", "new", "ada@example.com"]))
    }

    @Test(.rule("S-KEY-1"), arguments: ["", "nul\0", String(repeating: "a", count: 256)])
    func `a text that is no subject is refused, also in a dry run`(_ text: String) async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        try await fixture.signIn(as: "old")
        for isDryRun in [true, false] {
            await expectError(.invalidCredential) {
                try await fixture.auth.relink(
                    SubjectChange(providerID: .google, from: "old", to: text),
                    isDryRun: isDryRun
                )
            }
        }
    }

    @Test(.rule("S-KEY-1"), arguments: [ProviderID.password, .phone])
    func `addresses and phone numbers are not relinked`(_ provider: ProviderID) async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        await expectError(.noSuchProvider) {
            try await fixture.auth.relink(SubjectChange(providerID: provider, from: "old", to: "new"))
        }
    }

    @Test(.rule("S-KEY-1", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `of two servers that make one change, one makes it and the other finds it in place`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let id = try await fixture.signIn(as: "old \(round)").account.id
            let change = SubjectChange(providerID: .google, from: "old \(round)", to: "new \(round)")
            let contenders: [Race.Contender<SubjectChangeOutcome>] = [
                { try await one.relink(change) }, { try await other.relink(change) },
            ]
            let results = await Race.run(contenders)
            #expect(Race.refusals(results) == [])
            #expect(Set(Race.winners(results)) == [.relinked(id), .alreadyRelinked(id)])
        }
        #expect(try await fixture.audit("identity.rekeyed") == Race.rounds)
    }

    @Test(.rule("S-KEY-1", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `of two accounts that are to get one subject at once, one gets it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let new = "new \(round)"
            let a = try await fixture.signIn(as: "a \(round)").account.id
            let b = try await fixture.signIn(as: "b \(round)").account.id
            let contenders: [Race.Contender<SubjectChangeOutcome>] = [
                { try await one.relink(SubjectChange(providerID: .google, from: "a \(round)", to: new)) },
                { try await other.relink(SubjectChange(providerID: .google, from: "b \(round)", to: new)) },
            ]
            let results = await Race.run(contenders)
            #expect(Race.refusals(results) == [])
            let owner = try await fixture.signIn(as: new).account.id
            #expect([a, b].contains(owner))
            let loser = owner == a ? b : a
            #expect(Set(Race.winners(results)) == [.relinked(owner), .taken(loser, by: owner)])
        }
    }

    @Test(.rule("S-KEY-1", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `a first sign-in with the new subject joins the relinked account, or the change is refused`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let ada = try await fixture.signIn(as: "old \(round)").account.id
            let credential = try await fixture.credential(as: "new \(round)", with: .google)
            let change = SubjectChange(providerID: .google, from: "old \(round)", to: "new \(round)")
            async let outcome = one.relink(change)
            let signedIn = try await other.signIn(with: credential).get().account.id
            #expect(try await outcome == (signedIn == ada ? .relinked(ada) : .taken(ada, by: signedIn)))
        }
    }
}
