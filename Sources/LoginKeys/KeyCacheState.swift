// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// What a cache knows of one provider's keys, and everything it decides: no clock, no I/O, no waiting.
///
/// Two ask it. A verification asks for keys (``answer(at:after:)``, ``answer(lookingFor:at:after:)``) and is told to use them,
/// to give up, or to wait for a fetch. The provider's loop asks for its next step (``nextStep(at:jitter:)``), and reports how
/// each fetch ended (``end(_:with:at:jitter:)``). Times count from any fixed moment.
struct KeyCacheState: Sendable {
    /// One fetch of the keys.
    struct Fetch: Sendable, Hashable {
        /// Later ones have higher numbers.
        let number: Int
        /// When it began.
        let startedAt: Duration
        /// The address of the keys; nil where it has to be discovered.
        let url: EndpointURL?
    }

    /// What a verification is told.
    enum Answer: Sendable {
        case keys(KeySnapshot)
        case unavailable(KeysUnavailable)
        /// Ask again when a fetch has ended, saying what was waited for.
        case wait(Wait)
    }

    /// What a verification has waited for.
    enum Wait: Sendable, Hashable {
        /// A fetch that may have begun before the verification did.
        case anyFetch
        /// The fetch of this number, the first that can have brought the key.
        case look(Int)
        /// Nothing more: its time is up.
        case limit
    }

    /// What the loop is told.
    enum Step: Sendable, Hashable {
        case fetch(Fetch)
        /// Nothing has to be done before that time, unless it is woken.
        case sleep(until: Duration)
    }

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

    private enum Phase { case starting, running, stopped }
    private enum Condition { case missing, fresh, stale, expired }

    private let provider: Provider
    private var configuration: KeyCacheConfiguration

    private(set) var keys: Keys?
    private(set) var lastFailure: KeyFetchFailure?
    private var phase = Phase.starting
    private var announced = Condition.missing

    /// The fetch that is under way, and how many ended so far without success, in a row.
    private var fetch: Fetch?
    private var failures = 0
    private var lastNumber = 0
    private var lastStart: Duration?
    private var lastSuccess = 0
    /// When the loop begins to fetch, though what was kept is not restored yet.
    private var startLimit: Duration = .zero
    /// Fetches that did not end in their time, and were given up while their transport still holds them.
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
    /// While there are keys that may be used, fresh or stale, nobody waits (T-173).
    func answer(at now: Duration, after waited: Wait? = nil) -> Answer {
        if let keys, condition(at: now) != .expired { return .keys(keys.snapshot) }
        if waited != nil { return .unavailable(unavailability(at: now)) }
        switch phase {
        case .starting: return .wait(.anyFetch)
        case .running where fetch != nil || (now >= nextAttempt && mayFetch): return .wait(.anyFetch)
        case .running, .stopped: return .unavailable(unavailability(at: now))
        }
    }

    /// The keys, for a verification whose token names a key that was not among them; with nil, for a token whose signature is not
    /// valid with any key that it may refer to.
    ///
    /// A look for the key is allowed once in a cooldown, whenever the last refresh was, so that a rotation right after it is
    /// noticed (T-162, T-164) and strangers cannot make us fetch at will (T-161). After a failure only the loop decides
    /// when to ask again (T-163), and nothing is said about the token: the key may be one that we could not fetch.
    mutating func answer(lookingFor keyID: String?, at now: Duration, after waited: Wait? = nil) -> Answer {
        guard let keys, condition(at: now) != .expired else { return answer(at: now, after: waited) }
        if keys.set.hasKey(keyID) { return .keys(keys.snapshot) }
        guard failures == 0, phase == .running, waited != .limit else { return .unavailable(unavailability(at: now)) }
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
        if !isLookDue {
            isLookDue = true
            nextLook = now + configuration.cooldown
        }
        return .wait(.look(lastNumber + 1))
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
        switch phase {
        case .starting: words.append("the key cache is not running: call run()")
        case .stopped: words.append("the key cache has stopped")
        case .running: break
        }
        if let lastFailure { words.append("\(lastFailure)") }
        if phase == .running, fetch == nil, nextAttempt > now {
            words.append("next attempt in \((nextAttempt - now).wholeSeconds + 1) s")
        }
        return KeysUnavailable(code, detail: words.joined(separator: "; "))
    }
}

