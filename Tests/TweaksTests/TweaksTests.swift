// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import Synchronization
import Testing

@testable import Tweaks

/// Tweaks with a persistence, on one server and on two.
@Suite(.timeLimit(.minutes(10))) struct TweaksTests {
    private struct Server: Sendable {
        let tweaks: Tweaks
        let leeway: Tweak<Duration>
        let level: Tweak<String>
        let google: Tweak<Bool>
        let problems = Problems()
        let clock = ManualContinuousClock()

        init(_ persistence: any TweakPersistence = InMemoryTweaks()) throws {
            let problems = problems
            tweaks = Tweaks(persistence: persistence, interval: .seconds(5), clock: clock) { problems.add($0) }
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

    /// The problems that were reported.
    private final class Problems: Sendable {
        private let problems = Mutex<[TweakProblem]>([])
        var all: [TweakProblem] { problems.withLock { $0 } }
        func add(_ problem: TweakProblem) { problems.withLock { $0.append(problem) } }
    }

    /// A persistence that a test can make fail.
    private final class Breakable: TweakPersistence {
        private let base = InMemoryTweaks()
        private let fault = Mutex<TweakError?>(nil)

        func fail(_ error: TweakError?) { fault.withLock { $0 = error } }

        private func check() throws(TweakError) {
            if let error = fault.withLock({ $0 }) { throw error }
        }

        func revision() async throws(TweakError) -> Int64 {
            try check()
            return try await base.revision()
        }

        func load() async throws(TweakError) -> TweakOverrides {
            try check()
            return try await base.load()
        }

        func set(_ id: String, to value: String?, expecting revision: Int64, by author: String)
            async throws(TweakError)
        {
            try check()
            try await base.set(id, to: value, expecting: revision, by: author)
        }

        func set(_ values: [String: String?], expecting revision: Int64, by author: String) async throws(TweakError) {
            try check()
            try await base.set(values, expecting: revision, by: author)
        }
    }

    @Test func `a change applies at once, and on another server at its next poll`() async throws {
        let store = InMemoryTweaks()
        let (here, there) = (try Server(store), try Server(store))
        #expect(here.leeway.value == .seconds(30) && here.google.value)
        try await here.leeway.set(.seconds(60), by: "ada")
        try await here.google.set(false, by: "ada")
        #expect(here.leeway.value == .seconds(60) && !here.google.value)
        #expect(there.leeway.value == .seconds(30))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await there.tweaks.run() }
            try await there.clock.waitForSleepers(1)
            #expect(there.leeway.value == .seconds(60) && !there.google.value)
            try await here.leeway.reset(by: "bob")
            there.clock.advance(by: .seconds(5))
            try await there.clock.waitForSleepers(1)
            #expect(there.leeway.value == .seconds(30) && !there.google.value)
            group.cancelAll()
        }
    }

    @Test func `the second of two changes based on the same revision is a conflict, and loads the current value`()
        async throws
    {
        let store = InMemoryTweaks()
        let (here, there) = (try Server(store), try Server(store))
        try await here.tweaks.set("tokens.times.leeway", to: "10", expecting: 0, by: "ada")
        let error = await #expect(throws: TweakError.self) {
            try await there.tweaks.set("tokens.times.leeway", to: "20", expecting: 0, by: "bob")
        }
        #expect(error?.code == .overtaken)
        let seen = try #require(there.tweaks.report.values.first)
        #expect(seen.current == .seconds(.seconds(10)) && seen.changedBy == "ada" && seen.source == .override)
        try await there.tweaks.set("tokens.times.leeway", to: "20", expecting: seen.revision, by: "bob")
        #expect(there.leeway.value == .seconds(20))
        let late = await #expect(throws: TweakError.self) { try await here.tweaks.resetAll(expecting: 1, by: "ada") }
        #expect(late?.code == .overtaken)
        try await here.tweaks.resetAll(expecting: here.tweaks.report.revision, by: "ada")
        #expect(here.leeway.value == .seconds(30))
    }

    @Test func `a refused change has an error code and is not stored`() async throws {
        let server = try Server()
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

    @Test func `actions and changes are recorded in the history, with a sanitized author`() async throws {
        let server = try Server()
        #expect(try await server.tweaks.perform("keys.refresh", by: "ada") == "They are fetched.")
        try await server.level.set("debug", by: "bob\u{0}\n" + String(repeating: "b", count: 200))
        let history = try await server.tweaks.history()
        #expect(history.map(\.kind) == [.set, .action])
        #expect(history[0].to == "debug" && history[0].from == nil && history[1].id == "keys.refresh")
        let author = history[0].by
        #expect(author.hasPrefix("bob") && author.utf8.count == 64 && !author.contains("\n"))
    }

    @Test func `stored values that the program cannot use are reported once, and shown`() async throws {
        let store = InMemoryTweaks()
        let server = try Server(store)
        try await store.set(["tokens.times.leeway": "999", "of.another.version": "1"], expecting: 0, by: "ada")
        try await server.tweaks.load()
        try await store.set("log.level", to: "debug", expecting: 0, by: "ada")
        try await server.tweaks.load()
        #expect(server.leeway.value == .seconds(30) && server.level.value == "debug")
        #expect(server.problems.all.count == 2)
        let report = server.tweaks.report
        #expect(report.values.first?.faults.map(\.reason) == ["it must be between 0 and 300"])
        #expect(report.unknown.map(\.id) == ["of.another.version"])
        try await server.tweaks.reset("of.another.version", expecting: report.unknown[0].revision, by: "ada")
        #expect(server.tweaks.report.unknown.isEmpty)
    }

    @Test
    func `each change and action by this server is reported with its values and author, and a refused one is not`()
        async throws
    {
        let store = InMemoryTweaks()
        let reported = Mutex<[TweakChange]>([])
        let (here, there) = (try Server(store), try Server(store))
        await here.tweaks.persist(in: store, onChange: { change in reported.withLock { $0.append(change) } })
        try await there.leeway.set(.seconds(60), by: "bob")
        try await here.tweaks.set("tokens.times.leeway", to: "90", expecting: 1, by: "ada")
        try await here.leeway.set(.seconds(90), by: "ada")
        await #expect(throws: TweakError.self) { try await here.leeway.set(.seconds(301), by: "ada") }
        await #expect(throws: TweakError.self) { try await there.level.set("trace", by: "bob") }
        _ = try await here.tweaks.perform("keys.refresh", by: "ada")
        try await here.tweaks.resetAll(expecting: 2, by: "ada")
        let changes = reported.withLock { $0 }
        #expect(changes.map(\.kind) == [.set, .action, .reset] && changes.allSatisfy { $0.by == "ada" })
        #expect(changes.map(\.from) == ["60", nil, "90"] && changes.map(\.to) == ["90", nil, nil])
    }

    @Test func `a persistence that is unavailable at the start is reported, and used once it can be read`() async throws
    {
        let (store, error) = (Breakable(), TweakError(.store, "the file is damaged"))
        let server = try Server()
        try await server.leeway.set(.seconds(40), by: "ada")
        try await store.set("tokens.times.leeway", to: "60", expecting: 0, by: "ada")
        store.fail(error)
        await server.tweaks.persist(in: store)
        #expect(server.leeway.value == .seconds(40) && server.problems.all == [.unavailable(error)])
        await #expect(throws: error) { try await server.leeway.set(.seconds(70), by: "ada") }
        store.fail(nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.tweaks.run() }
            try await server.clock.waitForSleepers(1)
            // Both stores have the revision 1.
            #expect(server.leeway.value == .seconds(60))
            #expect(server.problems.all == [.unavailable(error), .available])
            group.cancelAll()
        }
    }

    @Test func `a problem is described in words`() {
        let fault = TweakFault(id: "a.b", source: .file, reason: "it is not a number")
        #expect("\(TweakProblem.fault(fault))" == "a.b: the value in the file is not used: it is not a number")
        let error = TweakError(.store, "the disk is gone")
        #expect("\(TweakProblem.unavailable(error))".hasSuffix("the last values stay in use: the disk is gone"))
    }

    @Test func `an observer can read and observe other tweaks, and receives nothing after it is cancelled`()
        async throws
    {
        let server = try Server()
        let heard = Mutex<[Duration]>([])
        let observation = server.leeway.observe(includingNow: true) { value in
            heard.withLock { $0.append(value) }
            // Within an observer, tweaks can be read and observed without a deadlock.
            _ = server.level.value
            server.level.observe { _ in }.cancel()
        }
        try await server.leeway.set(.seconds(40), by: "ada")
        observation.cancel()
        try await server.leeway.set(.seconds(50), by: "ada")
        #expect(heard.withLock { $0 } == [.seconds(30), .seconds(40)])
    }

    @Test func `the report lists everything in the order of declaration`() throws {
        let server = try Server()
        server.tweaks.replaceFileValues(with: ["log.level": "debug"])
        let report = server.tweaks.report
        #expect(report.categories.map(\.title) == ["Tokens", "Service"])
        #expect(report.values.map(\.id) == ["tokens.times.leeway", "log.level", "providers.google.enabled"])
        #expect(report.categories[1].collections[0].items.count == 3)
        let level = report.values[1]
        #expect(level.source == .file && level.file == "debug" && level.override == nil && level.revision == 0)
        #expect(level.defaultValue == .text("info") && level.current == .text("debug"))
        #expect(report.values[0].unit == "s")
        #expect(server.tweaks.ids == ["log.level", "providers.google.enabled", "tokens.times.leeway"])
    }

    @Test func `an unavailable store is reported once, and the loaded values stay in effect`() async throws {
        let store = Breakable()
        let server = try Server(store)
        try await server.leeway.set(.seconds(60), by: "ada")
        store.fail(TweakError(.store, "the disk is gone"))
        let error = await #expect(throws: TweakError.self) { try await server.leeway.set(.seconds(70), by: "ada") }
        #expect(error?.code == .store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.tweaks.run() }
            for _ in 0..<3 {
                try await server.clock.waitForSleepers(1)
                server.clock.advance(by: .seconds(5))
            }
            try await server.clock.waitForSleepers(1)
            #expect(server.leeway.value == .seconds(60))
            #expect(server.problems.all == [.unavailable(TweakError(.store, "the disk is gone"))])
            store.fail(nil)
            server.clock.advance(by: .seconds(5))
            try await server.clock.waitForSleepers(1)
            #expect(server.problems.all.last == .available)
            group.cancelAll()
        }
    }
}
