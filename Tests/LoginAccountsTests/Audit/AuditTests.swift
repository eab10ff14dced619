// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct AuditTests {
    @Test(.rule("AUDIT-1"), arguments: StoreUnderTest.all)
    func `what happened is written down with who did it, and without anything personal`(_ store: StoreUnderTest)
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
        // The same login has the same name in the audit, for whoever has the key.
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

    @Test(.rule("AUDIT-2"), arguments: StoreUnderTest.all)
    func `pages of the audit have each entry once, also of one millisecond`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        for number in 0..<10 {
            try await fixture.read { transaction in
                try transaction.record("account.created", account: ada.account.id, subject: ["n": "\(number)"])
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
    func `what was not kept is not written down`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let before = try await fixture.count(AuditRecord.self)
        await expectError(.lastProvider) { try await ada.session.unlink(fromProvider: .google) }
        #expect(try await fixture.count(AuditRecord.self) == before)
        #expect(try await fixture.count(OutboxRecord.self) == before)
    }
}
