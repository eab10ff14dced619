// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Synchronization
import Testing

@testable import Tweaks

/// Tweaks that are declared where their values are used.
@Suite struct InlineTweakTests {
    private static func pause(in tweaks: Tweaks) -> Tweak<Int> {
        Tweak("Import", "Queue", "Pause", default: 30, in: 0...600, in: tweaks)
    }

    @Test func `the same declaration returns the same tweak, with the value that an operator has set`() async throws {
        let tweaks = Tweaks()
        #expect(Self.pause(in: tweaks).value == 30)
        try await Self.pause(in: tweaks).set(60, by: "ada")
        #expect(Self.pause(in: tweaks).value == 60)
        let report = tweaks.report
        #expect(report.values.map(\.title) == ["Pause"] && report.categories.map(\.title) == ["Import"])
        await #expect(throws: TweakError.self) { try await Self.pause(in: tweaks).set(601, by: "ada") }
        try await Self.pause(in: tweaks).reset(by: "ada")
        #expect(Self.pause(in: tweaks).value == 30)
    }

    @Test func `a tweak can be declared for each kind of value`() {
        let tweaks = Tweaks()
        #expect(Tweak("A", "B", "flag", default: true, in: tweaks).value)
        #expect(Tweak("A", "B", "share", default: 0.5, in: 0...1, step: 0.25, in: tweaks).value == 0.5)
        #expect(Tweak("A", "B", "any", default: -7, in: tweaks).value == -7)
        #expect(Tweak<Duration>("A", "B", "time", default: .seconds(5), in: tweaks).value == .seconds(5))
        #expect(Tweak("A", "B", "level", default: "low", choices: ["low", "high"], in: tweaks).value == "low")
        #expect(Tweak("A", "B", "text", default: "Hello", in: tweaks).value == "Hello")
        #expect(tweaks.report.values.map(\.kind) == [.boolean, .decimal, .integer, .seconds, .text, .text])
        #expect(tweaks.report.categories[0].collections.count == 1)
    }

    @Test func `of two different declarations the first applies, and the difference is reported once`() async throws {
        let problems = Mutex<[TweakProblem]>([])
        let tweaks = Tweaks()
        _ = Self.pause(in: tweaks)
        for _ in 0..<2 {
            #expect(Tweak("Import", "Queue", "Pause", default: 50, in: 0...600, in: tweaks).value == 30)
            // A value of another type cannot be read as this one.
            #expect(Tweak("Import", "Queue", "Pause", default: true, in: tweaks).value)
            #expect(Tweak("Import", "Queue", "Size", default: 7, in: 0...6, in: tweaks).value == 7)
        }
        // Problems are kept until there is a handler.
        await tweaks.persist(in: InMemoryTweaks()) { problem in problems.withLock { $0.append(problem) } }
        let codes = problems.withLock { $0 }.compactMap { problem in
            if case .declaration(let error) = problem { error.code } else { nil }
        }
        #expect(codes == [.declaration, .declaration])
        #expect(tweaks.ids == ["-import.-queue.-pause"])
    }

    @Test func `an error quotes only the beginning of a long name, and no control characters`() async throws {
        let problems = Mutex<[TweakProblem]>([])
        let tweaks = Tweaks { problem in problems.withLock { $0.append(problem) } }
        let name = String(repeating: "e\u{301}", count: 1000)
        #expect(Tweak("a", "b", name, default: 7, in: tweaks).value == 7)
        let problem = problems.withLock { $0.first }
        guard case .declaration(let error) = problem else {
            Issue.record("the problem is not one of the declaration")
            return
        }
        #expect(error.code == .declaration && error.detail.hasPrefix("a.b.e-204-129e-204-129"))
        #expect(
            error.detail.hasSuffix("…: the ID has more than 96 bytes; use shorter names") && error.detail.count < 200
        )
        let json = #"{"values": {"\u0000\#(name)": "1"}}"#
        let unknown = await #expect(throws: TweakError.self) {
            try await tweaks.importJSON(json, expecting: 0, by: "ada")
        }
        let detail = try #require(unknown?.detail)
        #expect(unknown?.code == .unknown && detail.hasPrefix(#"\0e"#) && detail.utf8.count < 1000)
        #expect(!detail.unicodeScalars.contains("\u{0}") && !detail.unicodeScalars.contains("\u{301}"))
    }

    @Test func `different names have different IDs`() {
        let names = [
            ["a-b", "c", "d"], ["a", "b-c", "d"], ["a b", "c", "d"], ["a--b", "c", "d"], ["A", "c", "d"],
            ["a", "c", "d"], ["-a", "c", "d"], ["a.b", "c", "d"], ["a", "b.c", "d"], ["\u{E9}", "c", "d"],
            ["e\u{301}", "c", "d"], ["195169", "c", "d"], ["-195-169", "c", "d"],
        ]
        let ids = names.map { TweakNames(category: $0[0], collection: $0[1], name: $0[2]).id }
        #expect(Set(ids).count == names.count)
        for id in ids { #expect(throws: Never.self, "\(id)") { try TweakDeclaration.validate(id: id) } }
        #expect(TweakNames(category: "Import", collection: "a b", name: "c-d").id == "-import.a--b.c-045d")
    }

    @Test func `the first declaration of an action applies, and its run is recorded`() async throws {
        let tweaks = Tweaks()
        for text in ["first", "second"] { tweaks.action("Import", "Queue", "Flush") { text } }
        #expect(try await tweaks.perform("-import.-queue.-flush", by: "ada") == "first")
        #expect(tweaks.report.categories[0].collections[0].items.count == 1)
        #expect(try await tweaks.history().map(\.kind) == [.action])
    }
}
