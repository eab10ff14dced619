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

/// The keys of one provider: does what ``KeyCacheState`` decides, and wakes who waits.
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
    private let loopIsNeeded = Signal()

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
            let (answer, seen, hasPlace) = state.withLock { state in
                let answer = ask(&state, now, waited)
                guard case .wait = answer else { return (answer, 0, false) }
                return (answer, fetchEnded.count, state.beginWaiting())
            }
            switch answer {
            case .keys(let snapshot): return snapshot
            case .unavailable(let reason): throw reason
            case .wait where !hasPlace: waited = .limit
            case .wait(let wait):
                defer { state.withLock { $0.endWaiting() } }
                if case .look = wait { loopIsNeeded.raise() }
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
        loopIsNeeded.raise()
    }

    func refresh() -> KeyRefresh {
        let now = timekeeper.now()
        let outcome = state.withLock { $0.refresh(at: now) }
        if outcome == .begun { loopIsNeeded.raise() }
        return KeyRefresh(provider: provider.name, outcome: outcome)
    }

    // MARK: The loop

    /// Restores what was kept, then keeps the keys fresh until the task is cancelled.
    func run() async {
        let now = timekeeper.now()
        state.withLock { $0.begin(at: now) }
        await withDiscardingTaskGroup { group in
            // A child of its own, like each fetch below: what does not end does not hold up the loop.
            group.addTask { await self.restore() }
            while !Task.isCancelled {
                let seen = loopIsNeeded.count
                switch nextStep() {
                case .fetch(let fetch):
                    group.addTask { await self.perform(fetch) }
                case .sleep(let end):
                    _ = await loopIsNeeded.wait(after: seen, until: end, timekeeper)
                }
            }
            group.cancelAll()
            // Before the children have ended: whoever waits for them does not have to.
            state.withLock { state in
                state.stop()
                fetchEnded.advance()
            }
            fetchEnded.wake()
        }
    }

    private func nextStep() -> KeyCacheState.Step {
        let now = timekeeper.now()
        let jitter = Double.random(in: 0..<1)
        return changes.withLock { _ in
            let (step, events) = state.withLock { state in
                let next = state.nextStep(at: now, jitter: jitter)
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
        let result: Result<FetchedKeySet, KeyFetchFailure>
        do throws(KeyFetchFailure) {
            result = .success(try await fetcher.fetch(from: fetch.url))
        } catch {
            result = .failure(error)
        }
        // Whoever is told to stop learns nothing about the provider from it.
        if case .failure = result, Task.isCancelled { return }
        let now = timekeeper.now()
        let jitter = Double.random(in: 0..<1)
        let isCurrent = changes.withLock { _ in
            let events = state.withLock { state in
                let events = state.end(fetch, with: result, at: now, jitter: jitter)
                // One that had been given up is not the fetch that anybody waits for.
                if events != nil { fetchEnded.advance() }
                return events
            }
            for event in events ?? [] { announce(event) }
            return events != nil
        }
        fetchEnded.wake()
        loopIsNeeded.raise()
        if isCurrent, case .success(let fetched) = result { await keep(fetched) }
    }

    // MARK: What outlives the process

    private var issuer: String { provider.issuers.first ?? "" }

    /// Keeps the keys, one set after another: of several the last, however long the store takes.
    private func keep(_ fetched: FetchedKeySet) async {
        guard let store else { return }
        let kept = KeptKeySet(
            issuer: issuer,
            url: fetched.url.description,
            fetchedAt: fetcher.wallClock.now,
            lifetime: fetched.lifetime,
            keySet: fetched.document
        )
        guard unsaved.withLock({ $0.begin(kept) }) else { return }
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
            state.withLock { $0.start() }
            loopIsNeeded.raise()
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
                    // At once, so that whoever finds these keys can also have others looked for.
                    state.start()
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

/// The keys that are to be kept, and whether somebody is at it.
private struct Unsaved {
    private var latest: KeptKeySet?
    private var isSaving = false

    /// Puts keys in the place of those that nobody has begun to keep.
    ///
    /// - Returns: Whether whoever brought them is to keep them; otherwise somebody who is at it does.
    mutating func begin(_ kept: KeptKeySet) -> Bool {
        latest = kept
        defer { isSaving = true }
        return !isSaving
    }

    /// What to keep next; with nil whoever was at it is so no more.
    mutating func next() -> KeptKeySet? {
        defer { latest = nil }
        isSaving = latest != nil
        return latest
    }
}
