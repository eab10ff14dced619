// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import LoginAccounts
internal import LoginTokens
public import Logging
public import ServiceLifecycle
internal import Synchronization

/// Settings that an operator changes while servers run: declared once in the program, kept in the store of accounts for all servers.
///
/// ```swift
/// let tweaks = Tweaks(auth: auth, logger: logger)
/// let times = try tweaks.category("tokens", "Tokens").collection("times", "Times")
/// let leeway = try times.add(
///     "tokens.times.leeway", "Leeway", default: .seconds(30), in: .zero ... .seconds(300),
///     description: "How far the clocks of providers and of this machine may disagree."
/// )
/// leeway.observe(includingNow: true) { leeway in use(leeway) }
/// try await tweaks.load()
/// ```
///
/// A tweak is known by its ID, which you say and never change; titles may change. What counts is what an operator has set, else what
/// the file of the configuration says, else the default. A value that a tweak does not take is refused when somebody sets it; where a
/// file or the store says it, it is reported once, and what lies beneath it counts.
///
/// Run it beside your server: it looks every few seconds whether another server has changed something. What this one changes counts
/// here at once. Each change is in the audit, with who made it.
public final class Tweaks: Sendable {
    private let auth: Auth
    private let logger: Logger
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let state = Mutex(TweakState())

    /// No tweaks yet.
    ///
    /// - Parameters:
    ///   - auth: In whose store they are kept.
    ///   - logger: Who is told of values that cannot be used, and of a store that does not answer.
    ///   - interval: How often to look whether another server has changed something, more than zero.
    ///   - clock: Who says how much time has passed.
    public init(
        auth: Auth,
        logger: Logger,
        interval: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        precondition(interval > .zero, "the store is not asked without a pause")
        self.auth = auth
        self.logger = logger
        self.interval = interval
        self.clock = clock
    }

    /// Adds a category, behind those that are there.
    ///
    /// - Parameters:
    ///   - id: What it is known by: small letters, digits and hyphens.
    ///   - title: How it is called on the page.
    /// - Returns: The category.
    /// - Throws: ``TweakError``: `declaration` where there is one of this ID.
    public func category(_ id: String, _ title: String) throws(TweakError) -> TweakCategory {
        try state.withLock { state throws(TweakError) in try state.add(category: id, title) }
        return TweakCategory(tweaks: self, id: id)
    }

    /// All tweaks and actions as they are now.
    public var report: TweakReport { state.withLock { TweakReport($0) } }

    /// What happened to tweaks, on any server, the latest first.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: What happened.
    /// - Throws: ``TweakError``: `store-unavailable`.
    public func history(limit: Int = 50) async throws(TweakError) -> [AuthEvent] {
        do throws(AuthError) { return try await auth.tweakHistory(limit: limit) } catch { throw TweakError(error) }
    }
}

// MARK: - Changing

extension Tweaks {
    /// Sets a tweak for all servers.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - text: The text of its value.
    ///   - revision: The revision of what its author has seen (``TweakReport/Value/revision``).
    ///   - author: Who does it, for the audit: 64 bytes at most.
    /// - Throws: ``TweakError``: `unknown-tweak`, `no-value`, `invalid-value`; `overtaken` where somebody was faster;
    ///   `store-unavailable`. Nothing is changed then.
    public func set(_ id: String, to text: String, expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        let content = try state.withLock { state throws(TweakError) in try state.content(of: text, for: id) }
        try await write(id, content.text, revision, author)
    }

    /// Takes back what was set: the file or the default count again.
    ///
    /// - Parameters:
    ///   - id: Which tweak; it may be one that only other versions of the program have.
    ///   - revision: The revision of what its author has seen.
    ///   - author: Who does it, for the audit: 64 bytes at most.
    /// - Throws: ``TweakError``: `unknown-tweak`, `no-value`, `overtaken`, `store-unavailable`.
    public func reset(_ id: String, expecting revision: Int64, by author: String) async throws(TweakError) {
        try state.withLock { state throws(TweakError) in
            if state.action(id) != nil { throw TweakError(.action, "\(id) is an action, which is run") }
            guard state.entry(id) != nil || state.stored.tweaks[id] != nil else {
                throw TweakError(.unknown, "there is no such tweak")
            }
        }
        try await write(id, nil, revision, author)
    }

    private func write(_ id: String, _ text: String?, _ revision: Int64, _ author: String) async throws(TweakError) {
        try await settle { () async throws(AuthError) in
            try await auth.setTweak(id, to: text, expecting: revision, by: Self.named(author))
        }
    }

    /// Takes back all that was set.
    ///
    /// - Parameters:
    ///   - revision: How many changes its author has seen (``TweakReport/revision``).
    ///   - author: Who does it, for the audit: 64 bytes at most.
    /// - Throws: ``TweakError``: `overtaken`, `store-unavailable`.
    public func resetAll(expecting revision: Int64, by author: String) async throws(TweakError) {
        try await settle { () async throws(AuthError) in
            try await auth.resetTweaks(expecting: revision, by: Self.named(author))
        }
    }

