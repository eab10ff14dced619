// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization
import Testing

@testable import Tweaks

/// The state that follows from declarations, layers and constraints: pure, without a store.
@Suite struct TweakStateTests {
    private static let place = TweakPlace(category: "tokens", collection: "times")
    private static let id = "tokens.times.leeway"

    private static func declaration(
        _ id: String = id,
        _ defaultValue: TweakContent = .integer(30),
        _ constraint: TweakConstraint = .range(TweakRange(0...300, step: 10))
    ) -> TweakDeclaration {
        TweakDeclaration(
            id: id,
            title: "Leeway",
            description: "",
            unit: "s",
            defaultValue: defaultValue,
            constraint: constraint
        )
    }

    private static func state() throws -> TweakState {
        var state = TweakState()
        try state.add(category: "tokens", "Tokens")
        try state.add(collection: "times", "Times", to: "tokens")
        #expect(try state.add(declaration(), to: place) == [])
        return state
    }

    private static func stored(_ revision: Int64, _ values: [String: String?]) throws -> TweakOverrides {
        try TweakOverrides(revision: revision, values, at: Date(timeIntervalSince1970: 0))
    }

    private static func expect(_ state: TweakState, _ value: Int, _ source: TweakSource, _ line: Int = #line) {
        #expect(state.entry(id)?.content == .integer(value), "line \(line)")
        #expect(state.entry(id)?.source == source, "line \(line)")
    }

    @Test func `an override takes precedence over the file, and the file over the default`() throws {
        var state = try Self.state()
        Self.expect(state, 30, .default)
        #expect(state.replaceFileValues(with: [Self.id: "60"]) == [])
        Self.expect(state, 60, .file)
        #expect(state.replaceOverrides(with: try Self.stored(1, [Self.id: "90"])) == [])
        Self.expect(state, 90, .override)
        #expect(state.replaceFileValues(with: [:]) == [])
        Self.expect(state, 90, .override)
        #expect(state.replaceFileValues(with: [Self.id: "120"]) == [])
        #expect(state.replaceOverrides(with: try Self.stored(2, [Self.id: nil])) == [])
        Self.expect(state, 120, .file)
        #expect(state.replaceFileValues(with: [:]) == [])
        Self.expect(state, 30, .default)
    }

    @Test func `a load that began earlier never replaces a newer revision`() throws {
        var state = try Self.state()
        let begun = state.generation
        _ = state.replaceOverrides(with: try Self.stored(5, [Self.id: "50"]), loadedSince: begun)
        _ = state.replaceOverrides(with: try Self.stored(4, [Self.id: "40"]), loadedSince: begun)
        _ = state.replaceOverrides(with: try Self.stored(5, [Self.id: "60"]), loadedSince: begun)
        Self.expect(state, 50, .override)
        _ = state.replaceOverrides(with: try Self.stored(6, [Self.id: "70"]), loadedSince: begun)
        Self.expect(state, 70, .override)
    }

    @Test func `an older revision applies if nothing was loaded since its loading began`() throws {
        var state = try Self.state()
        _ = state.replaceOverrides(with: try Self.stored(5, [Self.id: "50"]))
        _ = state.replaceOverrides(with: try Self.stored(4, [Self.id: "40"]), loadedSince: state.generation)
        Self.expect(state, 40, .override)
    }

    @Test(arguments: ["301", "-1", "35", "x", "", "30.0"])
    func `an invalid value is refused when it is set, and reported once when it is loaded`(_ text: String)
        throws
    {
        var state = try Self.state()
        let error = #expect(throws: TweakError.self) { try state.content(of: text, for: Self.id) }
        #expect(error?.code == .value)
        #expect(state.replaceOverrides(with: try Self.stored(1, [Self.id: text])).map(\.source) == [.override])
        Self.expect(state, 30, .default)
        // A fault is reported once, whatever else changes; a fault in another layer is reported too.
        #expect(state.replaceOverrides(with: try Self.stored(2, [Self.id: text, "other": nil])) == [])
        #expect(state.replaceFileValues(with: [Self.id: text]).map(\.source) == [.file])
        #expect(state.entry(Self.id)?.faults.count == 2)
        #expect(state.replaceFileValues(with: [Self.id: "60"]) == [])
        Self.expect(state, 60, .file)
        #expect(state.entry(Self.id)?.faults.map(\.source) == [.override])
        #expect(state.replaceOverrides(with: try Self.stored(3, [Self.id: "90"])) == [])
        #expect(state.entry(Self.id)?.faults == [])
        Self.expect(state, 90, .override)
    }

