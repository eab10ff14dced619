// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The keys of one provider: does what ``KeyCacheState`` decides, and wakes the waiting verifications.
final class ProviderKeys: Sendable {
    let provider: Provider

    private let fetcher: KeySetFetcher
    private let store: (any KeyStore)?
    private let announce: @Sendable (KeyCacheEvent) -> Void

    private let state: Mutex<KeyCacheState>
    /// Held while a change is made and announced, so that events come in order.
    ///
    /// Verifications never take it.
    private let changes = Mutex(())
    private let unsaved = Mutex(Unsaved())
    private let fetchEnded = Signal()
    private let workerIsNeeded = Signal()

    init(
        _ provider: Provider,
        fetcher: KeySetFetcher,
        store: (any KeyStore)?,
        announce: @escaping @Sendable (KeyCacheEvent) -> Void
    ) {
        self.provider = provider
        self.fetcher = fetcher
        self.store = store
        self.announce = announce
        self.state = Mutex(KeyCacheState(provider: provider, configuration: fetcher.configuration))
    }

    private var timekeeper: Timekeeper { fetcher.timekeeper }

    // MARK: For verifications

    /// The keys at hand; waits only where there are none.
    func snapshot() async throws(KeysUnavailable) -> KeySnapshot {
        try await answer { state, now, waited in state.answer(at: now, after: waited) }
    }

    /// The keys after a look for one that was not among them.
    func refreshed(unknownKeyID: String?) async throws(KeysUnavailable) -> KeySnapshot {
        try await answer { state, now, waited in state.answer(lookingFor: unknownKeyID, at: now, after: waited) }
    }

    /// Asks, waits if told so, and asks again; twice at most, and no longer than two fetches may take.
    private func answer(
        _ ask: (inout KeyCacheState, Duration, KeyCacheState.Wait?) -> KeyCacheState.Answer
    ) async throws(KeysUnavailable) -> KeySnapshot {
        var waited: KeyCacheState.Wait?
        var end: Duration?
        while true {
            let now = timekeeper.now()
            let (answer, seen, hasPlace, startsTask) = state.withLock { state in
                let answer = ask(&state, now, waited)
                let startsTask = state.startBackgroundTask(at: now)
                guard case .wait = answer else { return (answer, 0, false, startsTask) }
                return (answer, fetchEnded.count, state.beginWaiting(), startsTask)
            }
            if startsTask { runBackgroundTask() }
            switch answer {
            case .keys(let snapshot): return snapshot
            case .unavailable(let reason): throw reason
            case .wait where !hasPlace: waited = .limit
            case .wait(let wait):
                defer { state.withLock { $0.endWaiting() } }
                if case .look = wait { workerIsNeeded.raise() }
                let limit = end ?? now + (fetcher.configuration.fetchDeadline + KeyCacheState.grace) * 2
                end = limit
                waited = await fetchEnded.wait(after: seen, until: limit, timekeeper) ? wait : .limit
            }
        }
    }

    /// What is known of the keys now.
    func status() -> KeyCacheStatus {
        let now = timekeeper.now()
        return state.withLock { KeyCacheStatus($0, provider: provider.name, at: now) }
    }

    // MARK: For operators

    func reconfigure(_ times: KeyCacheTimes) {
        let now = timekeeper.now()
        state.withLock { $0.reconfigure(times, at: now) }
        workerIsNeeded.raise()
    }

    func refresh() -> KeyRefresh {
        let now = timekeeper.now()
        let (outcome, startsTask) = state.withLock { state in
            (state.refresh(at: now), state.startBackgroundTask(at: now))
        }
        if outcome == .begun { workerIsNeeded.raise() }
        if startsTask { runBackgroundTask() }
        return KeyRefresh(provider: provider.name, outcome: outcome)
    }

    // MARK: Workers

    /// Begins the service, which ``run()`` runs: from now on calls start no background task.
    func beginService() {
        state.withLock { $0.beginService() }
    }

    /// Keeps the keys fresh until the task is cancelled.
    func run() async {
        await work(as: .service)
    }

    /// Runs the background task that a call has started.
    ///
    /// Beside the renewal of `ProviderDiscovery` it is the only unstructured task of the package: a fetch serves every call that waits for it, so it must not be cancelled
    /// with the call that needed it first. The task ends by itself, because a fetch is cancelled when its deadline has passed,
    /// and it does not retain the cache.
    private func runBackgroundTask() {
        Task {
            await work(as: .backgroundTask)
            await save()
        }
    }

    /// Does what the state says, until the task is cancelled or the state says that it ends.
    private func work(as worker: KeyCacheState.Worker) async {
        await withDiscardingTaskGroup { group in
            steps: while !Task.isCancelled {
                let seen = workerIsNeeded.count
                switch nextStep(for: worker) {
                // Each in a child task: what does not end does not hold up the steps.
                case .restore: group.addTask { await self.restore() }
                case .fetch(let fetch):
                    group.addTask {
                        await self.perform(fetch)
                        if worker == .service { await self.save() }
                    }
                case .sleep(let end): _ = await workerIsNeeded.wait(after: seen, until: end, timekeeper)
                case .end: break steps
                }
            }
            // What is still under way was given up, or its service has ended.
            group.cancelAll()
            guard worker == .service else {
                // A service that has begun meanwhile takes over.
                workerIsNeeded.raise()
                return
            }
            // Before the children have ended: whoever waits for them does not have to.
            state.withLock { state in
                state.endService()
                fetchEnded.advance()
            }
            fetchEnded.wake()
        }
    }

