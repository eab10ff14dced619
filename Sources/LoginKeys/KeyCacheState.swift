// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// The state of one provider's keys and all decisions about them, without a clock, I/O or waiting.
///
/// A verification asks for an ``Instruction`` (``instruction(at:after:)``, ``instruction(lookingFor:at:after:)``): to use
/// the keys, to give up, or to wait for a fetch. A ``Worker`` asks for its next step (``nextStep(for:at:jitter:)``), and
/// reports the result of each fetch (``end(_:with:at:jitter:)``). It is the service or, if none runs, the background
/// task that a verification starts (``startBackgroundTask(at:)``). Times are relative to any fixed moment.
struct KeyCacheState: Sendable {
    /// Keys that were fetched or restored.
    struct Keys: Sendable {
        let set: JSONWebKeySet
        let snapshot: KeySnapshot
        /// The URL of the key set; nil if it is a file.
        let url: EndpointURL?
        let fetchedAt: Duration
        /// The lifetime that the provider states; nil if it states none.
        let stated: Duration?
        /// The stated lifetime, clamped to the configured bounds.
        var lifetime: Duration
    }

    /// The progress of loading the stored keys.
    ///
    /// Nothing is fetched until they are loaded, or the deadline has passed.
    private enum Restoring: Hashable {
        case notStarted
        case underWay(limit: Duration)
        case done
    }

    private enum Condition { case missing, fresh, stale, expired }

    private let provider: Provider
    private var configuration: KeyCacheConfiguration

    private(set) var keys: Keys?
    private(set) var lastFailure: KeyFetchFailure?
    private var restoring = Restoring.notStarted
    private var announced = Condition.missing

    private var isServiceRunning = false
    private var isBackgroundTaskRunning = false
    /// The earliest time at which a call starts a background task.
    private var nextBackgroundTask: Duration = .zero

    /// The fetch in progress.
    private var fetch: Fetch?
    /// The number of consecutive failed fetches.
    private var failures = 0
    private var lastNumber = 0
    private var lastStart: Duration?
    private var lastSuccess = 0
    /// The number of abandoned fetches that the transport has not ended.
    private var abandoned = 0
    private var nextAttempt: Duration = .zero
    private var nextNotice: Duration = .zero

    /// Whether a lookup of an unknown key is due.
    private var isLookupDue = false
    /// The earliest time of the next lookup of an unknown key.
    private var nextLookup: Duration = .zero
    /// Whether a fetch has succeeded since the last lookup began.
    private var isLookupAnswered = false
    private var absent = AbsentKeyIDs()
    /// The IDs of the keys that the last change of the key set has removed.
    private var withdrawn: Set<String> = []

    private var discovered: (url: EndpointURL, at: Duration)?
    private var waiting = 0

    init(provider: Provider, configuration: KeyCacheConfiguration) {
        self.provider = provider
        self.configuration = configuration
    }
}

// MARK: Verifications

extension KeyCacheState {
    /// Returns the instruction for a verification that has not seen the keys yet.
    ///
    /// It does not wait while keys are fresh, or stale because they could not be renewed (T-173).
    func instruction(at now: Duration, after waited: Wait? = nil) -> Instruction {
        let condition = condition(at: now)
        guard let keys, condition != .expired else {
            guard waited == nil, isFetchExpected(at: now) else { return .unavailable(unavailability(at: now)) }
            return .wait(.anyFetch)
        }
        // There is no sign of an outage, so a withdrawn key must not stay in use beyond its lifetime.
        if condition == .stale, isRenewalUntried, waited != .limit, isFetchExpected(at: now) { return .wait(.anyFetch) }
        return .keys(keys.snapshot)
    }

    /// Whether nothing has tried to renew the keys before the end of their lifetime.
    private var isRenewalUntried: Bool { !isServiceRunning && failures == 0 }

    /// Returns whether a fetch is in progress, or begins as soon as a worker asks for its next step.
    private func isFetchExpected(at now: Duration) -> Bool {
        restoring != .done || fetch != nil || (now >= nextAttempt && mayFetch)
    }

