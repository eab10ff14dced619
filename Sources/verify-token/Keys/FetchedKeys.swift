// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import Foundation
internal import LoginKeys
internal import LoginServer
internal import LoginTokens
internal import Synchronization

/// A key source that fetches keys when they are first needed, and stores them between runs if a folder is given for
/// that.
final class FetchedKeys: ReportingKeySource {
    private let cache: KeyCache
    private let issuer: String
    private let authoritiesFile: String?
    private let shelf: KeyShelf?
    private let progress: Progress
    private let need = AsyncStream.makeStream(of: Void.self)
    private let isNeeded = Mutex(false)

    /// Creates a key source.
    ///
    /// Fetches nothing yet.
    ///
    /// - Parameters:
    ///   - provider: The provider whose keys are used.
    ///   - options: The options for fetching.
    /// - Throws: `ValidationError` for a usage error.
    init(of provider: Provider, by options: KeyOptions) throws(ValidationError) {
        issuer = provider.issuers.first ?? ""
        authoritiesFile = options.fetching.authoritiesFile
        shelf = options.keysCache.map { KeyShelf(KeyDirectory(path: $0), trust: options.trust) }
        let progress = Progress()
        self.progress = progress
        do throws(KeyCacheError) {
            cache = try KeyCache(
                providers: [provider],
                transport: options.fetching.transport,
                configuration: options.fetching.cacheConfiguration,
                store: shelf,
                observers: [KeyCacheObserver { progress.note($0) }]
            )
        } catch {
            throw ValidationError("\(error)")
        }
    }

    var origin: KeyOrigin? {
        guard let status = cache.status(of: issuer), status.keys != nil else { return nil }
        return KeyOrigin(
            place: progress.wasFetched ? .fetched : .kept,
            url: status.keySetURL.map { $0.origin + String($0.target.prefix { $0 != "?" }) },
            age: status.age.map { Int($0.components.seconds) },
            lifetime: status.lifetime.map { Int($0.components.seconds) },
            staleBecause: status.isStale ? status.lastFailure?.description ?? "they could not be refreshed" : nil
        )
    }

    var mayHaveOthersLater: Bool { true }

    /// The age up to which keys fetched in this run are not fetched again: 5 seconds, longer than one verification
    /// takes.
    ///
    /// A run that verifies many tokens may notice a key rotation that much later. The cache limits how often it
    /// fetches.
    private static let newness: Duration = .seconds(5)

    /// Runs the body.
    ///
    /// The cache's service runs from when keys are first needed until the body ends.
    ///
    /// A token that is refused earlier costs no request, and no request outlives the body.
    func serving<Success>(_ body: () async -> Success) async -> Success {
        let result = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in self.need.stream { return await self.cache.serve() }
            }
            let result = await body()
            group.cancelAll()
            return result
        }
        await shelf?.keepForNextRun()
        return result
    }

    /// Starts the cache's service, once.
    private func begin() {
        isNeeded.withLock { isNeeded in
            guard !isNeeded else { return }
            isNeeded = true
            cache.begin()
            need.continuation.yield()
        }
    }

    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot {
        do {
            if let authoritiesFile { try openFile(authoritiesFile).close() }
            try await shelf?.check()
        } catch {
            throw VerificationUnavailable(detail: "\(error)")
        }
        let events = cache.events()
        begin()
        let snapshot = try await asked { () async throws(VerificationUnavailable) in
            try await cache.snapshot(for: issuer)
        }
        // A server renews stale keys in the background. This process ends soon, so it waits for one attempt.
        guard cache.status(of: issuer)?.isStale == true else { return snapshot }
        for await event in events where [.fetched, .fetchFailed].contains(event.kind) { break }
        return try await cache.snapshot(for: issuer)
    }

    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        if progress.wasFetched, let age = cache.status(of: issuer)?.age, age < Self.newness {
            return try await cache.snapshot(for: issuer)
        }
        return try await asked { () async throws(VerificationUnavailable) in
            try await cache.refreshed(for: issuer, unknownKeyID: unknownKeyID)
        }
    }

    /// Runs a call to the cache, and replaces the detail of its error.
    ///
    /// The cache's own detail names the time of the next attempt, which this process does not make.
    private func asked(
        _ body: () async throws(VerificationUnavailable) -> KeySnapshot
    ) async throws(VerificationUnavailable) -> KeySnapshot {
        do throws(VerificationUnavailable) {
            return try await body()
        } catch {
            guard let status = cache.status(of: issuer), let failure = status.lastFailure else { throw error }
            let lack =
                status.isUsable
                ? "the key is not among the cached keys, which could not be refreshed" : "no keys available"
            throw VerificationUnavailable(error.code, detail: "\(lack): \(failure)")
        }
    }
}

/// The events of the key cache in this run.
private final class Progress: Sendable {
    private let fetched = Mutex(false)

    var wasFetched: Bool { fetched.withLock { $0 } }

    func note(_ event: KeyCacheEvent) {
        switch event.kind {
        case .fetched: fetched.withLock { $0 = true }
        case .notRestored: FileHandle.warn("the cached keys are not used: \(event.detail ?? "")")
        default: break
        }
    }
}

/// A store in the folder of `--keys-cache` that writes only at the end of the work.
///
/// Cancelling the cache's service therefore cannot interrupt a write.
private final class KeyShelf: KeyStore {
    private let directory: KeyDirectory
    private let trust: String
    private let latest = Mutex<KeptKeySet?>(nil)

    /// Creates a store.
    ///
    /// Stored keys are loaded only by runs with the same trust settings. Keys fetched under a test certificate, or from
    /// another URL on the issuer's host, therefore do not reach other runs.
    ///
    /// - Parameters:
    ///   - directory: The folder for the keys.
    ///   - trust: A fingerprint of the non-default trust settings; see ``FetchOptions/trust(keySetURL:)``.
    init(_ directory: KeyDirectory, trust: String) {
        self.directory = directory
        self.trust = trust
    }

    /// Checks whether the folder can be trusted.
    func check() async throws(KeyStoreError) {
        try await directory.check()
    }

    func load(_ issuer: String) async throws(KeyStoreError) -> KeptKeySet? {
        var kept = try await directory.load(issuer + trust)
        kept?.issuer = issuer
        return kept
    }

    func save(_ kept: KeptKeySet) async throws(KeyStoreError) {
        latest.withLock { $0 = kept }
    }

    func keepForNextRun() async {
        guard var kept = latest.withLock({ $0 }) else { return }
        kept.issuer += trust
        do throws(KeyStoreError) {
            try await directory.save(kept)
        } catch {
            FileHandle.warn("the keys were not cached: \(error)")
        }
    }
}
#endif
