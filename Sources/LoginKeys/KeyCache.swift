// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

#if HTTPClient
public import ServiceLifecycle
#endif

/// Fetches the keys of providers, renews them before they expire, and keeps them through an outage.
///
/// ```swift
/// let keys = try KeyCache(providers: [.facebook, .google], transport: AsyncHTTPClientTransport())
/// let verifier = TokenVerifier(policy: policy, keys: keys)
/// ```
///
/// The first verification that needs keys starts a fetch, and all that need them meanwhile wait for the same one. The fetch
/// belongs to the cache: it goes on when the caller is cancelled, and its deadline ends it. Later verifications find keys at
/// hand. One that finds a renewal due starts it and does not wait for it; one that finds keys past their lifetime, because
/// none came in time, waits as the first did.
///
/// A server runs the cache as a service (``run()``). Keys are then ready before the first request and renewed ahead of time,
/// however seldom requests come, so that in steady state no request waits.
///
/// Either way verifications also wait for newer keys where a token's key is not at hand or did not sign it. For those the
/// provider is asked once in a cooldown, whatever strangers send. Each provider has its own keys, times and failures, and none
/// of them waits for another.
public final class KeyCache: KeySource {
    private let providers: [ProviderKeys]
    private let byIssuer: [String: ProviderKeys]
    private let listeners: Listeners
    private let isRunning = Mutex(false)

    /// Makes a cache.
    ///
    /// - Parameters:
    ///   - providers: Whose keys. They come from `Provider.keySetURL`, or where that is nil by discovery from
    ///     the first issuer.
    ///   - transport: Who asks them.
    ///   - configuration: How the cache behaves.
    ///   - store: Where keys are kept for the next process; nil for nowhere.
    ///   - observers: Who is told what happens.
    ///   - clock: Who says how much time has passed.
    ///   - wallClock: Who says what time of day it is, for dates in answers and in files.
    /// - Throws: ``KeyCacheError`` if an address is not `https`, two providers have one issuer or one name, or a number of the
    ///   configuration is out of its range.
    public init(
        providers: [Provider],
        transport: any HTTPTransport,
        configuration: KeyCacheConfiguration = KeyCacheConfiguration(),
        store: (any KeyStore)? = nil,
        observers: [KeyCacheObserver] = [],
        clock: any Clock<Duration> = ContinuousClock(),
        wallClock: any WallClock = .system
    ) throws(KeyCacheError) {
        try configuration.validate()
        for (index, provider) in providers.enumerated()
        where providers[..<index].contains(where: { $0.name == provider.name }) {
            throw KeyCacheError("two providers have one name, \(quoted(provider.name))")
        }
        let listeners = Listeners(observers)
        let timekeeper = Timekeeper(clock)
        var byIssuer: [String: ProviderKeys] = [:]
        var all: [ProviderKeys] = []
        for provider in providers {
            let fetcher = KeySetFetcher(
                source: try KeySetSource(provider, configuration),
                configuration: configuration,
                transport: transport,
                timekeeper: timekeeper,
                wallClock: wallClock
            )
            let keys = ProviderKeys(provider, fetcher: fetcher, store: store) { listeners.announce($0) }
            for issuer in provider.issuers where byIssuer.updateValue(keys, forKey: issuer) != nil {
                throw KeyCacheError("two providers have the issuer \(quoted(issuer))")
            }
            all.append(keys)
        }
        self.providers = all
        self.byIssuer = byIssuer
        self.listeners = listeners
    }

    /// The keys of an issuer, at once where there are any.
    ///
    /// - Parameter issuer: An issuer of one of the cache's providers. For any other no one is asked.
    /// - Returns: Keys that include the issuer's.
    /// - Throws: `KeysUnavailable` when there are none and none can be had now.
    public func snapshot(for issuer: String) async throws(KeysUnavailable) -> KeySnapshot {
        try await keys(of: issuer).snapshot()
    }

    /// Returns the keys of an issuer, fetched anew where the cooldown allows it.
    ///
    /// - Parameters:
    ///   - issuer: An issuer of one of the cache's providers.
    ///   - unknownKeyID: The key ID of a token whose key is not at hand; nil if the token has none, or the key with its ID did not
    ///     sign it.
    /// - Returns: Keys that include the issuer's. Where the key is not among them now, it is not the issuer's.
    /// - Throws: `KeysUnavailable` where the issuer cannot be asked, so that nobody knows.
    public func refreshed(for issuer: String, unknownKeyID: String?) async throws(KeysUnavailable) -> KeySnapshot {
        try await keys(of: issuer).refreshed(unknownKeyID: unknownKeyID)
    }