    /// Returns the instruction for a verification whose token has an unknown key ID.
    ///
    /// `keyID` is nil for a token whose signature is not valid with any key that it may refer to.
    ///
    /// A lookup of the key is allowed once per cooldown, independent of the last renewal, so that a rotation right
    /// after it is noticed (T-162, T-164) and clients cannot cause more fetches (T-161). After a failure only the
    /// backoff determines the next attempt (T-163).
    ///
    /// A token is refused only if a fetch has shown that the issuer lacks its key, or has withdrawn it. Otherwise the key
    /// may be a new one, whether its lookup failed or the cooldown forbids one now.
    mutating func instruction(lookingFor keyID: String?, at now: Duration, after waited: Wait? = nil) -> Instruction {
        guard let keys, condition(at: now) != .expired else { return instruction(at: now, after: waited) }
        if keys.set.hasKey(keyID) { return .keys(keys.snapshot) }
        guard failures == 0, waited != .limit else { return .unavailable(unavailability(at: now)) }
        if case .lookup(let number) = waited {
            guard lastSuccess >= number else { return .unavailable(unavailability(at: now)) }
            // Without a key ID, there is nothing to remember as absent.
            if let keyID { absent.insert(keyID) }
            return .keys(keys.snapshot)
        }
        if let keyID, isKnownAbsent(keyID, at: now) { return .keys(keys.snapshot) }
        // After a wait, a fetch in progress began after the verification did.
        if let fetch { return .wait(waited == nil ? .anyFetch : .lookup(fetch.number)) }
        guard isLookupDue || now >= nextLookup else {
            // A token without a key ID has been compared with all keys that it may refer to.
            guard let keyID, !withdrawn.contains(keyID) else { return .keys(keys.snapshot) }
            return .unavailable(postponement(at: now))
        }
        guard mayFetch else { return .unavailable(unavailability(at: now)) }
        if !isLookupDue { beginLookup(at: now) }
        return .wait(.lookup(lastNumber + 1))
    }

    /// Returns whether the last lookup or an earlier one has shown that a key is absent, and the next is forbidden.
    ///
    /// When a lookup is allowed, the issuer may have published the key meanwhile.
    private func isKnownAbsent(_ keyID: String, at now: Duration) -> Bool {
        isLookupAnswered && now < nextLookup && absent.contains(keyID)
    }

    private mutating func beginLookup(at now: Duration) {
        isLookupDue = true
        isLookupAnswered = false
        nextLookup = now + configuration.cooldown
        nextBackgroundTask = now
    }

    /// Starts a background task if something is due and neither a service nor another task performs it.
    ///
    /// - Returns: Whether the caller has to run it.
    mutating func startBackgroundTask(at now: Duration) -> Bool {
        guard !isServiceRunning, !isBackgroundTaskRunning, now >= nextBackgroundTask else { return false }
        isBackgroundTaskRunning = true
        return true
    }

    /// Counts a waiting verification, unless their maximum number is reached.
    ///
    /// - Returns: Whether it was counted. The caller then has to call ``endWaiting()``.
    mutating func beginWaiting() -> Bool {
        guard waiting < Limits.waitingVerifications else { return false }
        waiting += 1
        return true
    }

    mutating func endWaiting() { waiting -= 1 }

    /// Returns whether there are usable keys, fresh or stale.
    func mayUseKeys(at now: Duration) -> Bool { [.fresh, .stale].contains(condition(at: now)) }

    /// Returns the reason why a token with an unknown key ID cannot be decided before the next lookup.
    private func postponement(at now: Duration) -> VerificationUnavailable {
        let wait = nextLookup - now
        let detail =
            "the key is not among those of \(quoted(provider.name)); it can be looked up in \(wait.wholeSeconds + 1) s"
        return VerificationUnavailable(detail: detail, retryAfter: wait)
    }

    private func unavailability(at now: Duration) -> VerificationUnavailable {
        let code: VerificationCode = lastFailure?.isOfDiscovery == true ? .discovery : .keysUnavailable
        var words: [String]
        switch (keys, condition(at: now)) {
        case (let keys?, .expired):
            words = [
                "the keys of \(quoted(provider.name)) are \((now - keys.fetchedAt).wholeSeconds) s old and expired"
            ]
        case (.some, _):
            words = ["the key is not among those of \(quoted(provider.name)), which could not be refreshed"]
        case (nil, _): words = ["no keys for \(quoted(provider.name))"]
        }
        if let lastFailure { words.append("\(lastFailure)") }
        if fetch == nil, nextAttempt > now {
            words.append("next attempt in \((nextAttempt - now).wholeSeconds + 1) s")
        }
        return VerificationUnavailable(code, detail: words.joined(separator: "; "))
    }
}

