// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import InMemoryLogging
import LoginAccounts
import LoginProviders
import LoginTesting
import Logging
import Synchronization
import TestSupport
import Testing

@testable import LoginHummingbird

/// Tweaks in an account store, on one server and on two.
@Suite(.timeLimit(.minutes(10))) struct TweaksTests {
    private struct Server: Sendable {
        let tweaks: Tweaks
        let leeway: Tweak<Duration>
        let level: Tweak<String>
        let google: Tweak<Bool>
        let log = InMemoryLogHandler()
        let clock = ManualContinuousClock()

        init(_ store: any AccountStore) throws {
            let handler = log
            let auth = Auth(store: store, providers: .none, secrets: AccountSecrets([[UInt8](repeating: 7, count: 32)]))
            tweaks = Tweaks(
                auth: auth,
                logger: Logger(label: "test") { _ in handler },
                interval: .seconds(5),
                clock: clock
            )
            let tokens = try tweaks.category("tokens", "Tokens")
            leeway = try tokens.collection("times", "Times").add(
                "tokens.times.leeway",
                "Leeway",
                default: .seconds(30),
                in: .zero ... .seconds(300),
                step: .seconds(1),
                description: "How far clocks may disagree."
            )
            let service = try tweaks.category("service", "Service").collection("log", "Log")
            level = try service.add(
                "log.level",
                "Level",
                default: "info",
                choices: ["debug", "info"],
                description: "What is logged."
            )
            google = try service.add("providers.google.enabled", "Google", default: true, description: "")
            try service.addAction("keys.refresh", "Fetch keys", description: "") { "They are fetched." }
        }
    }

    @Test func `what is set counts at once, and on another server when it looks`() async throws {
        let store = InMemoryAccountStore()
        let (here, there) = (try Server(store), try Server(store))
        #expect(here.leeway.currentValue == .seconds(30) && here.google.currentValue)
        try await here.leeway.set(.seconds(60), by: "ada")
        try await here.google.set(false, by: "ada")
        #expect(here.leeway.currentValue == .seconds(60) && !here.google.currentValue)
        #expect(there.leeway.currentValue == .seconds(30))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await there.tweaks.run() }
            try await there.clock.waitForSleepers(1)
            #expect(there.leeway.currentValue == .seconds(60) && !there.google.currentValue)
            try await here.leeway.reset(by: "bob")
            there.clock.advance(by: .seconds(5))
            try await there.clock.waitForSleepers(1)
            #expect(there.leeway.currentValue == .seconds(30) && !there.google.currentValue)
            group.cancelAll()
        }
    }

    @Test func `of two who have seen the same one is told that the other was faster, and sees what is there now`()
        async throws
    {
        let store = InMemoryAccountStore()
        let (here, there) = (try Server(store), try Server(store))
        try await here.tweaks.set("tokens.times.leeway", to: "10", expecting: 0, by: "ada")
        let error = await #expect(throws: TweakError.self) {
            try await there.tweaks.set("tokens.times.leeway", to: "20", expecting: 0, by: "bob")
        }
        #expect(error?.code == .overtaken)
        let seen = try #require(there.tweaks.report.values.first)
        #expect(seen.current == .seconds(.seconds(10)) && seen.changedBy == "ada" && seen.source == .override)
        try await there.tweaks.set("tokens.times.leeway", to: "20", expecting: seen.revision, by: "bob")
        #expect(there.leeway.currentValue == .seconds(20))
        let late = await #expect(throws: TweakError.self) { try await here.tweaks.resetAll(expecting: 1, by: "ada") }
        #expect(late?.code == .overtaken)
        try await here.tweaks.resetAll(expecting: here.tweaks.report.revision, by: "ada")
        #expect(here.leeway.currentValue == .seconds(30))
    }

    @Test func `what is not taken is refused by its reason, and nothing is kept of it`() async throws {
        let server = try Server(InMemoryAccountStore())
        let cases: [(String, String, TweakError.Code)] = [
            ("tokens.times.leeway", "301", .value), ("tokens.times.leeway", "1.5", .value),
            ("log.level", "trace", .value), ("providers.google.enabled", "1", .value), ("none", "1", .unknown),
            ("keys.refresh", "1", .action),
        ]
        for (id, text, code) in cases {
            let error = await #expect(throws: TweakError.self) {
                try await server.tweaks.set(id, to: text, expecting: 0, by: "ada")
            }
            #expect(error?.code == code)
        }
        let unknown = await #expect(throws: TweakError.self) {
            try await server.tweaks.reset("none", expecting: 0, by: "ada")
        }
        #expect(unknown?.code == .unknown)
        let action = await #expect(throws: TweakError.self) { try await server.tweaks.perform("log.level", by: "ada") }
        #expect(action?.code == .unknown)
        try await server.tweaks.load()
        #expect(server.tweaks.report.revision == 0)
        #expect(try await server.tweaks.history().isEmpty)
    }

    @Test func `an action is done and written down, and each change is`() async throws {
        let server = try Server(InMemoryAccountStore())
        #expect(try await server.tweaks.perform("keys.refresh", by: "ada") == "They are fetched.")
        try await server.level.set("debug", by: "bob\u{0}\n" + String(repeating: "b", count: 200))
        let history = try await server.tweaks.history()
        #expect(Set(history.map(\.action)) == [.tweakChanged, .tweakAction])
        let change = try #require(history.first { $0.action == .tweakChanged })
        #expect(change.subject["to"] == "debug")
        let author = try #require(change.subject["by"])
        #expect(author.hasPrefix("bob") && author.count <= 80 && !author.contains("\n"))
    }

    @Test func `what the store keeps and the program cannot use is logged once, and shown`() async throws {
        let store = InMemoryAccountStore()
        let server = try Server(store)
        let auth = Auth(store: store, providers: .none, secrets: AccountSecrets([[UInt8](repeating: 7, count: 32)]))
        _ = try await auth.setTweak("tokens.times.leeway", to: "999", expecting: 0, by: "ada")
        _ = try await auth.setTweak("of.another.version", to: "1", expecting: 0, by: "ada")
        try await server.tweaks.load()
        _ = try await auth.setTweak("log.level", to: "debug", expecting: 0, by: "ada")
        try await server.tweaks.load()
        #expect(server.leeway.currentValue == .seconds(30) && server.level.currentValue == "debug")
        #expect(server.log.entries.map(\.level) == [.warning, .warning])
        let report = server.tweaks.report
        #expect(report.values.first?.faults.map(\.reason) == ["it is not within 0 and 300"])
        #expect(report.unknown.map(\.id) == ["of.another.version"])
        try await server.tweaks.reset("of.another.version", expecting: report.unknown[0].revision, by: "ada")
        #expect(server.tweaks.report.unknown.isEmpty)
    }

    @Test func `observers may change other tweaks' observers, and hear nothing after they were cancelled`() async throws
    {
        let server = try Server(InMemoryAccountStore())
        let heard = Mutex<[Duration]>([])
        let observation = server.leeway.observe(includingNow: true) { value in
            heard.withLock { $0.append(value) }
            // Within an observer, tweaks can be read and observed without a deadlock.
            _ = server.level.currentValue
            server.level.observe { _ in }.cancel()
        }
        try await server.leeway.set(.seconds(40), by: "ada")
        observation.cancel()
        try await server.leeway.set(.seconds(50), by: "ada")
        #expect(heard.withLock { $0 } == [.seconds(30), .seconds(40)])
    }

    @Test func `a range that changes counts for what was set, and is kept within the limit`() async throws {
        let server = try Server(InMemoryAccountStore())
        try await server.leeway.set(.seconds(200), by: "ada")
        try server.leeway.constrain(to: .zero ... .seconds(100))
        #expect(server.leeway.currentValue == .seconds(30))
        #expect(throws: TweakError.self) { try server.leeway.constrain(to: .zero ... .seconds(301)) }
        try server.leeway.constrain(to: .zero ... .seconds(300))
        #expect(server.leeway.currentValue == .seconds(200))
        try server.level.constrain(to: ["info", "error"])
        await #expect(throws: TweakError.self) { try await server.level.set("debug", by: "ada") }
        #expect(throws: TweakError.self) { try server.level.constrain(to: ["error"]) }
    }

    @Test func `the report has everything in the order of its declaration`() throws {
        let server = try Server(InMemoryAccountStore())
        server.tweaks.take(file: ["log.level": "debug"])
        let report = server.tweaks.report
        #expect(report.categories.map(\.title) == ["Tokens", "Service"])
        #expect(report.values.map(\.id) == ["tokens.times.leeway", "log.level", "providers.google.enabled"])
        #expect(report.categories[1].collections[0].items.count == 3)
        let level = report.values[1]
        #expect(level.source == .file && level.file == "debug" && level.override == nil && level.revision == 0)
        #expect(level.standard == .text("info") && level.current == .text("debug"))
        #expect(report.values[0].unit == "s")
        #expect(server.tweaks.ids == ["log.level", "providers.google.enabled", "tokens.times.leeway"])
    }

    @Test func `a store that does not answer is told of once, and what was read counts on`() async throws {
        let store = BreakableStore(InMemoryAccountStore())
        let server = try Server(store)
        try await server.leeway.set(.seconds(60), by: "ada")
        store.failure = .unavailable
        let error = await #expect(throws: TweakError.self) { try await server.leeway.set(.seconds(70), by: "ada") }
        #expect(error?.code == .store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.tweaks.run() }
            for _ in 0..<3 {
                try await server.clock.waitForSleepers(1)
                server.clock.advance(by: .seconds(5))
            }
            try await server.clock.waitForSleepers(1)
            #expect(server.leeway.currentValue == .seconds(60))
            #expect(server.log.entries.filter { $0.level == .warning }.count == 1)
            store.failure = nil
            server.clock.advance(by: .seconds(5))
            try await server.clock.waitForSleepers(1)
            #expect(server.log.entries.map(\.level) == [.warning, .notice])
            group.cancelAll()
        }
    }
}
#endif
