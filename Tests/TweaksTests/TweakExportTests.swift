// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Testing
import Tweaks

/// The export of values, and its import.
@Suite struct TweakExportTests {
    private struct Program {
        let tweaks: Tweaks
        let pause: Tweak<Int>
        let name: Tweak<String>

        init(_ persistence: any TweakPersistence = InMemoryTweaks()) {
            tweaks = Tweaks(persistence: persistence)
            pause = Tweak("import", "queue", "pause", default: 30, in: 0...600, in: tweaks)
            name = Tweak("import", "queue", "name", default: "none", in: tweaks)
            tweaks.action("import", "queue", "flush") { "Flushed." }
        }
    }

    @Test func `an import sets the exported values and resets the others`() async throws {
        let store = InMemoryTweaks()
        let (from, to) = (Program(), Program(store))
        try await from.pause.set(60, by: "ada")
        try await to.name.set("other", by: "bob")
        try await store.set("of.another.version", to: "1", expecting: 0, by: "bob")
        let json = from.tweaks.exportJSON()
        try await to.tweaks.importJSON(json, expecting: 2, by: "bob")
        #expect(to.pause.value == 60 && to.name.value == "none")
        // Another version of the program still has its value.
        #expect(to.tweaks.report.unknown.map(\.id) == ["of.another.version"])
    }

    @Test func `values of other versions are exported and imported, and only a reset of their own removes them`()
        async throws
    {
        let (from, to) = (Program(), Program())
        try await from.pause.set(60, by: "ada")
        let json = #"{"values": {"import.queue.pause": "60", "of.another.version": "1"}}"#
        try await from.tweaks.importJSON(json, expecting: 1, by: "ada")
        try await to.tweaks.importJSON(from.tweaks.exportJSON(), expecting: 0, by: "bob")
        #expect(to.pause.value == 60 && to.tweaks.exportJSON() == from.tweaks.exportJSON())
        try await to.tweaks.resetAll(expecting: 1, by: "bob")
        let unknown = try #require(to.tweaks.report.unknown.first)
        #expect(to.pause.value == 30 && unknown.id == "of.another.version")
        try await to.tweaks.reset(unknown.id, expecting: unknown.revision, by: "bob")
        #expect(to.tweaks.report.unknown.isEmpty)
    }

    @Test(arguments: [
        #"{"values": {"import.queue.pause": "60", "import.queue.name": "a\nb"}}"#,
        #"{"values": {"import.queue.pause": "60", "Import Queue": "1"}}"#,
        #"{"values": {"import.queue.pause": "60", "of.another.version": "a\nb"}}"#,
        #"{"values": {"import.queue.pause": "60", "import.queue.flush": "1"}}"#,
        #"{"values": {"import.queue.pause": "601"}}"#, #"{"values": {"import.queue.pause": 60}}"#, "{}", "",
    ])
    func `an import with an invalid value or ID, or of invalid JSON, changes nothing`(_ json: String) async throws {
        let program = Program()
        try await program.name.set("kept", by: "ada")
        await #expect(throws: TweakError.self) { try await program.tweaks.importJSON(json, expecting: 1, by: "ada") }
        #expect(program.pause.value == 30 && program.name.value == "kept" && program.tweaks.report.revision == 1)
    }

    @Test func `an import that is based on an outdated revision changes nothing`() async throws {
        let program = Program()
        try await program.name.set("kept", by: "ada")
        let error = await #expect(throws: TweakError.self) {
            try await program.tweaks.importJSON(#"{"values": {}}"#, expecting: 0, by: "ada")
        }
        #expect(error?.code == .overtaken && program.name.value == "kept")
    }
}
