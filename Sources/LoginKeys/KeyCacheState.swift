// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// What a cache knows of one provider's keys, and everything it decides: no clock, no I/O, no waiting.
///
/// A verification asks for keys (``answer(at:after:)``, ``answer(lookingFor:at:after:)``) and is told to use them, to give up,
/// or to wait for a fetch. A ``Worker`` asks for its next step (``nextStep(for:at:jitter:)``), and reports how each fetch ended
/// (``end(_:with:at:jitter:)``): the service, or where none runs the background task that a verification starts
/// (``startBackgroundTask(at:)``). Times count from any fixed moment.
struct KeyCacheState: Sendable {
    /// Keys that were fetched or restored.
    struct Keys: Sendable {
        let set: JSONWebKeySet
        let snapshot: KeySnapshot
        let url: EndpointURL
        let fetchedAt: Duration
        /// How long the provider says they are good for; nil if it does not.
        let stated: Duration?
        /// The same, within the bounds that count now.
        var lifetime: Duration
    }

    /// Whether the stored keys have been loaded.
    ///
    /// Until then, or until it has taken too long, nothing is fetched.
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

    /// The fetch that is under way, and how many ended so far without success, in a row.
    private var fetch: Fetch?
    private var failures = 0
    private var lastNumber = 0
    private var lastStart: Duration?
    private var lastSuccess = 0
    /// Fetches that were given up while their transport still holds them.
    private var abandoned = 0
    private var nextAttempt: Duration = .zero
    private var nextNotice: Duration = .zero

    /// Looks for unknown keys: whether one is due, and before when none may begin.
    private var isLookDue = false
    private var nextLook: Duration = .zero
    private var absent = AbsentKeyIDs()

    private var discovered: (url: EndpointURL, at: Duration)?
    private var waiting = 0

    init(provider: Provider, configuration: KeyCacheConfiguration) {
        self.provider = provider
        self.configuration = configuration
    }
}

// MARK: Asked by verifications

extension KeyCacheState {
    /// The keys, for a verification that has not looked at them yet.
    ///
    /// Nobody waits while keys are fresh, or stale because they could not be renewed (T-173).
    func answer(at now: Duration, after waited: Wait? = nil) -> Answer {
        let condition = condition(at: now)
        guard let keys, condition != .expired else {
            guard waited == nil, isFetchExpected(at: now) else { return .unavailable(unavailability(at: now)) }
            return .wait(.anyFetch)
        }
        // Nothing shows that the provider is down, so a key that it has withdrawn must not serve beyond its lifetime.
        if condition == .stale, isRenewalUntried, waited != .limit, isFetchExpected(at: now) { return .wait(.anyFetch) }
        return .keys(keys.snapshot)
    }

    /// Whether keys that are past their lifetime are so because no call came in time to have them renewed.
    private var isRenewalUntried: Bool { !isServiceRunning && failures == 0 }

    /// Whether a fetch is under way, or begins as soon as a worker asks for its next step.
    private func isFetchExpected(at now: Duration) -> Bool {
        restoring != .done || fetch != nil || (now >= nextAttempt && mayFetch)
    }

    /// The keys, for a verification whose token names a key that was not among them; with nil, for a token whose signature is not
    /// valid with any key that it may refer to.
    ///
    /// A look for the key is allowed once in a cooldown, whenever the last refresh was, so that a rotation right after it is
    /// noticed (T-162, T-164) and strangers cannot make us fetch at will (T-161). After a failure only the backoff decides
    /// when to ask again (T-163), and nothing is said about the token: the key may be one that we could not fetch.
    mutating func answer(lookingFor keyID: String?, at now: Duration, after waited: Wait? = nil) -> Answer {
        guard let keys, condition(at: now) != .expired else { return answer(at: now, after: waited) }
        if keys.set.hasKey(keyID) { return .keys(keys.snapshot) }
        guard failures == 0, waited != .limit else { return .unavailable(unavailability(at: now)) }
        if case .look(let number) = waited {
            guard lastSuccess >= number else { return .unavailable(unavailability(at: now)) }
            // Of no ID nobody can say that it is not there.
            if let keyID { absent.insert(keyID, at: now) }
            return .keys(keys.snapshot)
        }
        if let keyID, absent.contains(keyID, at: now) { return .keys(keys.snapshot) }
        // One that is under way after a wait began after the verification did.
        if let fetch { return .wait(waited == nil ? .anyFetch : .look(fetch.number)) }
        guard isLookDue || now >= nextLook else { return .keys(keys.snapshot) }
        guard mayFetch else { return .unavailable(unavailability(at: now)) }
        if !isLookDue { beginLook(at: now) }
        return .wait(.look(lastNumber + 1))
    }

    private mutating func beginLook(at now: Duration) {
        isLookDue = true
        nextLook = now + configuration.cooldown
        nextBackgroundTask = now
    }

    /// Starts a background task, where something is due and neither a service nor another task does it.
    ///
    /// - Returns: Whether the caller has to run it.
    mutating func startBackgroundTask(at now: Duration) -> Bool {
        guard !isServiceRunning, !isBackgroundTaskRunning, now >= nextBackgroundTask else { return false }
        isBackgroundTaskRunning = true
        return true
    }

