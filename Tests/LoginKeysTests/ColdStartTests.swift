// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginKeys
import LoginTesting
import LoginTokens
import Synchronization
import TestSupport
import Testing

/// An in-memory store that counts its calls.
final class MemoryStore: KeyStore {
    private let kept: Mutex<KeptKeySet?>
    private let failure: KeyStoreError?
    private let failsToSave: Bool
    private let count = Mutex(0)

    init(_ kept: KeptKeySet? = nil, failure: KeyStoreError? = nil, failsToSave: Bool = false) {
        self.failsToSave = failsToSave
        self.kept = Mutex(kept)
        self.failure = failure
    }

    var content: KeptKeySet? { kept.withLock { $0 } }
    var saves: Int { count.withLock { $0 } }

    func load(_ issuer: String) async throws(KeyStoreError) -> KeptKeySet? {
        if let failure { throw failure }
        return content
    }

    func save(_ new: KeptKeySet) async throws(KeyStoreError) {
        count.withLock { $0 += 1 }
        if let failure { throw failure }
        if failsToSave { throw KeyStoreError("there is no room") }
        kept.withLock { $0 = new }
    }
}

/// Keys stored by an earlier process.
@Suite struct ColdStartTests {
    private let issuer = TestIssuer(
        provider: Provider(name: "example", issuers: ["https://issuer.example"], keySetURL: CacheBench.address)
    )

    private func kept(age: Double, lifetime: Duration? = .seconds(3600)) -> KeptKeySet {
        KeptKeySet(
            issuer: "https://issuer.example",
            url: CacheBench.address,
            fetchedAt: issuer.clock.now - age,
            lifetime: lifetime,
            keySet: Array(issuer.keySet.text.utf8)
        )
    }

    /// Returns the verdict on a valid token while the provider is down, and the events.
    private func outcome(
        _ store: MemoryStore,
        _ mode: CacheMode = .service
    ) async throws -> (verdict: String, events: [String]) {
        let seen = Mutex<[String]>([])
        let bench = try CacheBench(
            store: store,
            observers: [
                KeyCacheObserver { event in
                    seen.withLock { $0.append("\(event.kind)" + (event.detail.map { ": \($0)" } ?? "")) }
                }
            ]
        )
        bench.transport.answer(CacheBench.address, with: .failure(.connection))
        var verdict = ""
        await bench.run(mode) { verdict = await bench.verdict(bench.issuer.token()) }
        return (verdict, seen.withLock { $0 })
    }

    @Test(.rule("T-166"), arguments: [0.0, 3599, 3600, 89_999], CacheMode.allCases)
    func `stored keys are used while the provider is down, up to the stale limit`(age: Double, mode: CacheMode)
        async throws
    {
        let outcome = try await outcome(MemoryStore(kept(age: age)), mode)
        #expect(outcome.verdict == "verified")
        #expect(outcome.events.first == "restored")
    }

    @Test(
        .rule("T-166"),
        arguments: [(90_000.0, "too old"), (1e10, "too old"), (-1, "future"), (-1e10, "future")],
        CacheMode.allCases
    )
    func `stored keys that are too old or dated in the future are not used`(
        kept: (age: Double, reason: String),
        mode: CacheMode
    ) async throws {
        let (age, reason) = kept
        let outcome = try await outcome(MemoryStore(self.kept(age: age)), mode)
        #expect(outcome.verdict == "keys-unavailable")
        #expect(outcome.events.first?.hasPrefix("not-restored: ") == true)
        #expect(outcome.events.first?.contains(reason) == true)
    }

