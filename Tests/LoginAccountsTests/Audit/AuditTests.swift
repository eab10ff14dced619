// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct AuditTests {
    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `the audit records each change with its actor and without personal data`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada-subject", email: "ada@example.com")
        try await fixture.link("apple-subject", with: .apple, in: ada.session)
        try await ada.session.unlink(fromProvider: .apple)
        let events = try await fixture.auth.audit(of: ada.account.id)
        #expect(events.first { $0.action == "account.created" }?.actor == .user)
        let linked = try #require(events.first { $0.action == "identity.linked" })
        let unlinked = try #require(events.first { $0.action == "identity.unlinked" })
        #expect(linked.actor == .user)
        #expect(linked.sessionID == ada.session.id)
        #expect(linked.subject["provider"] == "apple")
        // The audit uses one pseudonym per login, which can be computed only with the key.
        #expect(linked.subject["subject"] == unlinked.subject["subject"])
        #expect(linked.subject["subject"]?.contains("apple-subject") == false)
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.auth.disable(ada.account.id)
        #expect(try await fixture.auth.audit(of: ada.account.id, limit: 1).map(\.actor) == [.service])
        for row in try await fixture.everything()[AuditRecord.table.name] ?? [] {
            for case .text(let text) in row.values.values {
                #expect(!text.contains("-subject") && !text.contains("example.com"))
            }
        }
    }

    /// Returns the actors of an action in the audit of an account.
    private func actors(_ action: AuditAction, _ fixture: AuthFixture, _ account: AccountID) async throws
        -> [AuthEvent.Actor]
    {
        try await fixture.auth.audit(of: account).filter { $0.action == action }.map(\.actor)
    }

    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `the actor of an audit event is the user, the service or a stranger`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com").account.id
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "eve", with: .apple, email: "ada@example.com")
        }
        #expect(try await actors(.identityConflict, fixture, ada) == [.stranger])
        let bob = try await fixture.signIn(as: "bob", with: .facebook)
        await expectError(.credentialAlreadyInUse) { try await fixture.link("ada", with: .google, in: bob.session) }
        let bobs = bob.account.id
        #expect(try await actors(.identityConflict, fixture, bobs) == [.user])
        let other = try await fixture.signIn(as: "bob", with: .facebook)
        try await bob.session.signOut(other.session.id)
        #expect(try await actors(.sessionClosed, fixture, bobs) == [.user])
        try await fixture.auth.disable(bobs)
        #expect(Set(try await actors(.sessionClosed, fixture, bobs)) == [.user, .service])
        #expect(try await actors(.accountDisabled, fixture, bobs) == [.service])
        fixture.clock.advance(by: .seconds(14 * 86400))
        try await fixture.auth.sweep()
        #expect(try await actors(.sessionClosed, fixture, ada) == [.service])
        let carol = try await fixture.signIn(as: "carol", with: .apple).account.id
        try await fixture.auth.revokeIdentity(providerID: .apple, uid: "carol")
        #expect(try await actors(.sessionClosed, fixture, carol) == [.service])
        try await fixture.auth.delete(carol)
        #expect(Set(try await actors(.identityUnlinked, fixture, carol)) == [.service])
    }

    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `the audit records the provider of an account's first login, and each revoked permission once`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", with: .facebook).account.id
        let created = try await fixture.auth.audit(of: ada).first { $0.action == .accountCreated }
        #expect(created?.subject == ["provider": "facebook"])
        let guest = try await fixture.auth.signInAnonymously().account.id
        #expect(try await fixture.auth.audit(of: guest).first { $0.action == .accountCreated }?.subject == [:])
        for _ in 1...2 { try await fixture.auth.revoke("email", providerID: .facebook, uid: "ada") }
        let revoked = try await fixture.auth.audit(of: ada).filter { $0.action == .permissionRevoked }
        #expect(revoked.map(\.subject) == [["provider": "facebook", "permission": "email"]])
        #expect(revoked.map(\.actor) == [.service])
    }

    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `the audit records an eviction, and each login and second factor that it removes`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let squatter = try await fixture.signIn(as: "eve", with: .facebook, email: "ada@example.com").account.id
        try await fixture.giveFactor(to: squatter)
        try await fixture.read { transaction in try transaction.eviction.evict(transaction.accounts.lock(squatter)) }
        #expect(try await fixture.audit("policy.evicted") == 1)
        #expect(try await fixture.audit("identity.unlinked") == 1)
        #expect(try await fixture.audit("second-factor.removed") == 1)
    }

    @Test(.rule("AUDIT-2"), arguments: StoreUnderTest.all)
    func `audit pages contain each event exactly once, including events of the same millisecond`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        for number in 0..<10 {
            try await fixture.read { transaction in
                try transaction.audit.record("account.created", account: ada.account.id, subject: ["n": "\(number)"])
            }
            if number % 4 == 0 { fixture.clock.advance(by: .milliseconds(1)) }
        }
        let all = try await fixture.auth.audit(of: ada.account.id)
        #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
        var paged: [AuthEvent] = []
        while true {
            let page = try await fixture.auth.audit(of: ada.account.id, limit: 3, before: paged.last?.id)
            guard !page.isEmpty else { break }
            paged += page
        }
        #expect(paged == all)
        #expect(try await fixture.auth.audit(of: ada.account.id, before: "unknown").isEmpty)
    }

    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `a refused operation adds no event to the audit or the outbox`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let before = try await fixture.count(AuditRecord.self)
        await expectError(.lastProvider) { try await ada.session.unlink(fromProvider: .google) }
        #expect(try await fixture.count(AuditRecord.self) == before)
        #expect(try await fixture.count(OutboxRecord.self) == before)
    }
}