    /// Takes a place among those who wait.
    ///
    /// - Returns: Whether there was one. Whoever has it gives it back by ``endWaiting()``.
    mutating func beginWaiting() -> Bool {
        guard waiting < Limits.waitingVerifications else { return false }
        waiting += 1
        return true
    }

    mutating func endWaiting() { waiting -= 1 }

    /// Whether there are keys that may be used, fresh or stale.
    func mayUseKeys(at now: Duration) -> Bool { [.fresh, .stale].contains(condition(at: now)) }

    private func unavailability(at now: Duration) -> KeysUnavailable {
        let code: KeysUnavailable.Code = lastFailure?.isOfDiscovery == true ? .discovery : .keysUnavailable
        var words: [String]
        switch (keys, condition(at: now)) {
        case (let keys?, .expired):
            words = [
                "the keys of \(quoted(provider.name)) are \((now - keys.fetchedAt).wholeSeconds) s old and expired"
            ]
        case (.some, _): words = ["the key is not among those of \(quoted(provider.name)), and could not be looked for"]
        case (nil, _): words = ["no keys of \(quoted(provider.name))"]
        }
        if let lastFailure { words.append("\(lastFailure)") }
        if fetch == nil, nextAttempt > now {
            words.append("next attempt in \((nextAttempt - now).wholeSeconds + 1) s")
        }
        return KeysUnavailable(code, detail: words.joined(separator: "; "))
    }
}

// MARK: Asked by workers

extension KeyCacheState {
    /// What a worker does next.
    ///
    /// - Parameters:
    ///   - worker: The worker that asks.
    ///   - now: The time.
    ///   - jitter: A random number from 0 up to 1, so that many servers do not ask at the same moment.
    /// - Returns: The step, and what is to be announced.
    mutating func nextStep(
        for worker: Worker,
        at now: Duration,
        jitter: Double
    ) -> (step: Step, events: [KeyCacheEvent]) {
        switch worker {
        case .service where isBackgroundTaskRunning:
            // A call started it before the service began. Its end wakes the service.
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
            // The transport did not keep to its deadline. What it still brings is not believed (T-172).
            abandoned += 1
            self.fetch = nil
            let failure = TransportFailure(.deadline, "the transport did not end in its time")
            events += fail(KeyFetchFailure(failure, of: .keySet), at: now, jitter: jitter)
        }
        guard mayFetch else { return (.sleep(until: nextChange(after: now)), events) }
        guard isLookDue || now >= nextAttempt else {
            return (.sleep(until: min(nextAttempt, nextChange(after: now))), events)
        }
        isLookDue = false
        lastNumber += 1
        lastStart = now
        if let at = discovered?.at, now - at >= Self.discoveryLifetime { discovered = nil }
        let next = Fetch(number: lastNumber, startedAt: now, url: discovered?.url)
        fetch = next
        return (.fetch(next), events)
    }

    /// How a fetch ended.
    ///
    /// - Parameters:
    ///   - ended: The fetch.
    ///   - result: The keys, or why there are none; nil where its worker was told to stop, which says nothing of the provider.
    ///   - now: The time.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: What is to be announced; nil where the fetch had been given up, and nothing of it counts (T-172).
    mutating func end(
        _ ended: Fetch,
        with result: Result<FetchedKeySet, KeyFetchFailure>?,
        at now: Duration,
        jitter: Double
    ) -> [KeyCacheEvent]? {
        guard ended == fetch else {
            abandoned -= 1
            // Another may begin now.
            nextBackgroundTask = now
            return nil
        }
        fetch = nil
        switch result {
        case nil: return nil
        case .failure(let failure):
            // A failed, empty or unreadable answer replaces nothing (T-167).
            return announcements(at: now) + fail(failure, at: now, jitter: jitter)
        case .success(let fetched):
            lastSuccess = ended.number
            if fetched.wasDiscovered { discovered = (fetched.url, ended.startedAt) }
            return succeed(fetched, at: now, jitter: jitter)
        }
    }

    /// Begins with keys that an earlier process kept; their age counts (T-166).
    ///
    /// What was fetched meanwhile, or before, is newer and stays.
    ///
    /// - Returns: What is to be announced; nil where they are too old to be used.
    mutating func restore(
        _ fetched: FetchedKeySet,
        age: Duration,
        at now: Duration
    ) -> [KeyCacheEvent]? {
        let lifetime = clamped(fetched.lifetime)
        restoring = .done
        guard keys == nil else { return [] }
        guard age >= .zero, age < lifetime + configuration.staleLimit else { return nil }
        var events = replaceKeys(with: fetched, fetchedAt: now - age)
        nextAttempt = now - age + lifetime * 0.75
        events.insert(event(.restored, at: now), at: 0)
        return events + announcements(at: now)
    }

    /// The stored keys are loaded, or there are none to load.
    mutating func endRestoring() { restoring = .done }

    /// The service begins; a background task that is running ends first.
    mutating func beginService() { isServiceRunning = true }

