// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Dispatch
import LoginKeys
import LoginTesting
import LoginText
import LoginTokens
import Synchronization
import TestSupport
import Testing

/// The worker of a cache during a test.
enum CacheMode: CaseIterable, Sendable {
    /// The service runs.
    case service
    /// No service runs: calls start background tasks.
    case onDemand
}

/// A cache with a stub transport, and a clock that a test advances.
struct CacheBench {
    static let address = "https://issuer.example/keys"

    let issuer = TestIssuer(
        provider: Provider(name: "example", issuers: ["https://issuer.example"], keySetURL: address)
    )
    let transport = StubTransport()
    let clock = ManualContinuousClock()
    let cache: KeyCache
    let verifier: TokenVerifier

    init(
        configuration: KeyCacheConfiguration = KeyCacheConfiguration(),
        store: (any KeyStore)? = nil,
        observers: [KeyCacheObserver] = [],
        remembersTokens: Bool = false
    ) throws {
        transport.answer(Self.address, with: .json(issuer.keySet, maxAge: 3600))
        cache = try KeyCache(
            providers: [issuer.provider],
            transport: transport,
            configuration: configuration,
            store: store,
            observers: observers,
            clock: clock,
            wallClock: issuer.clock
        )
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        verifier = TokenVerifier(
            policy: policy,
            keys: cache,
            clock: issuer.clock,
            cache: remembersTokens ? VerifiedTokenCache() : nil
        )
    }

    /// Returns the code of the refusal or of the missing decision; `verified` for a valid token.
    func verdict(_ text: String) async -> String {
        do throws(VerificationError) {
            _ = try await verifier.verify(text, nonce: .mustBeAbsent)
            return "verified"
        } catch {
            return error.code.rawValue
        }
    }

    /// Runs a test with the cache in this mode.
    func run<Failure>(_ mode: CacheMode, _ body: () async throws(Failure) -> Void) async throws(Failure) {
        switch mode {
        case .service: try await cache.running(body)
        case .onDemand: try await body()
        }
    }

    func unknown(_ keyID: String) -> String {
        issuer.token { $0.header["kid"] = .string(keyID) }
    }
}