// MARK: Workers

extension KeyCacheState {
    /// Returns the next step of a worker.
    ///
    /// - Parameters:
    ///   - worker: The worker.
    ///   - now: The current time.
    ///   - jitter: A random number from 0 up to 1, which spreads the requests of many servers.
    /// - Returns: The step, and the events to announce.
    mutating func nextStep(
        for worker: Worker,
        at now: Duration,
        jitter: Double
    ) -> (step: Step, events: [KeyCacheEvent]) {
        switch worker {
        case .service where isBackgroundTaskRunning:
            // The background task was started before the service began. Its end wakes the service.
            return (.sleep(until: now + Self.noticeInterval), [])
        case .service: return nextStep(at: now, jitter: jitter)
        case .backgroundTask:
            let (step, events) = nextStep(at: now, jitter: jitter)
            guard case .sleep(let end) = step, restoring == .done, fetch == nil else { return (step, events) }
            isBackgroundTaskRunning = false
            nextBackgroundTask = end
            return (.end, events)
        }
    }

    private mutating func nextStep(at now: Duration, jitter: Double) -> (step: Step, events: [KeyCacheEvent]) {
        var events = announcements(at: now)
        switch restoring {
        case .notStarted:
            restoring = .underWay(limit: now + configuration.fetchDeadline)
            return (.restore, events)
        case .underWay(let limit):
            guard now >= limit else { return (.sleep(until: limit), events) }
            restoring = .done
        case .done: break
        }
        if let fetch {
            let limit = fetch.startedAt + configuration.fetchDeadline + Self.grace
            guard now >= limit else { return (.sleep(until: min(limit, nextChange(after: now))), events) }
            // The transport did not enforce its deadline. Its result is ignored (T-172).
            abandoned += 1
            self.fetch = nil
            let failure = TransportFailure(.deadline, "the transport did not finish in time")
            events += fail(KeyFetchFailure(failure, of: .keySet), at: now, jitter: jitter)
        }
        guard mayFetch else { return (.sleep(until: nextChange(after: now)), events) }
        guard isLookupDue || now >= nextAttempt else {
            return (.sleep(until: min(nextAttempt, nextChange(after: now))), events)
        }
        isLookupDue = false
        lastNumber += 1
        lastStart = now
        if let at = discovered?.at, now - at >= Self.discoveryLifetime { discovered = nil }
        let next = Fetch(number: lastNumber, startedAt: now, url: discovered?.url)
        fetch = next
        return (.fetch(next), events)
    }

    /// Records the end of a fetch.
    ///
    /// - Parameters:
    ///   - ended: The fetch.
    ///   - result: The keys or the failure; nil if the worker was cancelled, which is no failure of the provider.
    ///   - now: The current time.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: The events to announce; nil if the worker was cancelled, or if the fetch was abandoned, whose result
    ///   is ignored (T-172).
    mutating func end(
        _ ended: Fetch,
        with result: Result<FetchedKeySet, KeyFetchFailure>?,
        at now: Duration,
        jitter: Double
    ) -> [KeyCacheEvent]? {
        guard ended == fetch else {
            abandoned -= 1
            // Another fetch may begin now.
            nextBackgroundTask = now
            return nil
        }
        fetch = nil
        switch result {
        case nil: return nil
        case .failure(let failure):
            // A failed, empty or unreadable response replaces nothing (T-167).
            return announcements(at: now) + fail(failure, at: now, jitter: jitter)
        case .success(let fetched):
            lastSuccess = ended.number
            if fetched.wasDiscovered, let url = fetched.url { discovered = (url, ended.startedAt) }
            return succeed(fetched, at: now, jitter: jitter)
        }
    }

