// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginAccounts
import LoginHTTP
import LoginProviders
import Synchronization
import TestSupport
import Testing
import Tweaks

/// Tweaks in the store of accounts.
@Suite struct AccountTweaksTests {
    private static func tweaks(
        in store: any AccountStore,
        onProblem: (@Sendable (TweakProblem) -> Void)? = nil
    ) -> Tweaks {
        let auth = Auth(store: store, providers: .none, secrets: AccountSecrets(repeating: 7))
        return Tweaks(persistence: AccountTweaks(auth), onProblem: onProblem)
    }

    private static func pause(in tweaks: Tweaks) -> Tweak<Int> {
        Tweak("import", "queue", "pause", default: 30, in: 0...600, in: tweaks)
    }

    @Test func `servers share tweaks and history, and a change based on an outdated revision is refused`() async throws
    {
        let store = InMemoryAccountStore()
        let (here, there) = (Self.tweaks(in: store), Self.tweaks(in: store))
        try await Self.pause(in: here).set(60, by: "ada")
        let error = await #expect(throws: TweakError.self) { try await Self.pause(in: there).set(90, by: "bob") }
        #expect(error?.code == .overtaken && Self.pause(in: there).value == 60)
        there.action("import", "queue", "flush") { "Flushed." }
        _ = try await there.perform("import.queue.flush", by: "bob")
        try await there.resetAll(expecting: 1, by: "bob")
        let history = try await here.history()
        #expect(Set(history.map(\.kind)) == [.set, .action, .reset] && history.count == 3)
        #expect(history.first { $0.kind == .set }?.to == "60" && history.first { $0.kind == .reset }?.from == "60")
    }

    @Test func `unusable values are reported, and an unavailable store is an error`() async throws {
        let store = BreakableStore()
        let problems = Mutex<[TweakProblem]>([])
        let tweaks = Self.tweaks(in: store) { problem in problems.withLock { $0.append(problem) } }
        _ = Self.pause(in: tweaks)
        _ = Tweak("import", "queue", "pause", default: true, in: tweaks)
        try await Self.pause(in: Self.tweaks(in: store)).set(60, by: "ada")
        try await tweaks.load()
        tweaks.replaceFileValues(with: ["import.queue.pause": "601"])
        #expect(problems.withLock { $0.count } == 2)
        store.failure = .unavailable
        let error = await #expect(throws: TweakError.self) { try await tweaks.load() }
        #expect(error?.code == .store && Self.pause(in: tweaks).value == 60)
    }
}
#endif
