// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

/// Simultaneous sign-ins on two servers, which wait between each read and write.
@Suite(.rule("S-RAC-1")) struct SignInRaceTests {
    @Test(.rule("E12", "R-SIG-3"), arguments: StoreUnderTest.all, [2, 4])
    func `E12: concurrent first sign-ins of one login create one account, and all succeed`(
        _ store: StoreUnderTest,
        _ count: Int
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            var contenders: [Race.Contender<AuthDataResult>] = []
            for index in 0..<count {
                let server = index.isMultiple(of: 2) ? one : other
                let credential = try await fixture.credential(
                    as: "ada \(round)",
                    with: .google,
                    email: "ada\(round)@example.com"
                )
                contenders.append { try await server.signIn(with: credential).get() }
            }
            let results = await Race.run(contenders)
            let winners = Race.winners(results)
            #expect(Race.refusals(results) == [])
            #expect(Set(winners.map(\.account.id)).count == 1)
            #expect(winners.count(where: \.isNewUser) == 1)
        }
        #expect(try await fixture.count(AccountRecord.self) == Race.rounds)
        #expect(try await fixture.count(IdentityRecord.self) == Race.rounds)
        #expect(try await fixture.count(SessionRecord.self) == Race.rounds * count)
    }

    @Test(.rule("E12", "R-SIG-3", "R-LNK-6"), arguments: StoreUnderTest.all)
    func `E12: of two concurrent logins that verify one address, one creates the account and one conflicts`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let email = "ada\(round)@example.com"
            let google = try await fixture.credential(as: "ada \(round)", with: .google, email: email)
            let apple = try await fixture.credential(as: "a.\(round)", with: .apple, email: email)
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await one.signIn(with: google).get() }, { try await other.signIn(with: apple).get() },
            ]
            let results = await Race.run(contenders)
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["account-exists-with-different-credential"])
        }
        #expect(try await fixture.count(AccountRecord.self) == Race.rounds)
    }

    @Test(.rule("E15", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `E15: a login that verifies an address gets an account with it, whoever names it concurrently`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let email = "ada\(round)@example.com"
            let google = try await fixture.credential(as: "ada \(round)", with: .google, email: email)
            let facebook = try await fixture.credential(as: "\(round)", with: .facebook, email: email)
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await one.signIn(with: google).get() }, { try await other.signIn(with: facebook).get() },
                { try await other.createAccount(email: email, password: "correct horse battery") },
            ]
            let results = await Race.run(contenders)
            let prover = try results[0].get()
            #expect(prover.outcome == .created && prover.account.isEmailVerified)
            #expect(try await fixture.auth.account(prover.account.id).email == email)
            for (result, refusal) in zip(
                results.dropFirst(),
                [AuthError.Code.accountExistsWithDifferentCredential, .emailAlreadyInUse]
            ) {
                guard let named = try? result.get() else {
                    #expect(Race.refusals([result]) == [refusal.rawValue])
                    continue
                }
                let account = try await fixture.auth.account(named.account.id)
                #expect(account.id != prover.account.id && account.email == nil)
            }
        }
    }

    @Test(.rule("E15", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `E15: two accounts that verify each other's unverified addresses do not deadlock`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let (first, second) = ("first\(round)@example.com", "second\(round)@example.com")
            try await fixture.signIn(as: "a\(round)", email: first, isVerified: false)
            try await fixture.signIn(as: "b\(round)", email: second, isVerified: false)
            let a = try await fixture.credential(as: "a\(round)", with: .google, email: second)
            let b = try await fixture.credential(as: "b\(round)", with: .google, email: first)
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await one.signIn(with: a).get() }, { try await other.signIn(with: b).get() },
            ]
            let results = await Race.run(contenders)
            #expect(Race.refusals(results) == [])
            for (result, email) in zip(Race.winners(results), [second, first]) {
                let account = try await fixture.auth.account(result.account.id)
                #expect(account.email == email && account.isEmailVerified)
            }
        }
    }

    @Test(.rule("E13", "S-NON-3"), arguments: StoreUnderTest.all, [2, 4])
    func `E13: of concurrent uses of one token exactly one signs in`(_ store: StoreUnderTest, _ count: Int) async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let credential = try await fixture.credential(as: "ada", with: .google)
            let results = await Race.run(
                (0..<count).map { index -> Race.Contender<AccountID> in
                    let server = index.isMultiple(of: 2) ? one : other
                    return { try await server.signIn(with: credential).get().account.id }
                }
            )
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == Array(repeating: "missing-or-invalid-nonce", count: count - 1))
            #expect(try await fixture.audit("nonce.replayed") == round)
        }
        #expect(try await fixture.count(SessionRecord.self) == Race.rounds)
    }

    /// Only PostgreSQL runs other transactions between the two steps.
    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.postgreSQL, ["old", "alias"])
    func `a login that is renamed before its account is locked does not sign in to that account`(
        _ store: StoreUnderTest,
        _ name: String
    ) async throws {
        let pair = try await store.pair()
        let server = try await AuthFixture(pair.other)
        let ada = try await server.signIn(as: "old")
        try await server.auth.addAlias("alias", to: "old", providerID: .google)
        let isNext = Mutex(true)
        let recording = RecordingStore(pair.one) { statement in
            guard statement == "UPDATE login_account",
                isNext.withLock({ isNext in
                    defer { isNext = false }; return isNext
                })
            else { return }
            let renamed = Latch()
            Task {
                try await server.auth.rekey(providerID: .google, from: name, to: name == "old" ? "new" : "old")
                renamed.open()
            }
            renamed.wait()
        }
        let fixture = try await AuthFixture(recording)
        let result = try await fixture.signIn(as: name)
        #expect(result.outcome == .created && result.account.id != ada.account.id)
        #expect(try await server.signIn(as: name == "old" ? "new" : "old").account.id == ada.account.id)
        #expect(try await AccountInvariants.violations(in: pair.other) == [])
    }

    @Test(.rule("S-XPR-1", "R-SIG-1"), arguments: StoreUnderTest.all)
    func `one subject at several providers is several users, also concurrently`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        let providers = [ProviderID.google, .apple, .facebook, AuthFixture.bare]
        try await fixture.rounds { round in
            var contenders: [Race.Contender<AuthDataResult>] = []
            for (provider, server) in zip(providers, [one, other, one, other]) {
                let credential = try await fixture.credential(as: "\(round)", with: provider)
                contenders.append { try await server.signIn(with: credential).get() }
            }
            let results = await Race.run(contenders)
            #expect(Race.refusals(results) == [])
            let winners = Race.winners(results)
            #expect(winners.map { $0.account.providerData.first?.providerID } == providers)
            #expect(Set(winners.map(\.account.id)).count == 4)
        }
    }
}
