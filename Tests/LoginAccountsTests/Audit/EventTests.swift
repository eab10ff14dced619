// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct EventTests {
    @Test(.rule("EVENT-1"), arguments: StoreUnderTest.all)
    func `each audit entry is an event that is delivered once`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        let seen = Mutex<[AuthEvent]>([])
        let delivery = try await fixture.auth.deliverWaitingEvents { event in seen.withLock { $0.append(event) } }
        let count = try await fixture.count(AuditRecord.self)
        #expect(delivery == EventDelivery(delivered: count, failed: 0))
        let events = seen.withLock { $0 }
        #expect(Set(events) == Set(try await fixture.auth.audit(of: ada.account.id)))
        #expect(events.filter { $0.action == "identity.linked" }.count == 1)
        #expect(try await fixture.auth.deliverWaitingEvents { _ in }.attempts == 0)
    }

    private struct Failure: Error {}

    @Test(.rule("EVENT-2"), arguments: StoreUnderTest.all)
    func `a failed delivery is retried after growing delays, and abandoned after 20 attempts`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.read { transaction in try transaction.audit.record("account.created", account: nil) }
        func fail() async throws -> EventDelivery {
            try await fixture.auth.deliverWaitingEvents { _ in throw Failure() }
        }
        #expect(try await fail() == EventDelivery(delivered: 0, failed: 1))
        fixture.clock.advance(by: .milliseconds(9999))
        #expect(try await fail().attempts == 0)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fail().failed == 1)
        fixture.clock.advance(by: .seconds(19))
        #expect(try await fail().attempts == 0)
        for _ in 3...19 {
            fixture.clock.advance(by: .seconds(3600))
            #expect(try await fail() == EventDelivery(failed: 1))
        }
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fail() == EventDelivery(abandoned: 1))
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fail().attempts == 0)
    }

    @Test(.rule("EVENT-2"), arguments: StoreUnderTest.all)
    func `concurrent deliveries share the events, and no event is delivered twice`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.read { transaction in
            for _ in 0..<40 { try transaction.audit.record("account.created", account: nil) }
        }
        let seen = Mutex<[String]>([])
        let results = await Race.run(4) {
            try await fixture.auth.deliverWaitingEvents { event in seen.withLock { $0.append(event.id) } }
        }
        #expect(Race.refusals(results).isEmpty)
        let ids = seen.withLock { $0 }
        #expect(ids.count == 40)
        #expect(Set(ids).count == 40)
    }

    @Test(.rule("EVENT-2"), arguments: StoreUnderTest.all)
    func `an event whose delivery was interrupted is delivered again after five minutes`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.read { transaction in
            try transaction.audit.record("account.created", account: nil)
            _ = try transaction.deliveries.claim()
        }
        #expect(try await fixture.auth.deliverWaitingEvents { _ in }.attempts == 0)
        fixture.clock.advance(by: .seconds(300))
        #expect(try await fixture.auth.deliverWaitingEvents { _ in }.delivered == 1)
    }

    @Test(.rule("EVENT-3")) func `a listener in the process receives the committed events since its subscription`()
        async throws
    {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        try await fixture.signIn(as: "earlier")
        let events = fixture.auth.events
        let ada = try await fixture.signIn(as: "ada")
        await expectError(.lastProvider) { try await ada.session.unlink(fromProvider: .google) }
        var heard: [String] = []
        for await event in events {
            #expect(event.accountID == ada.account.id)
            heard.append(event.action.rawValue)
            if event.action == "session.opened" { break }
        }
        #expect(heard == ["account.created", "session.opened"])
    }

    @Test(.rule("EVENT-2")) func `events are delivered until the task is cancelled`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore())
        let (stream, continuation) = AsyncStream.makeStream(of: AuthEvent.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await fixture.auth.deliverEvents(every: .milliseconds(5)) { event in continuation.yield(event) }
            }
            _ = try? await fixture.signIn(as: "ada")
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next()?.action == "account.created")
            group.cancelAll()
        }
    }
}