    /// The service has ended: from now on calls start background tasks again.
    mutating func endService() {
        isServiceRunning = false
        nextBackgroundTask = .zero
        guard !isBackgroundTaskRunning, fetch != nil else { return }
        abandoned += 1
        fetch = nil
    }
}

// MARK: Asked by operators

extension KeyCacheState {
    /// Takes other times; the keys at hand are good for as long as these say.
    mutating func reconfigure(_ times: KeyCacheTimes, at now: Duration) {
        configuration.times = times
        nextBackgroundTask = now
        nextLook = min(nextLook, now + times.cooldown)
        guard let keys else { return }
        let lifetime = clamped(keys.stated)
        self.keys?.lifetime = lifetime
        // After a failure the next attempt is when that said.
        if failures == 0 { nextAttempt = keys.fetchedAt + lifetime * 0.75 }
    }

    /// Has keys fetched now, also after a failure, but never sooner than a cooldown after the last fetch began (T-186).
    mutating func refresh(at now: Duration) -> KeyRefresh.Outcome {
        guard mayFetch else { return .unavailable }
        if fetch != nil || isLookDue { return .underWay }
        let earliest = max(nextLook, lastStart.map { $0 + configuration.cooldown } ?? nextLook)
        guard now >= earliest else { return .tooSoon(wait: earliest - now) }
        beginLook(at: now)
        return .begun
    }
}

// MARK: What follows from it

extension KeyCacheState {
    /// How long after its deadline a fetch is given up, though its transport still holds it.
    static let grace: Duration = .seconds(1)

    /// How long a discovered address of keys is used without asking the discovery document again.
    static let discoveryLifetime: Duration = .seconds(86_400)

    /// Given up fetches that may still be held by a transport: with more, none is begun.
    private static let abandonedFetches = 2

    private static let noticeInterval: Duration = .seconds(60)

    private var mayFetch: Bool { abandoned < Self.abandonedFetches }

    private mutating func fail(_ failure: KeyFetchFailure, at now: Duration, jitter: Double) -> [KeyCacheEvent] {
        failures += 1
        lastFailure = failure
        // An address that was discovered may have moved.
        discovered = nil
        let doubled = configuration.retry.lowerBound * Double(1 << min(failures - 1, 30))
        nextAttempt = now + min(doubled, configuration.retry.upperBound) * (1 - jitter / 2)
        // A server that starts in an outage is told of once, as one that outlives its keys is.
        let isFirst = keys == nil && failures == 1
        return [event(.fetchFailed, at: now)] + (isFirst ? [event(.noKeys, at: now)] : [])
    }

    private mutating func succeed(_ fetched: FetchedKeySet, at now: Duration, jitter: Double) -> [KeyCacheEvent] {
        let wasInTrouble = failures > 0 || announced == .stale || announced == .expired
        let lifetime = clamped(fetched.lifetime)
        failures = 0
        lastFailure = nil
        let changes = replaceKeys(with: fetched, fetchedAt: now)
        if !changes.isEmpty { absent.removeAll() }
        // Ahead of the end of the lifetime, so that a provider that is slow or down is noticed while keys are fresh (T-173).
        nextAttempt = now + lifetime * (0.8 - 0.1 * jitter)
        announced = .fresh
        return [event(.fetched, at: now)] + changes + (wasInTrouble ? [event(.freshAgain, at: now)] : [])
    }

    /// Takes new keys in the place of all old ones, so that a key that was withdrawn is gone (T-168).
    private mutating func replaceKeys(with fetched: FetchedKeySet, fetchedAt: Duration) -> [KeyCacheEvent] {
        let old = keys?.set
        keys = Keys(
            set: fetched.keys,
            snapshot: KeySnapshot(provider: provider, keys: fetched.keys),
            url: fetched.url,
            fetchedAt: fetchedAt,
            stated: fetched.lifetime,
            lifetime: clamped(fetched.lifetime)
        )
        return changes(from: old, to: fetched.keys)
    }

    /// What appeared, vanished, and cannot be used; each is told once.
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

    /// A stated lifetime within the bounds; without one the lower bound (T-165).
    private func clamped(_ stated: Duration?) -> Duration {
        let bounds = configuration.lifetime
        return min(max(stated ?? bounds.lowerBound, bounds.lowerBound), bounds.upperBound)
    }

    private func condition(at now: Duration) -> Condition {
        guard let keys else { return .missing }
        let age = now - keys.fetchedAt
        if age < keys.lifetime { return .fresh }
        return age < keys.lifetime + configuration.staleLimit ? .stale : .expired
    }

    /// Tells once that keys have become stale or expired and cannot be renewed, and once a minute how old they are.
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

    /// When something next happens without anybody doing anything.
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
    /// Whether there is a key of this ID, usable or not; none is of no ID.
    fileprivate func hasKey(_ keyID: String?) -> Bool {
        guard let keyID else { return false }
        let isIt = { (other: String?) in other.map { isEqual($0, keyID) } ?? false }
        return keys.contains { isIt($0.keyID) } || unusableKeys.contains { isIt($0.keyID) }
    }
}

extension Duration {
    /// The seconds, without what is less than one.
    fileprivate var wholeSeconds: Int64 { components.seconds }
}
