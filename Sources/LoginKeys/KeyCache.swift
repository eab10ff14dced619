// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

#if HTTPClient
public import ServiceLifecycle
#endif

/// A cache of the providers' signing keys, which renews them before they expire and keeps them during an outage.
///
/// ```swift
/// let keys = try KeyCache(providers: [.facebook, .google], transport: AsyncHTTPClientTransport())
/// let verifier = TokenVerifier(policy: policy, keys: keys)
/// ```
///
/// The first verification starts a fetch, and concurrent verifications wait for the same one. The fetch belongs to the
/// cache: it continues when the caller is cancelled, and ends with its deadline at the latest. Later verifications use
/// the cached keys. If a renewal is due, a verification starts it without waiting. If the keys are past their lifetime
/// because no verification came in time to renew them, it waits as the first one did.
///
/// A server runs the cache as a service (``run()``). The keys are then fetched before the first request and renewed
/// ahead of time, however rare requests are, so that in steady state no request waits.
///
/// With and without a service, a verification also waits for a fetch if the key of its token is unknown, or if the key
/// did not sign the token. Each provider gets at most one such fetch per cooldown, whatever tokens clients send. Each
/// provider has its own keys, times and failures, and none waits for another.
public final class KeyCache: KeySource {
    private let providers: [ProviderKeys]
    private let byIssuer: [String: ProviderKeys]
    private let listeners: Listeners
    private let isRunning = Mutex(false)

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - providers: The providers. Their `documents` tell where their keys come from: by default from discovery with the
    ///     first issuer.
    ///   - transport: The transport for requests to the providers.
    ///   - configuration: The configuration.
    ///   - store: The persistent store of keys; nil for none.
    ///   - observers: The observers of events.
    ///   - clock: The clock for lifetimes, deadlines and delays.
    ///   - wallClock: The clock for dates in responses and in the store.
    /// - Throws: ``KeyCacheError`` if a URL is not `https`, two providers have the same issuer or name, or a value of
    ///   the configuration is out of range.
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
            throw KeyCacheError("two providers have the same name, \(quoted(provider.name))")
        }
        let listeners = Listeners(observers)
        let timekeeper = Timekeeper(clock)
        var byIssuer: [String: ProviderKeys] = [:]
        var all: [ProviderKeys] = []
        for provider in providers {
            let fetcher = KeySetFetcher(
                source: try KeySetSource(provider),
                configuration: configuration,
                transport: transport,
                timekeeper: timekeeper,
                wallClock: wallClock
            )
            let keys = ProviderKeys(provider, fetcher: fetcher, store: store) { listeners.announce($0) }
            for issuer in provider.issuers where byIssuer.updateValue(keys, forKey: issuer) != nil {
                throw KeyCacheError("two providers have the same issuer, \(quoted(issuer))")
            }
            all.append(keys)
        }
        self.providers = all
        self.byIssuer = byIssuer
        self.listeners = listeners
    }

    /// Returns the keys of an issuer.
    ///
    /// It does not wait if the keys are fresh, or stale because they could not be renewed. Otherwise it waits for a
    /// fetch, if one is due or in progress.
    ///
    /// - Parameter issuer: An issuer of one of the cache's providers. For any other issuer, nothing is fetched.
    /// - Returns: Keys that include the issuer's.
    /// - Throws: `VerificationUnavailable` if there are no usable keys and none can be fetched now.
    public func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        try await keys(of: issuer).snapshot()
    }

    /// Returns the keys of an issuer, fetched again if the cooldown allows it.
    ///
    /// - Parameters:
    ///   - issuer: An issuer of one of the cache's providers.
    ///   - unknownKeyID: The key ID of a token whose key is not in the cache; nil if the token has none, or if the key
    ///     with its ID did not sign it.
    /// - Returns: Keys that include the issuer's. If the key is not among them, it is not a key of the issuer.
    /// - Throws: `VerificationUnavailable` if the keys cannot be fetched, or the cooldown forbids it now, so that it is
    ///   unknown whether the issuer has the key.
    public func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable)
        -> KeySnapshot
    {
        try await keys(of: issuer).refreshed(unknownKeyID: unknownKeyID)
    }

    private func keys(of issuer: String) throws(VerificationUnavailable) -> ProviderKeys {
        guard let keys = byIssuer[issuer] else {
            throw VerificationUnavailable(detail: "the key cache has no provider with the issuer \(quoted(issuer))")
        }
        return keys
    }
}

