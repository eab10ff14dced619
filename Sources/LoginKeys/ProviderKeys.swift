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

/// The keys of one provider: executes the decisions of ``KeyCacheState``, and wakes waiting verifications.
final class ProviderKeys: Sendable {
    let provider: Provider

    private let fetcher: KeySetFetcher
    private let store: (any KeyStore)?
    private let announce: @Sendable (KeyCacheEvent) -> Void

    private let state: Mutex<KeyCacheState>
    /// The lock held while a change is made and announced, which keeps events in order.
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

    // MARK: Verifications

    /// Returns the cached keys, and waits if there are none, or if they are past their lifetime and nothing has tried
    /// to renew them.
    func snapshot() async throws(VerificationUnavailable) -> KeySnapshot {
        try await snapshot { state, now, waited in state.instruction(at: now, after: waited) }
    }

    /// Returns the keys after a lookup of a key that was not among them.
    func refreshed(unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot {
        try await snapshot { state, now, waited in state.instruction(lookingFor: unknownKeyID, at: now, after: waited) }
    }

    /// Asks the state for an instruction, waits if instructed, and asks again.
    ///
    /// It waits at most twice, and no longer than two fetches may take.
    private func snapshot(
        _ ask: (inout KeyCacheState, Duration, KeyCacheState.Wait?) -> KeyCacheState.Instruction
    ) async throws(VerificationUnavailable) -> KeySnapshot {
        var waited: KeyCacheState.Wait?
        var end: Duration?
        while true {
            let now = timekeeper.now()
            let (instruction, seen, hasPlace, startsTask) = state.withLock { state in
                let instruction = ask(&state, now, waited)
                let startsTask = state.startBackgroundTask(at: now)
                guard case .wait = instruction else { return (instruction, 0, false, startsTask) }
                return (instruction, fetchEnded.count, state.beginWaiting(), startsTask)
            }
            if startsTask { runBackgroundTask() }
            switch instruction {
            case .keys(let snapshot): return snapshot
            case .unavailable(let reason): throw reason
            case .wait where !hasPlace: waited = .limit
            case .wait(let wait):
                defer { state.withLock { $0.endWaiting() } }
                if case .lookup = wait { workerIsNeeded.raise() }
                let limit = end ?? now + (fetcher.configuration.fetchDeadline + KeyCacheState.grace) * 2
                end = limit
                waited = await fetchEnded.wait(after: seen, until: limit, timekeeper) ? wait : .limit
            }
        }
    }

    /// Returns the current status of the keys.
    func status() -> KeyCacheStatus {
        let now = timekeeper.now()
        return state.withLock { KeyCacheStatus($0, provider: provider.name, at: now) }
    }

    // MARK: Operators

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

    /// Begins the service, which ``run()`` runs.
    ///
    /// From now on calls start no background task.
    func beginService() {
        state.withLock { $0.beginService() }
    }

    /// Keeps the keys fresh until the task is cancelled.
    func run() async {
        await work(as: .service)
    }

    /// Runs the background task that a call has started.
    ///
    /// A fetch serves all waiting calls, so it must not be cancelled with the call that started it. The task ends by
    /// itself, because a fetch is cancelled when its deadline has passed, and it does not retain the cache.
    private func runBackgroundTask() {
        Task {
            await work(as: .backgroundTask)
            await save()
        }
    }

    /// Performs the steps of the state, until the task is cancelled or the state instructs it to end.
    private func work(as worker: KeyCacheState.Worker) async {
        await withDiscardingTaskGroup { group in
            steps: while !Task.isCancelled {
                let seen = workerIsNeeded.count
                switch nextStep(for: worker) {
                // Each runs in a child task, so that a hanging one does not delay the next steps.
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
            // The remaining fetches were abandoned, or their service has ended.
            group.cancelAll()
            guard worker == .service else {
                // A service that has begun in the meantime takes over.
                workerIsNeeded.raise()
                return
            }
            // Waiting verifications are woken before the child tasks have ended.
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
                // An abandoned fetch has ended for the verifications that wait for it.
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
                // No verification waits for an abandoned fetch. Those that wait for a cancelled fetch are woken when
                // its service ends.
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

    // MARK: Persistence

    private var issuer: String { provider.issuers.first ?? "" }

    /// Queues the keys for ``save()``.
    private func keep(_ fetched: FetchedKeySet) {
        // A file needs no copy.
        guard store != nil, let url = fetched.url else { return }
        let kept = KeptKeySet(
            issuer: issuer,
            url: url.description,
            fetchedAt: fetcher.wallClock.now,
            lifetime: fetched.lifetime,
            keySet: fetched.document
        )
        unsaved.withLock { $0.put(kept) }
    }

    /// Stores the queued keys, one set after the other.
    ///
    /// While the store is busy, newer keys replace queued ones.
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

    /// Restores the keys that an earlier process stored, if they belong to this provider and are not too old.
    private func restore() async {
        defer {
            state.withLock { $0.endRestoring() }
            workerIsNeeded.raise()
        }
        guard let store, !fetcher.source.isFile else { return }
        do throws(KeyStoreError) {
            guard let kept = try await store.load(issuer) else { return }
            let age = fetcher.wallClock.now.timeIntervalSince(kept.fetchedAt)
            let fetched = try restored(from: kept)
            // If a clock was set back, the age of the keys is unknown.
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
        guard isEqual(kept.issuer, issuer) else { throw KeyStoreError("it belongs to another issuer") }
        guard let url = try? provider.endpoint(kept.url),
            fetcher.source.mayHaveKeys(at: url, configuration)
        else { throw KeyStoreError("it was fetched from another URL than the provider uses now") }
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

/// The queue of keys to store, and whether a task is storing keys.
private struct Unsaved {
    private var latest: KeptKeySet?
    private var isSaving = false

    /// Queues keys, in place of queued ones.
    mutating func put(_ kept: KeptKeySet) { latest = kept }

    /// Returns whether the caller has to store the keys; false if another task does, or if there are none.
    mutating func begin() -> Bool {
        guard latest != nil, !isSaving else { return false }
        isSaving = true
        return true
    }

    /// Returns the next keys to store; nil ends the task that ``begin()`` started.
    mutating func next() -> KeptKeySet? {
        defer { latest = nil }
        isSaving = latest != nil
        return latest
    }
}