    private func keys(of issuer: String) throws(KeysUnavailable) -> ProviderKeys {
        guard let keys = byIssuer[issuer] else {
            throw KeysUnavailable(detail: "the key cache has no provider with the issuer \(quoted(issuer))")
        }
        return keys
    }
}

extension KeyCache {
    /// Fetches keys and keeps them fresh, until the task is cancelled or, in a `ServiceGroup`, the server shuts down.
    ///
    /// Without it verifications have keys fetched as they need them. With it no verification waits for what can be fetched
    /// ahead, and ``statuses`` says when the server is ready. Afterwards verifications have keys fetched again.
    ///
    /// - Precondition: The cache is not running already.
    public func run() async {
        begin()
        await serve()
    }

    /// Begins the service, which ``serve()`` runs: from now on verifications start no fetches themselves.
    package func begin() {
        let wasRunning = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return isRunning
        }
        precondition(!wasRunning, "KeyCache.run() is already running")
        for provider in providers { provider.beginService() }
    }

    /// Runs the service that has begun.
    package func serve() async {
        defer { isRunning.withLock { $0 = false } }
        #if HTTPClient
        await cancelWhenGracefulShutdown { await self.runAll() }
        #else
        await runAll()
        #endif
    }

    private func runAll() async {
        await withDiscardingTaskGroup { group in
            for provider in providers { group.addTask { await provider.run() } }
            // A service that ends by itself ends its group: without a provider there is nothing to do but to wait.
            if providers.isEmpty { group.addTask { await Self.waitUntilCancelled() } }
        }
    }

    private static func waitUntilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    /// Runs the cache as a service for as long as the body takes: for commands and tests.
    ///
    /// - Parameter body: What needs keys.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    @discardableResult
    public func running<Success, Failure>(
        _ body: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        begin()
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.serve() }
            let result: Result<Success, Failure>
            do throws(Failure) { result = .success(try await body()) } catch { result = .failure(error) }
            group.cancelAll()
            return result
        }
        return try result.get()
    }

    /// What happens to keys from now on.
    ///
    /// - Returns: A stream of events. Who reads too slowly misses the oldest, beyond the last 256.
    public func events() -> AsyncStream<KeyCacheEvent> { listeners.stream() }

    /// What is known of an issuer's keys now.
    ///
    /// - Parameter issuer: An issuer of one of the cache's providers.
    /// - Returns: The status; nil for another issuer.
    public func status(of issuer: String) -> KeyCacheStatus? { byIssuer[issuer]?.status() }

    /// What is known of each provider's keys now, in the order they were given: for a readiness check.
    public var statuses: [KeyCacheStatus] { providers.map { $0.status() } }
}

extension KeyCache {
    /// Changes the times of the cache, which count at once, for the keys at hand too.
    ///
    /// Keys that are older than the new lifetime are fetched anew. While a service runs the cache, they serve on meanwhile as the
    /// stale limit allows; otherwise the next verification waits for the fetch.
    ///
    /// - Parameter times: The new times.
    /// - Throws: ``KeyCacheError`` if one is out of its range; nothing is changed then.
    public func reconfigure(_ times: KeyCacheTimes) throws(KeyCacheError) {
        try times.validate()
        for provider in providers { provider.reconfigure(times) }
    }

    /// Has the keys of every provider fetched anew: for an operator who knows that one has changed.
    ///
    /// It does not wait for them. No provider is asked sooner than a cooldown after it was asked last, whoever calls this and how
    /// often; after a failure it is asked at once, if that was longer ago.
    ///
    /// - Returns: What happens now, for each provider in the order they were given.
    @discardableResult
    public func refresh() -> [KeyRefresh] { providers.map { $0.refresh() } }
}

#if HTTPClient
extension KeyCache: Service {}
#endif

/// Who is told what happens: the observers, and the streams that somebody reads.
private final class Listeners: Sendable {
    private let observers: [KeyCacheObserver]
    private let streams = Mutex<(next: Int, continuations: [Int: AsyncStream<KeyCacheEvent>.Continuation])>((0, [:]))

    init(_ observers: [KeyCacheObserver]) {
        self.observers = observers
    }

    func announce(_ event: KeyCacheEvent) {
        for observer in observers { observer.receive(event) }
        for continuation in streams.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    func stream() -> AsyncStream<KeyCacheEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: KeyCacheEvent.self,
            bufferingPolicy: .bufferingNewest(256)
        )
        let id = streams.withLock { streams in
            streams.next += 1
            streams.continuations[streams.next] = continuation
            return streams.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.streams.withLock { $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }
}