@Suite(.timeLimit(.minutes(10))) struct KeyCacheTests {
    @Test(.rule("T-160"), arguments: CacheMode.allCases)
    func `a thousand concurrent verifications with an empty cache cause one request`(mode: CacheMode) async throws {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        bench.transport.shut()
        await bench.run(mode) {
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<1000 { group.addTask { await bench.verdict(token) } }
                await bench.transport.requests(atLeast: 1)
                bench.transport.open()
                for await verdict in group { #expect(verdict == "verified") }
            }
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.rule("T-161", "T-174"), arguments: CacheMode.allCases)
    func `ten thousand tokens with unknown keys cause one further request per cooldown`(mode: CacheMode) async throws {
        let bench = try CacheBench()
        await bench.run(mode) {
            // No signature is verified, so one token with different headers is enough.
            let parts = bench.issuer.token().split(separator: ".").map(String.init)
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            for cooldown in 1...4 {
                for number in 0..<2_500 {
                    let header = #"{"alg":"RS256","kid":"k\#(cooldown)-\#(number)"}"#
                    let token = ([Base64URL.encode(Array(header.utf8))] + parts.dropFirst()).joined(separator: ".")
                    let code = await bench.verdict(token)
                    guard code == (number == 0 ? "key-not-found" : "keys-unavailable") else {
                        Issue.record("the verdict is \(code)")
                        return
                    }
                }
                #expect(bench.transport.requests.count == 1 + cooldown)
                #expect(bench.cache.statuses.allSatisfy { $0.isUsable && $0.lastFailure == nil })
                bench.clock.advance(by: .seconds(30))
            }
        }
    }

    @Test(.rule("T-162", "T-168"), arguments: CacheMode.allCases)
    func `a key rotation causes one request, and the old key is no longer accepted`(mode: CacheMode) async throws {
        let bench = try CacheBench()
        let rotated = TestIssuer(provider: bench.issuer.provider, clock: bench.issuer.clock, key: .another)
        await bench.run(mode) {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            bench.transport.answer(CacheBench.address, with: .json(rotated.keySet))
            #expect(await bench.verdict(rotated.token()) == "verified")
            #expect(bench.transport.requests.count == 2)
            #expect(await bench.verdict(bench.issuer.token()) == "key-not-found")
            #expect(await bench.verdict(rotated.token()) == "verified")
            #expect(bench.transport.requests.count == 2)
        }
    }

    /// Returns the issuer's other key under the ID of its first.
    private static func namesake(of issuer: TestIssuer) -> TestJSON {
        var key = TestKey.another.json
        key["kid"] = .string(issuer.key.keyID)
        return ["keys": [key]]
    }

    @Test(.rule("T-162", "T-168", "T-177"))
    func `a key that replaces another under the same key ID causes one request`()
        async throws
    {
        let bench = try CacheBench(remembersTokens: true)
        let (old, new) = (bench.issuer.token(), bench.issuer.token { $0.signing = .key(.another) })
        await bench.cache.running {
            for _ in 1...2 { #expect(await bench.verdict(old) == "verified") }
            #expect(await bench.verdict(new) == "signature")
            #expect(bench.transport.requests.count == 2)
            bench.transport.answer(CacheBench.address, with: .json(Self.namesake(of: bench.issuer)))
            bench.clock.advance(by: .seconds(30))
            #expect(await bench.verdict(new) == "verified")
            #expect(bench.transport.requests.count == 3)
            // The token was verified before, and is in the cache of verified tokens.
            #expect(await bench.verdict(old) == "signature")
            #expect(await bench.verdict(new) == "verified")
            #expect(bench.transport.requests.count == 3)
        }
    }

    @Test(.rule("T-161"), arguments: CacheMode.allCases)
    func `forged signatures and unknown keys together cause one request per cooldown`(mode: CacheMode) async throws {
        let bench = try CacheBench()
        let forged = bench.issuer.token { $0.signing = .key(.another) }
        await bench.run(mode) {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            for cooldown in 1...3 {
                await withTaskGroup(of: String.self) { group in
                    for _ in 0..<500 { group.addTask { await bench.verdict(forged) } }
                    for await verdict in group { #expect(verdict == "signature") }
                }
                #expect(await bench.verdict(bench.unknown("k-\(cooldown)")) == "keys-unavailable")
                #expect(bench.transport.requests.count == 1 + cooldown)
                bench.clock.advance(by: .seconds(30))
            }
        }
    }

    @Test(.rule("T-163", "T-173"), arguments: CacheMode.allCases)
    func `forged signatures are refused without a request and without waiting while the provider is down`(
        mode: CacheMode
    ) async throws {
        let bench = try CacheBench()
        let (good, forged) = (bench.issuer.token(), bench.issuer.token { $0.signing = .key(.another) })
        await bench.run(mode) {
            #expect(await bench.verdict(good) == "verified")
            bench.transport.answer(CacheBench.address, with: .failure(.connection))
            #expect(await bench.verdict(forged) == "signature")
            #expect(bench.transport.requests.count == 2)
            for _ in 0..<100 { #expect(await bench.verdict(forged) == "signature") }
            #expect(await bench.verdict(good) == "verified")
            #expect(bench.transport.requests.count == 2)
        }
    }

    @Test(.rule("T-171"), arguments: CacheMode.allCases)
    func `a cancelled caller does not cancel the fetch for others`(mode: CacheMode) async throws {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        bench.transport.shut()
        await bench.run(mode) {
            await withTaskGroup(of: String.self) { group in
                let impatient = Task { await bench.verdict(token) }
                await bench.transport.requests(atLeast: 1)
                group.addTask { await bench.verdict(token) }
                impatient.cancel()
                #expect(await impatient.value == "keys-unavailable")
                bench.transport.open()
                for await verdict in group { #expect(verdict == "verified") }
            }
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test(.rule("T-173")) func `no verification with a known key suspends while a refresh hangs`() async throws {
        let bench = try CacheBench()
        let token = bench.issuer.token()
        try await bench.cache.running {
            #expect(await bench.verdict(token) == "verified")
            bench.transport.shut()
            try await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(3000))
            await bench.transport.requests(atLeast: 2)
            // The transport is shut, so a verification that waited for it would never return. The counting executor
            // shows that no verification was suspended either.
            let executor = CountingExecutor()
            let jobs = await Task(executorPreference: executor) {
                let before = executor.jobs
                for _ in 0..<100 {
                    guard await bench.verdict(token) == "verified" else { return -1 }
                }
                return executor.jobs - before
            }.value
            #expect(jobs == 0)
            bench.transport.open()
        }
    }

    @Test(.rule("T-105")) func `an unknown issuer causes no request, and an unavailable issuer does not affect others`()
        async throws
    {
        let one = Provider(name: "one", issuers: ["https://one.example"], keySetURL: "https://one.example/keys")
        let two = Provider(name: "two", issuers: ["https://two.example"], keySetURL: "https://two.example/keys")
        let transport = StubTransport()
        let other = TestIssuer(provider: two)
        transport.answer("https://two.example/keys", with: .json(other.keySet))
        let cache = try KeyCache(providers: [one, two], transport: transport, clock: ManualContinuousClock())
        try await cache.running {
            let keys = try await cache.snapshot(for: "https://two.example")
            #expect(keys.keys(of: "https://two.example") != nil)
            await #expect(throws: VerificationUnavailable.self) { try await cache.snapshot(for: "https://one.example") }
            let asked = transport.requests.map(\.url.description).sorted()
            #expect(asked == ["https://one.example/keys", "https://two.example/keys"])
            await #expect(throws: VerificationUnavailable.self) {
                try await cache.snapshot(for: "https://three.example")
            }
            await #expect(throws: VerificationUnavailable.self) {
                try await cache.refreshed(for: "https://three.example", unknownKeyID: "x")
            }
            #expect(transport.requests.count == 2)
            // The keys of one issuer are not used for another, even under the same ID.
            #expect(keys.keys(of: "https://one.example") == nil)
        }
    }

    @Test func `a hanging transport delays no verification, and its late response is ignored`()
        async throws
    {
        let bench = try CacheBench()
        let late = TestIssuer(provider: bench.issuer.provider, clock: bench.issuer.clock, key: .another)
        bench.transport.shut(againstCancellation: true)
        try await bench.cache.running {
            async let verdict = bench.verdict(bench.issuer.token())
            await bench.transport.requests(atLeast: 1)
            try await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(6))
            #expect(await verdict == "keys-unavailable")
            bench.clock.advance(by: .seconds(1))
            await bench.transport.requests(atLeast: 2)
            bench.transport.answer(CacheBench.address, with: .json(late.keySet))
            bench.transport.open()
            #expect(await bench.verdict(late.token()) == "verified")
        }
    }

    @Test(arguments: CacheMode.allCases)
    func `events arrive in order, at observers and in streams`(mode: CacheMode) async throws {
        let seen = Mutex<[KeyCacheEvent.Kind]>([])
        let bench = try CacheBench(observers: [KeyCacheObserver { event in seen.withLock { $0.append(event.kind) } }])
        let stream = bench.cache.events()
        await bench.run(mode) {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            var streamed: [KeyCacheEvent.Kind] = []
            for await event in stream {
                #expect(event.provider == "example")
                streamed.append(event.kind)
                if streamed.count == 2 { break }
            }
            #expect(streamed == [.fetched, .keyAppeared])
            #expect(seen.withLock { $0.starts(with: streamed) })
        }
    }

    @Test(arguments: CacheMode.allCases)
    func `the status lists the keys, and the reason for missing ones`(mode: CacheMode) async throws {
        let bench = try CacheBench()
        #expect(bench.cache.status(of: "https://issuer.example")?.keys == nil)
        #expect(bench.cache.status(of: "https://other.example") == nil)
        try await bench.run(mode) {
            #expect(await bench.verdict(bench.issuer.token()) == "verified")
            bench.transport.answer(CacheBench.address, with: .failure(.deadline))
            #expect(await bench.verdict(bench.unknown("x")) == "keys-unavailable")
            let status = try #require(bench.cache.status(of: "https://issuer.example"))
            #expect(status.keys?.keys.count == 1)
            #expect(status.keySetURL?.description == CacheBench.address)
            #expect(status.lifetime == .seconds(3600))
            #expect(status.isUsable && !status.isStale)
            #expect(status.lastFailure?.code == .transport(.deadline))
        }
    }

    @Test(arguments: [
        ([Provider(name: "a", issuers: ["https://a.example"], keySetURL: "http://a.example/keys")], "http"),
        ([.openID(issuers: ["https://a.example?x"])], "query"),
        ([.openID(issuers: ["a.example"])], "https://"),
        ([.openID(issuers: [])], "no issuer"),
        ([.facebook, .facebook], "the same name"),
        (
            [.openID(issuers: ["https://a.example"]), Provider(name: "b", issuers: ["https://a.example"])],
            "the same issuer"
        ),
    ])
    func `an invalid configuration creates no cache`(providers: [Provider], reason: String) {
        let error = #expect(throws: KeyCacheError.self) {
            try KeyCache(providers: providers, transport: StubTransport())
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}

/// An executor that runs jobs one after another and counts them; each resumption of a suspended task is a job.
final class CountingExecutor: TaskExecutor {
    private let count = Mutex(0)
    private let queue = DispatchQueue(label: "counting")

    var jobs: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        count.withLock { $0 += 1 }
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