    @Test func `the refusal of text of another kind names the expected kind`() throws {
        let state = try Self.state()
        #expect(throws: TweakError(.value, "\(Self.id): it is not a whole number")) {
            try state.content(of: "x", for: Self.id)
        }
    }

    @Test func `values that are loaded earlier apply to a tweak that is declared later`() throws {
        var state = TweakState()
        let faults = state.replaceOverrides(with: try Self.stored(1, [Self.id: "90"]))
        #expect(faults.map(\.reason) == ["this program does not declare the tweak"])
        try state.add(category: "tokens", "Tokens")
        try state.add(collection: "times", "Times", to: "tokens")
        #expect(try state.add(Self.declaration(), to: Self.place) == [])
        Self.expect(state, 90, .override)
        var other = TweakState()
        _ = other.replaceOverrides(with: try Self.stored(1, [Self.id: "900"]))
        try other.add(category: "tokens", "Tokens")
        try other.add(collection: "times", "Times", to: "tokens")
        #expect(try other.add(Self.declaration(), to: Self.place).map(\.id) == [Self.id])
        Self.expect(other, 30, .default)
    }

    @Test func `duplicate IDs and invalid declarations are refused`() throws {
        var state = try Self.state()
        #expect(throws: TweakError.self) { try state.add(category: "tokens", "Others") }
        #expect(throws: TweakError.self) { try state.add(collection: "times", "Others", to: "tokens") }
        #expect(throws: TweakError.self) { try state.add(collection: "times", "Others", to: "none") }
        #expect(throws: TweakError.self) { try state.add(Self.declaration(), to: Self.place) }
        let action = TweakAction(id: Self.id, title: "", description: "") { "" }
        #expect(throws: TweakError.self) { try state.add(action, to: Self.place) }
        for id in ["", ".", "a.", ".a", "a..b", "A.b", "a b", "a_b", "ä.b", String(repeating: "a", count: 97)] {
            #expect(throws: TweakError.self, "\(id)") { try state.add(Self.declaration(id), to: Self.place) }
        }
        let wrong: [TweakDeclaration] = [
            Self.declaration("a.b", .integer(301)), Self.declaration("a.b", .integer(31)),
            Self.declaration("a.b", .decimal(30)),
            Self.declaration("a.b", .integer(30), .range(TweakRange(0...300, step: 0))),
            Self.declaration("a.b", .text("a"), .choices(["b"])), Self.declaration("a.b", .text("a"), .choices([])),
            Self.declaration("a.b", .text("a"), .choices(["a", "a"])),
        ]
        for declaration in wrong { #expect(throws: TweakError.self) { try state.add(declaration, to: Self.place) } }
        #expect(throws: TweakError.self) {
            try state.add(Self.declaration("a.b"), to: TweakPlace(category: "tokens", collection: "none"))
        }
        #expect(state.ids == [Self.id])
        _ = try state.add(Self.declaration("a.b"), to: Self.place)
        #expect(state.ids == ["a.b", Self.id])
    }

    /// The values that an observer received.
    private final class Told: Sendable {
        private let values = Mutex<[TweakContent]>([])
        var all: [TweakContent] { values.withLock { $0 } }
        func hear(_ content: TweakContent) { values.withLock { $0.append(content) } }
    }

    private static func tell(_ state: inout TweakState) {
        guard state.beginNotifying() else { return }
        while let next = state.nextNotification() { next.call(next.content) }
    }

    @Test func `an observer receives each change once, and nothing without a change or after it is cancelled`() throws {
        var state = try Self.state()
        let (told, other) = (Told(), Told())
        _ = state.observe(Self.id, includingNow: true) { told.hear($0) }
        let number = try #require(state.observe(Self.id, includingNow: false) { other.hear($0) })
        Self.tell(&state)
        #expect(told.all == [.integer(30)] && other.all == [])
        _ = state.replaceFileValues(with: [Self.id: "30"])
        _ = state.replaceOverrides(with: try Self.stored(1, [Self.id: "30"]))
        _ = state.replaceOverrides(with: try Self.stored(2, [Self.id: "999"]))
        _ = state.replaceFileValues(with: [:])
        Self.tell(&state)
        #expect(told.all == [.integer(30)] && other.all == [])
        _ = state.replaceOverrides(with: try Self.stored(3, [Self.id: "90"]))
        _ = state.replaceFileValues(with: [Self.id: "60"])
        _ = state.replaceOverrides(with: try Self.stored(4, [Self.id: nil]))
        // A cancelled observer does not receive pending values either.
        state.cancel(number, of: Self.id)
        Self.tell(&state)
        #expect(told.all == [.integer(30), .integer(90), .integer(60)] && other.all == [])
    }

    @Test func `only one caller delivers notifications at a time, in the order of the changes`() throws {
        var state = try Self.state()
        let told = Told()
        _ = state.observe(Self.id, includingNow: true) { told.hear($0) }
        let isFirst = state.beginNotifying()
        let first = state.nextNotification()
        _ = state.replaceFileValues(with: [Self.id: "60"])
        let isSecond = state.beginNotifying()
        #expect(isFirst && !isSecond)
        try #require(first).call(#require(first).content)
        let second = state.nextNotification()
        try #require(second).call(#require(second).content)
        let third = state.nextNotification()
        #expect(third == nil)
        #expect(told.all == [.integer(30), .integer(60)])
        let isFree = state.beginNotifying()
        #expect(isFree)
    }
}

extension TweakOverrides {
    /// Creates the content of a store whose values were set by "ada".
    init(revision: Int64, _ values: [String: String?], at time: Date) throws {
        self.init(
            revision: revision,
            tweaks: values.reduce(into: [:]) { tweaks, pair in
                tweaks[pair.key] = TweakOverride(
                    id: pair.key,
                    value: pair.value,
                    changedAt: time,
                    changedBy: "ada",
                    revision: revision
                )
            }
        )
    }
}
