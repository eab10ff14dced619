// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct IdempotencyTests {
    @Test(.rule("IDEMPOTENCY-1"), arguments: StoreUnderTest.all)
    func `a repeated request with the same idempotency key has the same result`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let credential = try await fixture.credential(as: "ada-a", with: .apple, for: .link(ada.session))
        let first = try await ada.session.link(with: credential, idempotencyKey: "k")
        // By now the ID token has expired, and its attempt was consumed.
        fixture.clock.advance(by: .seconds(86399))
        let again = try await ada.session.link(with: credential, idempotencyKey: "k")
        #expect(first.outcome == .linked && again.outcome == .linked)
        #expect(again.account.id == ada.account.id)
        #expect(try await fixture.audit("identity.linked") == 1)
        await expectError(.requiresRecentLogin) { try await ada.session.unlink(fromProvider: .apple) }
    }

    @Test(.rule("IDEMPOTENCY-1", "IDEMPOTENCY-3"), arguments: StoreUnderTest.all)
    func `a repeated idempotent request is recognized only while its secret key is in rotation`(
        _ store: StoreUnderTest
    ) async throws {
        var fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let credential = try await fixture.credential(as: "ada-a", with: .apple, for: .link(ada.session))
        _ = try await ada.session.link(with: credential, idempotencyKey: "k")
        let (old, new) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))
        for (keys, isKnown) in [([new, old], true), ([new], false)] {
            fixture.auth = Auth(
                store: fixture.store,
                providers: fixture.auth.providers,
                secrets: try AccountSecrets(keys),
                policy: fixture.auth.policy,
                clock: fixture.clock
            )
            let auth = fixture.auth
            let session = try await fixture.read { transaction in
                Session(try transaction.sessions.current(ada.session), auth: auth)
            }
            if isKnown {
                #expect(try await session.link(with: credential, idempotencyKey: "k").outcome == .linked)
            } else {
                await expectError(.idempotencyMismatch) {
                    try await session.link(with: credential, idempotencyKey: "k")
                }
            }
        }
    }

    @Test(.rule("IDEMPOTENCY-2"), arguments: StoreUnderTest.all)
    func `an idempotency key is refused for another request, and is separate for each account`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob")
        try await fixture.link("ada-a", with: .apple, in: ada.session, idempotencyKey: "k")
        await expectError(.idempotencyMismatch) {
            try await ada.session.unlink(fromProvider: .apple, idempotencyKey: "k")
        }
        await expectError(.idempotencyMismatch) {
            try await fixture.link("ada-f", with: .facebook, in: ada.session, idempotencyKey: "k")
        }
        #expect(try await fixture.link("bob-a", with: .apple, in: bob.session, idempotencyKey: "k").outcome == .linked)
    }

    @Test(.rule("IDEMPOTENCY-1"), arguments: StoreUnderTest.all)
    func `a repeated unlink, merge or conflict has the same result, the conflict without a pending credential`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob", with: .facebook)
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        for _ in 1...2 {
            let result = try await ada.session.unlink(fromProvider: .apple, idempotencyKey: "u")
            #expect(result.outcome == .unlinked)
        }
        let credential = try await fixture.credential(as: "bob", with: .facebook, for: .link(ada.session))
        let first = await expectError(.credentialAlreadyInUse) {
            try await ada.session.link(with: credential, idempotencyKey: "c")
        }
        let again = await expectError(.credentialAlreadyInUse) {
            try await ada.session.link(with: credential, idempotencyKey: "c")
        }
        #expect(first?.pendingCredential != nil && again?.pendingCredential == nil)
        #expect(again?.ownerID == bob.account.id)
        for _ in 1...2 {
            let merged = try await fixture.auth.merge(from: bob.session, into: ada.session, idempotencyKey: "m")
            #expect(merged.outcome == .merged)
        }
        #expect(try await fixture.audit("account.merged") == 2)
    }

    @Test(.rule("IDEMPOTENCY-1"), arguments: StoreUnderTest.all)
    func `a refused request can be repeated with its idempotency key, and a result is stored for a day`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        await expectError(.noSuchProvider) {
            try await ada.session.unlink(fromProvider: .apple, idempotencyKey: "k")
        }
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        try await ada.session.unlink(fromProvider: .apple, idempotencyKey: "k")
        fixture.clock.advance(by: .seconds(86400))
        let recent = try await fixture.reauthenticate("ada", in: ada.session)
        await expectError(.noSuchProvider) {
            try await recent.session.unlink(fromProvider: .apple, idempotencyKey: "k")
        }
    }

    @Test(.rule("IDEMPOTENCY-1"), arguments: StoreUnderTest.all)
    func `an account has a hundred stored responses, and the first that would expire makes room for another`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await fixture.fillResponses(1, of: bob.account.id)
        try await fixture.fillResponses(99, of: ada.account.id)
        func expiries() async throws -> [StoreTime] {
            try await fixture.read { transaction in
                let all: [IdempotencyRecord] = try transaction.tables.rows.all(
                    where: IdempotencyRecord.Column.accountID.equals(ada.account.id)
                )
                return all.map(\.expiresAt).sorted()
            }
        }
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session, idempotencyKey: "k")
        let full = try await expiries()
        #expect(full.count == 100)
        try await linked.session.unlink(fromProvider: .apple, idempotencyKey: "u")
        #expect(try await expiries().dropLast() == full.dropFirst())
        #expect(try await fixture.count(IdempotencyRecord.self) == 101)
    }

    @Test(.rule("IDEMPOTENCY-1", "R-MRG-6"), arguments: StoreUnderTest.all)
    func `a merge that changes nothing stores no response, and its key is still refused for another request`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let guest = try await fixture.auth.signInAnonymously()
        for session in [ada.session, guest.session] {
            let same = try await fixture.auth.merge(from: session, into: session, idempotencyKey: "same")
            #expect(same.outcome == .merged)
        }
        #expect(try await fixture.count(IdempotencyRecord.self) == 0)
        _ = try await fixture.auth.merge(from: guest.session, into: ada.session, idempotencyKey: "k")
        #expect(try await fixture.count(IdempotencyRecord.self) == 1)
        await expectError(.idempotencyMismatch) {
            try await fixture.auth.merge(from: ada.session, into: ada.session, idempotencyKey: "k")
        }
        // After the stored response has expired, too, nothing is stored.
        fixture.clock.advance(by: RepeatableRequests.lifetime)
        let recent = try await fixture.reauthenticate("ada", in: ada.session)
        _ = try await fixture.auth.merge(from: guest.session, into: recent.session, idempotencyKey: "k")
        #expect(try await fixture.count(IdempotencyRecord.self) == 0)
    }
}