    /// Restores the keys that an earlier process stored, with their age (T-166).
    ///
    /// Keys that this process has fetched are newer, and are not replaced.
    ///
    /// - Returns: The events to announce; nil if the keys are too old.
    mutating func restore(
        _ fetched: FetchedKeySet,
        age: Duration,
        at now: Duration
    ) -> [KeyCacheEvent]? {
        let lifetime = configuration.clamped(fetched.lifetime)
        restoring = .done
        guard keys == nil else { return [] }
        guard age >= .zero, age < lifetime + configuration.staleLimit else { return nil }
        var events = replaceKeys(with: fetched, fetchedAt: now - age)
        nextAttempt = now - age + lifetime * 0.75
        events.insert(event(.restored, at: now), at: 0)
        return events + announcements(at: now)
    }

    /// Records that the stored keys are loaded, or that there are none.
    mutating func endRestoring() { restoring = .done }

    /// Records the beginning of the service, which waits for the end of a running background task.
    mutating func beginService() { isServiceRunning = true }

    /// Records the end of the service.
    ///
    /// From now on calls start background tasks again.
    mutating func endService() {
        isServiceRunning = false
        nextBackgroundTask = .zero
        guard !isBackgroundTaskRunning, fetch != nil else { return }
        abandoned += 1
        fetch = nil
    }
}

// MARK: Operators

extension KeyCacheState {
    /// Applies other times, to the current keys too.
    mutating func reconfigure(_ times: KeyCacheTimes, at now: Duration) {
        configuration.times = times
        nextBackgroundTask = now
        nextLookup = min(nextLookup, now + times.cooldown)
        guard let keys else { return }
        let lifetime = configuration.clamped(keys.stated)
        self.keys?.lifetime = lifetime
        // After a failure, the backoff determines the next attempt.
        if failures == 0 { nextAttempt = keys.fetchedAt + lifetime * 0.75 }
    }

    /// Makes a fetch due, also after a failure, but at most one per cooldown (T-186).
    mutating func refresh(at now: Duration) -> KeyRefresh.Outcome {
        guard mayFetch else { return .unavailable }
        if fetch != nil || isLookupDue { return .underWay }
        let earliest = max(nextLookup, lastStart.map { $0 + configuration.cooldown } ?? nextLookup)
        guard now >= earliest else { return .tooSoon(wait: earliest - now) }
        beginLookup(at: now)
        return .begun
    }
}

// MARK: Transitions

extension KeyCacheState {
    /// The time after its deadline at which a fetch is abandoned, if the transport has not ended it.
    static let grace: Duration = .seconds(1)

    /// The time for which a discovered `jwks_uri` is used before the discovery document is fetched again.
    static let discoveryLifetime: Duration = .seconds(86_400)

    /// The number of unended abandoned fetches at which no further fetch begins.
    private static let abandonedFetches = 2

    private static let noticeInterval: Duration = .seconds(60)

    private var mayFetch: Bool { abandoned < Self.abandonedFetches }

    private mutating func fail(_ failure: KeyFetchFailure, at now: Duration, jitter: Double) -> [KeyCacheEvent] {
        failures += 1
        lastFailure = failure
        // The `jwks_uri` may have changed.
        discovered = nil
        let doubled = configuration.retry.lowerBound * Double(1 << min(failures - 1, 30))
        nextAttempt = now + min(doubled, configuration.retry.upperBound) * (1 - jitter / 2)
        // A server that starts during an outage reports it once, as one whose keys expire does.
        let isFirst = keys == nil && failures == 1
        return [event(.fetchFailed, at: now)] + (isFirst ? [event(.noKeys, at: now)] : [])
    }

    private mutating func succeed(_ fetched: FetchedKeySet, at now: Duration, jitter: Double) -> [KeyCacheEvent] {
        let wasInTrouble = failures > 0 || announced == .stale || announced == .expired
        let lifetime = configuration.clamped(fetched.lifetime)
        failures = 0
        lastFailure = nil
        isLookupAnswered = true
        let changes = replaceKeys(with: fetched, fetchedAt: now)
        if !changes.isEmpty {
            absent.removeAll()
            withdrawn = Set(changes.filter { $0.kind == .keyVanished }.compactMap(\.keyID))
        }
        // A renewal ahead of the end of the lifetime detects a slow or unavailable provider while the keys are fresh
        // (T-173).
        nextAttempt = now + lifetime * (0.8 - 0.1 * jitter)
        announced = .fresh
        return [event(.fetched, at: now)] + changes + (wasInTrouble ? [event(.freshAgain, at: now)] : [])
    }