    @Test(.rule("T-183")) func `stored keys of another issuer or another URL, or without keys, are not used`()
        async throws
    {
        var other = kept(age: 0)
        other.issuer = "https://issuer.example/"
        #expect(try await outcome(MemoryStore(other)).verdict == "keys-unavailable")
        var moved = kept(age: 0)
        moved.url = "https://evil.example/keys"
        #expect(try await outcome(MemoryStore(moved)).verdict == "keys-unavailable")
        var empty = kept(age: 0)
        empty.keySet = Array(#"{"keys":[]}"#.utf8)
        #expect(try await outcome(MemoryStore(empty)).verdict == "keys-unavailable")
        var rotten = kept(age: 0)
        rotten.keySet.removeLast()
        #expect(try await outcome(MemoryStore(rotten)).verdict == "keys-unavailable")
    }

    @Test(arguments: CacheMode.allCases)
    func `fresh stored keys are used without a request`(mode: CacheMode) async throws {
        let bench = try CacheBench(store: MemoryStore(kept(age: 100)))
        await bench.run(mode) {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
        }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `the service uses stale stored keys at once and renews them in the background`() async throws {
        let store = MemoryStore(kept(age: 4000))
        let bench = try CacheBench(store: store)
        bench.transport.shut()
        let fresh = bench.cache.events()
        await bench.cache.running {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            await bench.transport.requests(atLeast: 1)
            bench.transport.open()
            for await event in fresh where event.kind == .freshAgain { break }
            #expect(bench.cache.status(of: "https://issuer.example")?.isStale == false)
        }
    }

    @Test func `a call without the service waits for the renewal of stale stored keys`() async throws {
        let bench = try CacheBench(store: MemoryStore(kept(age: 4000)))
        let rotated = TestIssuer(provider: issuer.provider, clock: bench.issuer.clock, key: .another)
        bench.transport.answer(CacheBench.address, with: .json(rotated.keySet))
        // Its key has been withdrawn.
        #expect(await bench.verdict(bench.issuer.token()) == "key-not-found")
        #expect(await bench.verdict(rotated.token()) == "verified")
    }

    @Test(.rule("T-162"), arguments: CacheMode.allCases)
    func `a key that is missing in the stored keys is fetched`(mode: CacheMode) async throws {
        let bench = try CacheBench(store: MemoryStore(kept(age: 100)))
        let rotated = TestIssuer(provider: issuer.provider, clock: bench.issuer.clock, key: .another)
        bench.transport.answer(CacheBench.address, with: .json(rotated.keySet))
        await bench.run(mode) {
            #expect(await bench.verdict(rotated.token()) == "verified")
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `a fetched key set is stored byte for byte, and a failed response is not`() async throws {
        let store = MemoryStore()
        let bench = try CacheBench(store: store)
        await bench.cache.running {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            bench.transport.answer(CacheBench.address, with: .json(["keys": []]))
            #expect(await bench.verdict(bench.unknown("x")) == "keys-unavailable")
        }
        #expect(store.saves == 1)
        #expect(store.content == kept(age: 0))
    }

    @Test func `a key set fetched by a call is stored, even if the store is slow`() async throws {
        let store = SlowStore()
        let bench = try CacheBench(store: store)
        #expect(await bench.verdict(bench.issuer.token()) == "verified")
        await store.saving()
        // The task that fetched is still saving; the next fetch does not wait for it.
        #expect(await bench.verdict(bench.unknown("x")) == "key-not-found")
        store.open()
        try await eventually("it is kept") { !store.saved.isEmpty }
        #expect(store.saved.first?.keySet == Array(issuer.keySet.text.utf8))
    }

    @Test func `a failing store is reported, and verification continues`() async throws {
        let seen = Mutex<[KeyCacheEvent.Kind]>([])
        let bench = try CacheBench(
            store: MemoryStore(failure: KeyStoreError("the disk is on fire")),
            observers: [KeyCacheObserver { event in seen.withLock { $0.append(event.kind) } }]
        )
        await bench.cache.running {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
        }
        let told = seen.withLock { $0.filter { $0 != .inUse } }
        #expect(told == [.notRestored, .fetched, .keyAppeared, .notKept])
    }

    @Test(.rule("T-168")) func `a second run does not restore a key that the first run saw withdrawn`() async throws {
        // The store has the old key, and fails to save the new one.
        let store = MemoryStore(kept(age: 3000), failsToSave: true)
        let bench = try CacheBench(store: store)
        let rotated = TestIssuer(provider: issuer.provider, clock: bench.issuer.clock, key: .another)
        bench.transport.answer(CacheBench.address, with: .json(rotated.keySet))
        await bench.cache.running {
            #expect(await bench.verdict(rotated.token()) == "verified")
            #expect(await bench.verdict(bench.issuer.token()) == "key-not-found")
        }
        bench.transport.shut()
        await bench.cache.running {
            #expect(await bench.verdict(rotated.token()) == "verified")
            #expect(await bench.verdict(bench.issuer.token()) != "verified")
        }
    }

    @Test func `of key sets fetched while another is being stored the last one is stored`() async throws {
        let store = SlowStore()
        let bench = try CacheBench(store: store)
        let rotated = TestIssuer(provider: issuer.provider, clock: bench.issuer.clock, key: .another)
        await bench.cache.running {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            await store.saving()
            bench.transport.answer(CacheBench.address, with: .json(rotated.keySet))
            #expect(await bench.verdict(rotated.token()) == "verified")
            store.open()
        }
        #expect(store.saved.map(\.keySet) == [issuer.keySet, rotated.keySet].map { Array($0.text.utf8) })
    }

    @Test func `a store that does not respond does not delay the request to the provider`() async throws {
        let store = SlowStore(holdsLoads: true)
        let bench = try CacheBench(store: store)
        try await bench.cache.running {
            async let verdict = bench.verdict(bench.issuer.token())
            try await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(5))
            #expect(await verdict == "verified")
            store.open()
        }
    }
}

/// A store whose calls wait until it is opened.
private final class SlowStore: KeyStore {
    private struct State {
        var isOpen = false
        var saved: [KeptKeySet] = []
        var held: [CheckedContinuation<Void, Never>] = []
        var isSaving = false
    }

    private let state = Mutex(State())
    private let holdsLoads: Bool

    init(holdsLoads: Bool = false) {
        self.holdsLoads = holdsLoads
    }

    var saved: [KeptKeySet] { state.withLock(\.saved) }

    func open() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isOpen = true
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until a save begins.
    func saving() async {
        while !state.withLock(\.isSaving) { await Task.yield() }
    }

    func load(_ issuer: String) async throws(KeyStoreError) -> KeptKeySet? {
        if holdsLoads { await wait() }
        return nil
    }

    func save(_ kept: KeptKeySet) async throws(KeyStoreError) {
        state.withLock { $0.isSaving = true }
        await wait()
        state.withLock { $0.saved.append(kept) }
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