extension KeyCache {
    /// Checks that a provider can be one of a cache: that its keys have a URL from which they may be fetched, or are in a
    /// file.
    ///
    /// The files that the provider names are not read, because they can change. ``checkFiles(of:_:)`` reads them.
    ///
    /// - Parameter provider: The provider.
    /// - Throws: ``KeyCacheError`` with the reason, for example a URL with `http` that the provider does not allow.
    public static func check(_ provider: Provider) throws(KeyCacheError) { _ = try KeySetSource(provider) }

    /// Checks that the files that a provider names can be used now, at the start of a server.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - configuration: The configuration of the cache.
    /// - Throws: ``KeyFetchFailure`` with the reason, which a fetch would have.
    public static func checkFiles(
        of provider: Provider,
        _ configuration: KeyCacheConfiguration = KeyCacheConfiguration()
    ) throws(KeyFetchFailure) {
        if case .file(let path) = provider.documents.keySet { _ = try KeySetFetcher.read(path, configuration) }
        do throws(ProviderMetadataError) { _ = try provider.bearerToken() } catch {
            throw KeyFetchFailure(error, of: .keySet)
        }
    }
}

extension KeyCache {
    /// Fetches keys and renews them, until the task is cancelled or, in a `ServiceGroup`, the server shuts down.
    ///
    /// While it runs, verifications do not wait for fetches that can be done ahead of time, and ``statuses`` reports
    /// when the server is ready. Without it, verifications start the fetches that they need.
    ///
    /// - Precondition: The cache is not running already.
    public func run() async {
        begin()
        await serve()
    }

    /// Begins the service, which ``serve()`` runs.
    ///
    /// From now on verifications start no fetches themselves.
    package func begin() {
        let wasRunning = isRunning.withLock { isRunning in
            defer { isRunning = true }
            return isRunning
        }
        precondition(!wasRunning, "KeyCache.run() is already running")
        for provider in providers { provider.beginService() }
    }

    /// Runs the service that ``begin()`` has begun.
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
            // A service that ends by itself ends its group. Without providers, the service only waits.
            if providers.isEmpty { group.addTask { await Self.waitUntilCancelled() } }
        }
    }

    private static func waitUntilCancelled() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    /// Runs the cache as a service while a body runs, for commands and tests.
    ///
    /// - Parameter body: The body, which verifies tokens.
    /// - Returns: The result of the body.
    /// - Throws: The error of the body.
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

    /// Returns a stream of events from now on.
    ///
    /// - Returns: The stream. It buffers the last 256 events; a slower reader misses the oldest.
    public func events() -> AsyncStream<KeyCacheEvent> { listeners.stream() }

    /// Returns the status of an issuer's keys.
    ///
    /// - Parameter issuer: An issuer of one of the cache's providers.
    /// - Returns: The status; nil for another issuer.
    public func status(of issuer: String) -> KeyCacheStatus? { byIssuer[issuer]?.status() }

    /// The status of each provider's keys, in the order of the providers, for a readiness check.
    public var statuses: [KeyCacheStatus] { providers.map { $0.status() } }
}

extension KeyCache {
    /// Changes the times of the cache, at once and for the current keys too.
    ///
    /// Keys that are older than the new lifetime are fetched again. While a service runs the cache, they stay in use
    /// within the stale limit until then. Otherwise the next verification waits for the fetch.
    ///
    /// - Parameter times: The new times.
    /// - Throws: ``KeyCacheError`` if a time is out of range. Nothing is changed then.
    public func reconfigure(_ times: KeyCacheTimes) throws(KeyCacheError) {
        try times.validate()
        for provider in providers { provider.reconfigure(times) }
    }

    /// Starts a fetch of the keys of every provider, for an operator who knows that a key has changed.
    ///
    /// It does not wait for the fetches. Each provider gets at most one request per cooldown, however often this is
    /// called. After a failure it ignores the backoff, but not the cooldown.
    ///
    /// - Returns: The outcome for each provider, in the order of the providers.
    @discardableResult
    public func refresh() -> [KeyRefresh] { providers.map { $0.refresh() } }
}

#if HTTPClient
extension KeyCache: Service {}
#endif

/// The receivers of events: the observers, and the open streams.
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
