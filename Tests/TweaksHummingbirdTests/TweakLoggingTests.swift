// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import InMemoryLogging
import Logging
import Testing
import Tweaks
import TweaksHummingbird

/// Tweaks in the log.
@Suite struct TweakLoggingTests {
    @Test func `problems are warnings, and changes and actions are notices with their values and author`() async throws
    {
        let log = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in log }
        let tweaks = Tweaks(onProblem: { $0.log(to: logger) }, onChange: { $0.log(to: logger) })
        let pause = Tweak("import", "queue", "pause", default: 30, in: 0...600, in: tweaks)
        tweaks.action("import", "queue", "flush") { "Flushed." }
        tweaks.replaceFileValues(with: ["import.queue.pause": "601"])
        try await pause.set(60, by: "ada")
        await #expect(throws: TweakError.self) { try await pause.set(601, by: "ada") }
        try await pause.reset(by: "bob")
        _ = try await tweaks.perform("import.queue.flush", by: "bob")
        #expect(log.entries.map(\.level) == [.warning, .notice, .notice, .notice])
        #expect(
            log.entries.dropFirst().map(\.metadata) == [
                ["tweak.id": "import.queue.pause", "tweak.to": "60", "tweak.author": "ada"],
                ["tweak.id": "import.queue.pause", "tweak.from": "60", "tweak.author": "bob"],
                ["tweak.id": "import.queue.flush", "tweak.author": "bob"],
            ]
        )
    }
}
#endif