    /// Replaces all keys, so that a withdrawn key is no longer used (T-168).
    private mutating func replaceKeys(with fetched: FetchedKeySet, fetchedAt: Duration) -> [KeyCacheEvent] {
        let old = keys?.set
        keys = Keys(
            set: fetched.keys,
            snapshot: KeySnapshot(provider: provider, keys: fetched.keys),
            url: fetched.url,
            fetchedAt: fetchedAt,
            stated: fetched.lifetime,
            lifetime: configuration.clamped(fetched.lifetime)
        )
        return changes(from: old, to: fetched.keys)
    }

    /// Returns the events for keys that appeared, vanished, or became unusable; each is announced once.
    private func changes(from old: JSONWebKeySet?, to new: JSONWebKeySet) -> [KeyCacheEvent] {
        let known = Set(old?.keys.map(\.thumbprint) ?? [])
        let present = Set(new.keys.map(\.thumbprint))
        let skippedBefore = Set(old?.unusableKeys.map(\.description) ?? [])
        let appeared = new.keys.filter { !known.contains($0.thumbprint) }
        let vanished = (old?.keys ?? []).filter { !present.contains($0.thumbprint) }
        let skipped = new.unusableKeys.filter { !skippedBefore.contains($0.description) }
        return appeared.map { event(.keyAppeared, keyID: $0.keyID) }
            + vanished.map { event(.keyVanished, keyID: $0.keyID) }
            + skipped.map { event(.keySkipped, keyID: $0.keyID, detail: $0.description) }
    }

    private func condition(at now: Duration) -> Condition {
        guard let keys else { return .missing }
        let age = now - keys.fetchedAt
        if age < keys.lifetime { return .fresh }
        return age < keys.lifetime + configuration.staleLimit ? .stale : .expired
    }

    /// Returns an event when keys have become stale or expired and cannot be renewed, and one per minute with the age
    /// of the keys.
    private mutating func announcements(at now: Duration) -> [KeyCacheEvent] {
        var events: [KeyCacheEvent] = []
        let condition = condition(at: now)
        let isTooOld = condition == .stale || condition == .expired
        if condition != announced, !(isTooOld && isRenewalUntried) {
            announced = condition
            if condition == .stale { events.append(event(.servingStale, at: now)) }
            if condition == .expired { events.append(event(.keysExpired, at: now)) }
        }
        if mayUseKeys(at: now), now >= nextNotice {
            nextNotice = now + Self.noticeInterval
            events.append(event(.inUse, at: now))
        }
        return events
    }

    /// Returns the time of the next change that happens without a fetch or a call.
    private func nextChange(after now: Duration) -> Duration {
        guard let keys else { return now + Self.noticeInterval }
        let stale = keys.fetchedAt + keys.lifetime
        return ([nextNotice, stale, stale + configuration.staleLimit].filter { $0 > now }).min()
            ?? now + Self.noticeInterval
    }

    private func event(_ kind: KeyCacheEvent.Kind, at now: Duration) -> KeyCacheEvent {
        var event = KeyCacheEvent(kind, of: provider.name)
        event.age = keys.map { now - $0.fetchedAt }
        if [.fetchFailed, .noKeys, .servingStale, .keysExpired].contains(kind) { event.failure = lastFailure }
        return event
    }

    private func event(_ kind: KeyCacheEvent.Kind, keyID: String?, detail: String? = nil) -> KeyCacheEvent {
        var event = KeyCacheEvent(kind, of: provider.name)
        event.keyID = keyID
        event.detail = detail
        return event
    }
}

extension JSONWebKeySet {
    /// Returns whether a key, usable or not, has this ID; false for nil.
    fileprivate func hasKey(_ keyID: String?) -> Bool {
        guard let keyID else { return false }
        let isIt = { (other: String?) in other.map { isEqual($0, keyID) } ?? false }
        return keys.contains { isIt($0.keyID) } || unusableKeys.contains { isIt($0.keyID) }
    }
}

extension Duration {
    /// The duration in seconds, truncated to a whole number.
    fileprivate var wholeSeconds: Int64 { components.seconds }
}