    private func nextStep(for worker: KeyCacheState.Worker) -> KeyCacheState.Step {
        let now = timekeeper.now()
        let jitter = Double.random(in: 0..<1)
        return changes.withLock { _ in
            let (step, events) = state.withLock { state in
                let next = state.nextStep(for: worker, at: now, jitter: jitter)
                // A fetch that was given up has ended for those who wait for it.
                if next.events.contains(where: { $0.kind == .fetchFailed }) { fetchEnded.advance() }
                return next
            }
            for event in events { announce(event) }
            fetchEnded.wake()
            return step
        }
    }

    private func perform(_ fetch: KeyCacheState.Fetch) async {
        let result: Result<FetchedKeySet, KeyFetchFailure>?
        do throws(KeyFetchFailure) {
            result = .success(try await fetcher.fetch(from: fetch.url))
        } catch {
            result = Task.isCancelled ? nil : .failure(error)
        }
        let now = timekeeper.now()
        let jitter = Double.random(in: 0..<1)
        let isCurrent = changes.withLock { _ in
            let events = state.withLock { state in
                let events = state.end(fetch, with: result, at: now, jitter: jitter)
                // Nobody waits for a fetch that was given up; whoever waits for one that was stopped is told with its service.
                if events != nil { fetchEnded.advance() }
                return events
            }
            for event in events ?? [] { announce(event) }
            return events != nil
        }
        if isCurrent, case .success(let fetched) = result { keep(fetched) }
        fetchEnded.wake()
        workerIsNeeded.raise()
    }

    // MARK: What outlives the process

    private var issuer: String { provider.issuers.first ?? "" }

    /// Notes the keys for ``save()``.
    private func keep(_ fetched: FetchedKeySet) {
        guard store != nil else { return }
        let kept = KeptKeySet(
            issuer: issuer,
            url: fetched.url.description,
            fetchedAt: fetcher.wallClock.now,
            lifetime: fetched.lifetime,
            keySet: fetched.document
        )
        unsaved.withLock { $0.put(kept) }
    }

    /// Stores the keys, one set after another: of several the last, however long the store takes.
    private func save() async {
        guard let store, unsaved.withLock({ $0.begin() }) else { return }
        while let next = unsaved.withLock({ $0.next() }) {
            do throws(KeyStoreError) {
                try await store.save(next)
            } catch {
                announce(.notKept, error.description)
            }
        }
    }

    /// Takes up what an earlier process kept, where it is of this provider and not too old.
    private func restore() async {
        defer {
            state.withLock { $0.endRestoring() }
            workerIsNeeded.raise()
        }
        guard let store else { return }
        do throws(KeyStoreError) {
            guard let kept = try await store.load(issuer) else { return }
            let age = fetcher.wallClock.now.timeIntervalSince(kept.fetchedAt)
            let fetched = try restored(from: kept)
            // Where a clock was set back, nobody knows how old the keys are.
            guard age >= 0, age < Limits.numericDate.upperBound else {
                throw KeyStoreError("it is dated in the future")
            }
            let now = timekeeper.now()
            let isInUse = changes.withLock { _ in
                let events = state.withLock { state in
                    let events = state.restore(fetched, age: .seconds(age), at: now)
                    if events?.isEmpty == false { fetchEnded.advance() }
                    return events
                }
                for event in events ?? [] { announce(event) }
                return events != nil
            }
            guard isInUse else { throw KeyStoreError("it is too old: \(Int(age)) s") }
            fetchEnded.wake()
        } catch {
            announce(.notRestored, error.description)
        }
    }

    private func restored(from kept: KeptKeySet) throws(KeyStoreError) -> FetchedKeySet {
        let configuration = fetcher.configuration
        guard isEqual(kept.issuer, issuer) else { throw KeyStoreError("it is of another issuer") }
        guard let url = try? EndpointURL(kept.url, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP),
            fetcher.source.mayHaveKeys(at: url, configuration)
        else { throw KeyStoreError("it was kept from another address than the provider has now") }
        do throws(KeyFetchFailure) {
            return FetchedKeySet(
                keys: try KeySetFetcher.keys(in: kept.keySet, configuration),
                document: kept.keySet,
                lifetime: kept.lifetime,
                url: url,
                wasDiscovered: false
            )
        } catch {
            throw KeyStoreError(error.description)
        }
    }

    private func announce(_ kind: KeyCacheEvent.Kind, _ detail: String) {
        var event = KeyCacheEvent(kind, of: provider.name)
        event.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
        changes.withLock { _ in announce(event) }
    }
}

/// The keys that are to be stored, and whether a task is storing keys.
private struct Unsaved {
    private var latest: KeptKeySet?
    private var isSaving = false

    /// Replaces keys that no task has begun to store.
    mutating func put(_ kept: KeptKeySet) { latest = kept }

    /// Whether the caller is to store the keys; otherwise another task does, or there are none.
    mutating func begin() -> Bool {
        guard latest != nil, !isSaving else { return false }
        isSaving = true
        return true
    }

    /// What to store next; nil ends what ``begin()`` began.
    mutating func next() -> KeptKeySet? {
        defer { latest = nil }
        isSaving = latest != nil
        return latest
    }
}
