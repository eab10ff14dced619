// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct LifecycleTests {
    @Test(.rule("S-DEL-1"), arguments: StoreUnderTest.all)
    func `disabling an account closes its sessions and prevents sign-ins until it is enabled`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.auth.disable(ada.account.id)
        try await fixture.auth.disable(ada.account.id)
        #expect(try await !fixture.isOpen(ada.session))
        await expectError(.userDisabled) { try await fixture.signIn(as: "ada") }
        try await fixture.auth.enable(ada.account.id)
        try await fixture.auth.enable(ada.account.id)
        #expect(try await !fixture.isOpen(ada.session))
        #expect(try await fixture.signIn(as: "ada").account.id == ada.account.id)
        #expect(try await fixture.audit("account.disabled") == 1)
        #expect(try await fixture.audit("account.enabled") == 1)
    }

    @Test(.rule("S-DEL-1", "S-DEL-2"), arguments: StoreUnderTest.all)
    func `of a deleted account only the ID and the audit remain, without personal data`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada-subject", email: "ada@example.com")
        let origin = RequestOrigin(address: "203.0.113.7", device: "a-device of a person")
        let credential = try await fixture.credential(as: "old-subject", with: .apple)
        let old = try await fixture.auth.signIn(with: credential, from: origin).get()
        _ = try await fixture.auth.signIn(
            with: fixture.credential(as: "ada-subject", with: .google, email: "ada@example.com"),
            from: origin
        ).get()
        try await fixture.auth.merge(from: old.session, into: ada.session)
        try await fixture.giveFactor(to: ada.account.id)
        #expect(try await fixture.texts().contains { $0.contains("a-device") })
        #expect(try await fixture.texts().contains { $0.contains("203.0.113") })
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.auth.delete(ada.account.id)
        #expect(try await !fixture.isOpen(ada.session))
        await expectError(.userNotFound) { try await fixture.auth.account(ada.account.id) }
        await expectError(.userNotFound) { try await fixture.auth.account(old.account.id) }
        await expectError(.userNotFound) { try await fixture.auth.delete(ada.account.id) }
        for text in try await fixture.texts() {
            #expect(!text.contains("ada@example.com") && !text.contains("-subject"), "\(text)")
            #expect(!text.contains("a-device") && !text.contains("203.0.113"), "\(text)")
        }
        #expect(try await fixture.count(IdentityRecord.self) == 0)
        #expect(try await fixture.count(FactorRecord.self) == 0)
        #expect(try await fixture.auth.audit(of: ada.account.id).first?.action == "account.deleted")
        let again = try await fixture.signIn(as: "ada-subject", email: "ada@example.com")
        #expect(again.outcome == .created)
        #expect(again.account.id != ada.account.id)
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `a login keeps its account when it is rekeyed to a new subject`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "old", with: .apple)
        try await fixture.auth.rekey(providerID: .apple, from: "old", to: "new")
        #expect(try await fixture.signIn(as: "new", with: .apple).account.id == ada.account.id)
        #expect(try await fixture.auth.account(ada.account.id).providerData.map(\.uid) == ["new"])
        #expect(try await fixture.signIn(as: "old", with: .apple).account.id != ada.account.id)
        await expectError(.credentialAlreadyInUse) {
            try await fixture.auth.rekey(providerID: .apple, from: "new", to: "old")
        }
        await expectError(.noSuchProvider) {
            try await fixture.auth.rekey(providerID: .apple, from: "nobody", to: "somebody")
        }
        #expect(try await fixture.audit("identity.rekeyed") == 1)
    }

    @Test(.rule("R-CON-7", "S-KEY-1"), arguments: StoreUnderTest.all)
    func `rekeying a login voids the pending credentials of its old subject`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "old", with: .apple)
        let eve = try await fixture.signIn(as: "eve")
        let error = await expectError(.credentialAlreadyInUse) {
            try await fixture.link("old", with: .apple, in: eve.session)
        }
        let pending = try #require(error?.pendingCredential)
        try await fixture.auth.rekey(providerID: .apple, from: "old", to: "new")
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(pending)).get() }
    }

    @Test(.rule("S-DEL-2"), arguments: StoreUnderTest.all)
    func `deleting an account deletes the pending credentials that name its e-mail address`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let email = "ada@example.com"
        let ada = try await fixture.signIn(as: "ada", email: email)
        let eve = try await fixture.signIn(as: "eve")
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "ada-apple", with: .apple, email: email)
        }
        await expectError(.emailAlreadyInUse) {
            try await fixture.link("ada-apple", with: .apple, email: email, in: eve.session)
        }
        #expect(try await fixture.count(PendingCredentialRecord.self) == 2)
        try await fixture.auth.delete(ada.account.id)
        #expect(try await fixture.count(PendingCredentialRecord.self) == 0)
    }

    @Test(.rule("S-KEY-1"), arguments: StoreUnderTest.all)
    func `an alias signs in to its login's account, and has 1 to 255 bytes`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", with: .facebook)
        for _ in 1...2 { try await fixture.auth.addAlias("other", to: "ada", providerID: .facebook) }
        #expect(try await fixture.signIn(as: "other", with: .facebook).account.id == ada.account.id)
        #expect(try await fixture.signIn(as: "ada", with: .facebook).account.id == ada.account.id)
        #expect(try await fixture.audit("identity.aliased") == 1)
        try await fixture.auth.addAlias(String(repeating: "a", count: 255), to: "ada", providerID: .facebook)
        for name in ["", String(repeating: "a", count: 256)] {
            await expectError(.invalidCredential) {
                try await fixture.auth.addAlias(name, to: "ada", providerID: .facebook)
            }
        }
    }

    @Test(.rule("SWEEP-1"), arguments: StoreUnderTest.all)
    func `a sweep removes expired rows, up to its limit, and nothing else`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        for _ in 1...5 {
            _ = try await fixture.auth.begin(.signIn, with: .google)
            fixture.clock.advance(by: .milliseconds(1))
        }
        #expect(try await fixture.auth.sweep().removed.isEmpty)
        // Their lifetime of ten minutes, and ten more in which an expired attempt is distinguished from an unknown one.
        fixture.clock.advance(by: .seconds(1200))
        let first = try await fixture.auth.sweep(limit: 4)
        #expect(first.removed == [AttemptRecord.table.name: 4])
        #expect(first.isMore)
        let second = try await fixture.auth.sweep(limit: 4)
        #expect(second.removed == [AttemptRecord.table.name: 2])
        #expect(!second.isMore)
        #expect(try await fixture.isOpen(ada.session))
    }

    @Test(.rule("SWEEP-1"), arguments: StoreUnderTest.all)
    func `a sweep closes expired sessions, deletes them later, and deletes audit events only by age`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(14 * 86400 + 1))
        #expect(try await fixture.auth.sweep().closedSessions == 1)
        #expect(try await fixture.auth.sweep().closedSessions == 0)
        #expect(try await fixture.audit("session.closed") == 1)
        fixture.clock.advance(by: .seconds(60 * 86400))
        try await fixture.auth.sweep()
        #expect(try await fixture.count(SessionRecord.self) == 0)
        #expect(try await fixture.count(SessionFamilyRecord.self) == 0)
        #expect(try await fixture.count(OutboxRecord.self) == 0)
        #expect(try await fixture.count(AuditRecord.self) > 0)
        try await fixture.auth.sweep(auditOlderThan: .seconds(86400))
        #expect(try await fixture.count(AuditRecord.self) == 0)
    }

    @Test(.rule("PERSONAL-1"), arguments: StoreUnderTest.all)
    func `a personal data export contains the data of merged accounts and the aliases of logins`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let old = try await fixture.auth.signIn(
            with: fixture.credential(as: "old", with: .apple),
            from: RequestOrigin(address: "203.0.113.7", device: "an old phone")
        ).get()
        try await fixture.auth.addAlias("older", to: "old", providerID: .apple)
        try await fixture.auth.merge(from: old.session, into: ada.session)
        let bytes = try await fixture.auth.exportPersonalData(of: ada.account.id)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["mergedAccounts"] as? [String] == [old.account.id.rawValue])
        let sessions = try #require(object["sessions"] as? [[String: Any]])
        #expect(sessions.contains { $0["id"] as? String == old.session.id.rawValue })
        #expect(sessions.contains { $0["device"] as? String == "an old phone" })
        #expect(sessions.first?["openedAt"] as? String == StoreTime(fixture.clock.now).text)
        let logins = try #require(object["logins"] as? [[String: Any]])
        #expect(Set(logins.map { $0["otherNames"] as? [String] }) == [[], ["older"]])
        let events = try #require(object["events"] as? [[String: Any]])
        #expect(events.filter { $0["action"] as? String == "account.created" }.count == 2)
        #expect(events.filter { $0["action"] as? String == "account.merged" }.count == 2)
    }

    @Test(.rule("PERSONAL-1"), arguments: StoreUnderTest.all)
    func `each list of a personal data export is bounded over all merged accounts, and the export says if it is cut`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        var ada = try await fixture.signIn(as: "ada")
        for _ in 0..<3 {
            let guest = try await fixture.auth.signInAnonymously()
            ada = try await fixture.auth.merge(from: guest.session, into: ada.session)
        }
        let id = ada.account.id
        func data(longestList: Int) async throws -> PersonalData {
            let rows = try await fixture.read { transaction in
                try transaction.personalDataReader.rows(of: id, longestList: longestList)
            }
            return PersonalData(rows, secrets: fixture.auth.secrets)
        }
        let whole = try await data(longestList: 10_000)
        #expect(!whole.isTruncated && whole.mergedAccounts.count == 3 && whole.sessions.count == 4)
        let longest = whole.events.count
        #expect(try await !data(longestList: longest).isTruncated)
        #expect(try await data(longestList: longest - 1).isTruncated)
        let cut = try await data(longestList: 2)
        #expect(cut.isTruncated && cut.mergedAccounts.count == 2)
        #expect(cut.sessions.count == 2 && cut.events.count == 2)
        #expect(cut.sessions.contains { $0.id == ada.session.id.rawValue })
        let bytes = try await fixture.auth.exportPersonalData(of: id)
        #expect(try JSONDocument.read(bytes).root["isTruncated"]?.boolean == false)
    }

    @Test(arguments: StoreUnderTest.all)
    func `an operator finds all accounts with an e-mail address`(_ store: StoreUnderTest) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(oneAccountPerEmail: false))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let email = "ada@example.com"
        let ada = try await fixture.signIn(as: "ada", email: email)
        fixture.clock.advance(by: .milliseconds(1))
        let other = try await fixture.signIn(as: "x", with: .apple, email: email)
        fixture.clock.advance(by: .milliseconds(1))
        let named = try await fixture.signIn(as: "eve", email: "eve@example.com")
        _ = try await named.session.setPassword("correct horse", email: email)
        try await fixture.signIn(as: "bob", email: "bob@example.com")
        let found = try await fixture.auth.accounts(email: " ADA@example.com").map(\.id)
        #expect(found == [ada, other, named].map(\.account.id))
        let first = try await fixture.read { try $0.directory.accounts(with: EmailAddress(email), limit: 1) }
        #expect(first == [ada, named].map(\.account.id))
        try await fixture.auth.delete(other.account.id)
        #expect(try await fixture.auth.accounts(email: email).map(\.id) == [ada, named].map(\.account.id))
        await expectError(.invalidEmail) { try await fixture.auth.accounts(email: "ada") }
    }

    @Test(arguments: StoreUnderTest.all)
    func `the secrets check fails if sessions are open that other keys created`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        func check(_ keys: [[UInt8]]) async throws {
            try await Auth(
                store: fixture.store,
                providers: .none,
                secrets: try AccountSecrets(keys),
                clock: fixture.clock
            )
            .checkSecrets()
        }
        let other = [UInt8](repeating: 9, count: 32)
        try await check([other])
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.auth.checkSecrets()
        await expectError(.internalError) { try await check([other]) }
        try await ada.session.signOut()
        try await check([other])
    }

    @Test(.rule("PERSONAL-1"), arguments: StoreUnderTest.all)
    func `a personal data export contains all data about the user, and no secrets`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada-subject", email: "ada@example.com")
        try await fixture.giveFactor(to: ada.account.id)
        let bytes = try await fixture.auth.exportPersonalData(of: ada.account.id)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "account", "events", "isTruncated", "logins", "mergedAccounts", "secondFactors", "sessions",
            ]
        )
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("ada@example.com") && text.contains("ada-subject"))
        for secret in ["secret", "hash", "token", "seed"] { #expect(!text.lowercased().contains(secret)) }
        await expectError(.userNotFound) {
            try await fixture.auth.exportPersonalData(of: AccountID(rawValue: "nobody"))
        }
    }
}
