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
        #expect(to.tweaks.exportJSON() == json)
        // Another version of the program still has its value.
        #expect(to.tweaks.report.unknown.map(\.id) == ["of.another.version"])
    }

    @Test(arguments: [
        #"{"values": {"import.queue.pause": "60", "import.queue.name": "a\nb"}}"#,
        #"{"values": {"import.queue.pause": "60", "import.queue.none": "1"}}"#,
        #"{"values": {"import.queue.pause": "601"}}"#, #"{"values": {"import.queue.pause": 60}}"#, "{}", "",
    ])
    func `an import with an invalid or unknown value, or of invalid JSON, changes nothing`(_ json: String) async throws
    {
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
