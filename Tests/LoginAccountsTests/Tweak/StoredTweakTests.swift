// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The stored settings that can be changed while servers run.
@Suite struct StoredTweakTests {
    @Test(.rule("TWEAK-1"), arguments: StoreUnderTest.all)
    func `a tweak set on one server is read on another, with its author and time`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (here, there) = (fixture.auth, fixture.otherServer)
        #expect(try await there.storedTweaks() == StoredTweaks(revision: 0, tweaks: [:]))
        fixture.clock.advance(by: .seconds(5))
        #expect(try await here.setTweak("tokens.times.leeway", to: "30", expecting: 0, by: "ada") == .written)
        let stored = try await there.storedTweaks()
        let tweak = try #require(stored.tweaks["tokens.times.leeway"])
        #expect(stored.revision == 1 && stored.tweaks.count == 1)
        #expect(tweak.value == "30" && tweak.changedBy == "ada" && tweak.revision == 1)
        #expect(tweak.changedAt == fixture.clock.now)
        #expect(try await there.tweakRevision() == 1)
    }

    @Test(.rule("TWEAK-2"), arguments: StoreUnderTest.all)
    func `a change that expects an outdated revision is refused, and changes nothing`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let auth = fixture.auth
        #expect(try await auth.setTweak("a.b.c", to: "1", expecting: 0, by: "ada") == .written)
        let before = try await fixture.everything()
        #expect(try await auth.setTweak("a.b.c", to: "2", expecting: 0, by: "bob") == .overtaken)
        #expect(try await auth.setTweak("a.b.d", to: "2", expecting: 7, by: "bob") == .overtaken)
        #expect(try await auth.setTweaks(["a.b.c": nil, "a.b.d": "2"], expecting: 0, by: "bob") == .overtaken)
        #expect(try await auth.storedTweaks().tweaks["a.b.c"]?.value == "1")
        #expect(try await fixture.everything() == before)
        #expect(try await auth.setTweak("a.b.c", to: "2", expecting: 1, by: "bob") == .written)
        #expect(try await auth.storedTweaks().tweaks["a.b.c"]?.changedBy == "bob")
    }

    @Test(.rule("TWEAK-2"), arguments: StoreUnderTest.all)
    func `a removed tweak keeps its revision, and several tweaks can be removed together`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let auth = fixture.auth
        for (index, id) in ["a.b.c", "a.b.d", "a.b.e"].enumerated() {
            #expect(try await auth.setTweak(id, to: "\(index)", expecting: 0, by: "ada") == .written)
        }
        #expect(try await auth.setTweak("a.b.c", to: nil, expecting: 1, by: "bob") == .written)
        // A removed tweak keeps its revision: a change prepared before the removal must not succeed.
        #expect(try await auth.setTweak("a.b.c", to: "9", expecting: 0, by: "eve") == .overtaken)
        let none: [String: String?] = ["a.b.c": nil, "a.b.d": nil, "a.b.e": nil]
        #expect(try await auth.setTweaks(none, expecting: 4, by: "bob") == .written)
        let stored = try await auth.storedTweaks()
        #expect(stored.revision == 5)
        #expect(stored.tweaks.values.allSatisfy { $0.value == nil && $0.changedBy == "bob" })
        #expect(stored.tweaks["a.b.c"]?.revision == 4 && stored.tweaks["a.b.d"]?.revision == 5)
        #expect(try await auth.setTweaks(none, expecting: 5, by: "bob") == .unchanged)
        #expect(try await auth.tweakRevision() == 5)
    }

    @Test(.rule("TWEAK-3"), arguments: StoreUnderTest.all)
    func `the audit records each change with the old and the new value, and no unchanged value`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let auth = fixture.auth
        _ = try await auth.setTweak("a.b.c", to: "1", expecting: 0, by: "ada")
        fixture.clock.advance(by: .seconds(1))
        #expect(try await auth.setTweak("a.b.c", to: "1", expecting: 1, by: "bob") == .unchanged)
        _ = try await auth.setTweak("a.b.c", to: "2", expecting: 1, by: "bob")
        fixture.clock.advance(by: .seconds(1))
        _ = try await auth.setTweak("a.b.c", to: nil, expecting: 2, by: "ada")
        fixture.clock.advance(by: .seconds(1))
        try await auth.recordTweakAction("keys.refresh", by: "eve")
        let history = try await auth.tweakHistory(limit: 10)
        #expect(history.map(\.action) == [.tweakAction, .tweakReset, .tweakChanged, .tweakChanged])
        #expect(
            history.map(\.subject) == [
                ["tweak": "keys.refresh", "by": "eve"],
                ["tweak": "a.b.c", "by": "ada", "from": "2"],
                ["tweak": "a.b.c", "by": "bob", "from": "1", "to": "2"],
                ["tweak": "a.b.c", "by": "ada", "to": "1"],
            ]
        )
        #expect(history.allSatisfy { $0.actor == .service && $0.accountID == nil })
        #expect(try await auth.tweakHistory(limit: 2).map(\.action) == [.tweakAction, .tweakReset])
        #expect(try await fixture.count(OutboxRecord.self) == 4)
    }

    @Test(.rule("TWEAK-2", "TWEAK-4"), arguments: StoreUnderTest.all)
    func `of concurrent changes to one tweak one succeeds, and the others are overtaken`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let servers = [fixture.servers.one, fixture.servers.other]
        try await fixture.rounds { round in
            let id = "a.b.c\(round % 3)"
            let revision = try await servers[0].storedTweaks().tweaks[id]?.revision ?? 0
            let results = await Race.run(
                (0..<4).map { index -> Race.Contender<TweakWriting> in
                    let server = servers[index % 2]
                    return {
                        try await server.setTweak(id, to: "\(round).\(index)", expecting: revision, by: "\(index)")
                    }
                }
            )
            #expect(Race.refusals(results) == [])
            let writings = Race.winners(results)
            #expect(writings.count { $0 == .written } == 1 && writings.count { $0 == .overtaken } == 3)
            #expect(try await servers[1].tweakRevision() == Int64(round))
        }
    }

    @Test(.rule("TWEAK-4"), arguments: StoreUnderTest.all)
    func `concurrent changes to several tweaks all succeed, each with its own revision`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let servers = [fixture.servers.one, fixture.servers.other]
        try await fixture.rounds { round in
            let results = await Race.run(
                (0..<4).map { index -> Race.Contender<TweakWriting> in
                    let server = servers[index % 2]
                    return { try await server.setTweak("a.\(round).\(index)", to: "1", expecting: 0, by: "ada") }
                }
            )
            #expect(Race.winners(results) == [.written, .written, .written, .written])
        }
        let stored = try await fixture.auth.storedTweaks()
        #expect(stored.revision == Int64(4 * Race.rounds))
        #expect(Set(stored.tweaks.values.map(\.revision)) == Set(1...Int64(4 * Race.rounds)))
    }
}