// MARK: Asked by the loop

extension KeyCacheState {
    /// What the loop does next.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - jitter: A random number from 0 up to 1, so that many servers do not ask at the same moment.
    /// - Returns: The step, and what is to be announced.
    mutating func nextStep(at now: Duration, jitter: Double) -> (step: Step, events: [KeyCacheEvent]) {
        var events = announcements(at: now)
        if phase == .starting {
            guard now >= startLimit else { return (.sleep(until: startLimit), events) }
            start()
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
    ///   - result: The keys, or why there are none.
    ///   - now: The time.
    ///   - jitter: A random number from 0 up to 1.
    /// - Returns: What is to be announced; nil where the fetch had been given up, and nothing of it counts (T-172).
    mutating func end(
        _ ended: Fetch,
        with result: Result<FetchedKeySet, KeyFetchFailure>,
        at now: Duration,
        jitter: Double
    ) -> [KeyCacheEvent]? {
        guard ended == fetch else {
            abandoned = max(0, abandoned - 1)
            return nil
        }
        fetch = nil
        switch result {
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
        guard keys == nil else { return [] }
        guard age >= .zero, age < lifetime + configuration.staleLimit else { return nil }
        var events = replaceKeys(with: fetched, fetchedAt: now - age)
        nextAttempt = now - age + lifetime * 0.75
        events.insert(event(.restored, at: now), at: 0)
        return events + announcements(at: now)
    }

    /// The loop begins: it is to fetch when what was kept is restored, or when that takes too long.
    mutating func begin(at now: Duration) {
        phase = .starting
        abandoned = 0
        startLimit = now + configuration.fetchDeadline
    }

    /// What was kept is restored, or nothing was.
    mutating func start() {
        if phase == .starting { phase = .running }
    }

    /// The loop has ended: keys serve on until they expire, and nobody waits for others.
    mutating func stop() {
        phase = .stopped
        fetch = nil
        isLookDue = false
    }
}

// MARK: Asked by operators

extension KeyCacheState {
    /// Takes other times; the keys at hand are good for as long as these say.
    mutating func reconfigure(_ times: KeyCacheTimes, at now: Duration) {
        configuration.times = times
        nextLook = min(nextLook, now + times.cooldown)
        guard let keys else { return }
        let lifetime = clamped(keys.stated)
        self.keys?.lifetime = lifetime
        // After a failure the next attempt is when that said.
        if failures == 0 { nextAttempt = keys.fetchedAt + lifetime * 0.75 }
    }

    /// Has the loop fetch keys now, also after a failure, but never sooner than a cooldown after the last fetch began (T-186).
    mutating func refresh(at now: Duration) -> KeyRefresh.Outcome {
        guard phase == .running, mayFetch else { return .unavailable }
        if fetch != nil || isLookDue { return .underWay }
        let earliest = max(nextLook, lastStart.map { $0 + configuration.cooldown } ?? nextLook)
        guard now >= earliest else { return .tooSoon(wait: earliest - now) }
        isLookDue = true
        nextLook = now + configuration.cooldown
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

    /// Tells once that keys have become stale or expired, and once a minute how old they are.
    private mutating func announcements(at now: Duration) -> [KeyCacheEvent] {
        var events: [KeyCacheEvent] = []
        let condition = condition(at: now)
        if condition != announced {
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

/// Key IDs that were looked for in vain, as few as fit, the oldest first.
private struct AbsentKeyIDs {
    private var entries: [(keyID: String, until: Duration)] = []

    func contains(_ keyID: String, at now: Duration) -> Bool {
        entries.contains { $0.keyID == keyID && now < $0.until }
    }

    mutating func insert(_ keyID: String, at now: Duration) {
        entries.removeAll { $0.keyID == keyID || now >= $0.until }
        if entries.count >= Limits.absentKeyIDs { entries.removeFirst() }
        entries.append((keyID, now + Limits.absentKeyIDLifetime))
    }

    mutating func removeAll() { entries.removeAll() }
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