    /// Writes, and has what is there now count here at once, whoever has written it.
    private func settle(_ body: () async throws(AuthError) -> TweakWriting) async throws(TweakError) {
        let writing: TweakWriting
        do throws(AuthError) { writing = try await body() } catch { throw TweakError(error) }
        do throws(TweakError) {
            try await load()
        } catch {
            // It is written: the next look finds it.
            guard writing == .overtaken else { return }
        }
        if writing == .overtaken { throw TweakError(.overtaken, "somebody has changed it since it was read") }
    }

    /// Has an action done.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - author: Who does it, for the audit: 64 bytes at most.
    /// - Returns: What happens now, in a sentence.
    /// - Throws: ``TweakError``: `unknown-tweak`; `store-unavailable`, where nothing was done, since it could not be written down.
    public func perform(_ id: String, by author: String) async throws(TweakError) -> String {
        let action = state.withLock { $0.action(id) }
        guard let action else { throw TweakError(.unknown, "there is no such action") }
        do throws(AuthError) {
            try await auth.recordTweakAction(id, by: Self.named(author))
        } catch {
            throw TweakError(error)
        }
        return await action.perform()
    }

    /// A name as the audit takes it.
    private static func named(_ author: String) -> String { oneLine(author, limit: 64) }
}

// MARK: - Layers

extension Tweaks {
    /// Reads what the store says; before that, the file and the defaults count.
    ///
    /// - Throws: ``TweakError``: `store-unavailable`.
    public func load() async throws(TweakError) {
        let stored: StoredTweaks
        do throws(AuthError) { stored = try await auth.storedTweaks() } catch { throw TweakError(error) }
        change { $0.take(stored) }
    }

    /// Takes what the file of the configuration says, in the place of all that it said before.
    ///
    /// - Parameter texts: The texts of values, by the IDs of their tweaks.
    public func take(file texts: [String: String]) {
        change { $0.take(file: texts) }
    }

    /// The IDs of all tweaks, in order: what a file may name.
    public var ids: [String] { state.withLock { $0.ids } }

    func change(_ body: (inout TweakState) -> [TweakFault]) {
        report(state.withLock { body(&$0) })
        tell()
    }

    private func report(_ faults: [TweakFault]) {
        for fault in faults {
            logger.warning(
                "A value of a tweak is not used",
                metadata: [
                    "tweak.id": "\(fault.id)", "tweak.source": "\(fault.source.rawValue)",
                    "tweak.reason": "\(fault.reason)",
                ]
            )
        }
    }

    /// Calls those who wait to be told, one after the other and without the lock.
    private func tell() {
        guard state.withLock({ $0.beginTelling() }) else { return }
        while let next = state.withLock({ $0.nextTelling() }) { next.call(next.content) }
    }
}

// MARK: - Running

extension Tweaks: Service {
    /// Looks every few seconds whether something was changed on another server, until the server shuts down or the task is
    /// cancelled.
    ///
    /// A store that does not answer is told of once, and what was read counts on.
    public func run() async {
        await cancelWhenGracefulShutdown {
            var isSilent = false
            while !Task.isCancelled {
                do throws(TweakError) {
                    try await self.look()
                    if isSilent { self.logger.notice("The store says again what is tweaked") }
                    isSilent = false
                } catch {
                    if !isSilent, !Task.isCancelled {
                        self.logger.warning(
                            "The store does not say what is tweaked; what was read last counts on",
                            metadata: ["tweak.reason": "\(error.detail)"]
                        )
                        isSilent = true
                    }
                }
                try? await self.clock.sleep(for: self.interval)
            }
        }
    }

    /// Reads one row, and all of them where it says that something has changed.
    private func look() async throws(TweakError) {
        let revision: Int64
        do throws(AuthError) { revision = try await auth.tweakRevision() } catch { throw TweakError(error) }
        guard state.withLock({ $0.stored.revision < revision }) else { return }
        try await load()
    }
}

// MARK: - What handles use

extension Tweaks {
    func declare(_ declaration: TweakDeclaration, at place: TweakPlace) throws(TweakError) {
        report(try state.withLock { state throws(TweakError) in try state.add(declaration, to: place) })
    }

    func declare(_ action: TweakAction, at place: TweakPlace) throws(TweakError) {
        try state.withLock { state throws(TweakError) in try state.add(action, to: place) }
    }

    func addCollection(_ id: String, _ title: String, to category: String) throws(TweakError) {
        try state.withLock { state throws(TweakError) in try state.add(collection: id, title, to: category) }
    }

    func entry(_ id: String) -> TweakState.Entry? { state.withLock { $0.entry(id) } }

    func observe(_ id: String, includingNow: Bool, _ call: @escaping TweakState.Observer) -> TweakObservation {
        let number = state.withLock { $0.observe(id, includingNow: includingNow, call) }
        tell()
        return TweakObservation { [weak self] in self?.state.withLock { $0.cancel(number, of: id) } }
    }

    func constrain(_ id: String, to constraint: TweakConstraint) throws(TweakError) {
        report(try state.withLock { state throws(TweakError) in try state.constrain(id, to: constraint) })
        tell()
    }
}
#endif
