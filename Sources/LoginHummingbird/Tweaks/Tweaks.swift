// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import LoginAccounts
internal import LoginTokens
public import Logging
public import ServiceLifecycle
internal import Synchronization

/// Settings that an operator changes while servers run.
///
/// The program declares them once; the store of accounts persists their values for all servers.
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
/// A tweak is identified by its ID, which must never change. Its title may change.
///
/// A value set by an operator takes precedence over the configuration file, and the file over the default. Setting an
/// invalid value throws an error. An invalid value in the file or in the store is logged once and ignored: the value of
/// the next layer applies.
///
/// Run it beside your server: it polls the store every few seconds for changes by other servers. Changes by this server
/// take effect here at once. The audit log records each change with its author.
public final class Tweaks: Sendable {
    private let auth: Auth
    private let logger: Logger
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let state = Mutex(TweakState())

    /// Creates an empty collection of settings.
    ///
    /// - Parameters:
    ///   - auth: The accounts, whose store persists the values.
    ///   - logger: The logger for values that cannot be used, and for an unavailable store.
    ///   - interval: The time between two polls of the store, greater than zero.
    ///   - clock: The clock for the polling interval.
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

    /// Adds a category after the existing ones.
    ///
    /// - Parameters:
    ///   - id: The ID of the category: lowercase letters, digits and hyphens.
    ///   - title: The title on the page.
    /// - Returns: The category.
    /// - Throws: ``TweakError``: `declaration` if the ID is malformed or in use.
    public func category(_ id: String, _ title: String) throws(TweakError) -> TweakCategory {
        try state.withLock { state throws(TweakError) in try state.add(category: id, title) }
        return TweakCategory(tweaks: self, id: id)
    }

    /// A snapshot of all tweaks and actions.
    public var report: TweakReport { state.withLock { TweakReport($0) } }

    /// Returns the audit events of tweaks on all servers, newest first.
    ///
    /// - Parameter limit: The maximum number of events.
    /// - Returns: The events.
    /// - Throws: ``TweakError``: `store-unavailable`.
    public func history(limit: Int = 50) async throws(TweakError) -> [AuthEvent] {
        do throws(AuthError) { return try await auth.tweakHistory(limit: limit) } catch { throw TweakError(error) }
    }
}

// MARK: - Changing

extension Tweaks {
    /// Overrides a tweak on all servers.
    ///
    /// - Parameters:
    ///   - id: The ID of the tweak.
    ///   - text: The new value as text.
    ///   - revision: The revision that the author has seen (``TweakReport/Value/revision``).
    ///   - author: The operator, for the audit log: 64 bytes at most.
    /// - Throws: ``TweakError``: `unknown-tweak`, `no-value`, `invalid-value`; `overtaken` if the tweak has a newer
    ///   revision; `store-unavailable`. Nothing is changed then.
    public func set(_ id: String, to text: String, expecting revision: Int64, by author: String)
        async throws(TweakError)
    {
        let content = try state.withLock { state throws(TweakError) in try state.content(of: text, for: id) }
        try await write(id, content.text, revision, author)
    }

    /// Removes the override of a tweak.
    ///
    /// The configuration file or the default applies again.
    ///
    /// - Parameters:
    ///   - id: The ID of the tweak. It may be a tweak that only other versions of the program declare.
    ///   - revision: The revision that the author has seen.
    ///   - author: The operator, for the audit log: 64 bytes at most.
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

    /// Removes all overrides.
    ///
    /// - Parameters:
    ///   - revision: The overall revision that the author has seen (``TweakReport/revision``).
    ///   - author: The operator, for the audit log: 64 bytes at most.
    /// - Throws: ``TweakError``: `overtaken`, `store-unavailable`.
    public func resetAll(expecting revision: Int64, by author: String) async throws(TweakError) {
        try await settle { () async throws(AuthError) in
            try await auth.resetTweaks(expecting: revision, by: Self.named(author))
        }
    }

    /// Writes a change, and applies the stored values on this server even if the write conflicts.
    private func settle(_ body: () async throws(AuthError) -> TweakWriting) async throws(TweakError) {
        let writing: TweakWriting
        do throws(AuthError) { writing = try await body() } catch { throw TweakError(error) }
        do throws(TweakError) {
            try await load()
        } catch {
            // The change is stored, so the next poll applies it.
            guard writing == .overtaken else { return }
        }
        if writing == .overtaken { throw TweakError(.overtaken, "it was changed after it was read") }
    }

    /// Runs an action.
    ///
    /// The action is recorded in the audit log before it runs.
    ///
    /// - Parameters:
    ///   - id: The ID of the action.
    ///   - author: The operator, for the audit log: 64 bytes at most.
    /// - Returns: A sentence that tells the operator the result.
    /// - Throws: ``TweakError``: `unknown-tweak`; `store-unavailable` if the action could not be recorded. It does not
    ///   run then.
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

    /// Returns an author's name as the audit log stores it: one line of at most 64 bytes.
    private static func named(_ author: String) -> String { oneLine(author, limit: 64) }
}

// MARK: - Layers

extension Tweaks {
    /// Loads the overrides from the store.
    ///
    /// Until then, the file and the defaults apply.
    ///
    /// - Throws: ``TweakError``: `store-unavailable`.
    public func load() async throws(TweakError) {
        let stored: StoredTweaks
        do throws(AuthError) { stored = try await auth.storedTweaks() } catch { throw TweakError(error) }
        change { $0.take(stored) }
    }

    /// Replaces the values of the configuration file.
    ///
    /// - Parameter texts: The values as texts, by tweak ID.
    public func take(file texts: [String: String]) {
        change { $0.take(file: texts) }
    }

    /// The sorted IDs of all tweaks, which are the keys that a file may contain.
    public var ids: [String] { state.withLock { $0.ids } }

    func change(_ body: (inout TweakState) -> [TweakFault]) {
        report(state.withLock { body(&$0) })
        tell()
    }

    private func report(_ faults: [TweakFault]) {
        for fault in faults {
            logger.warning(
                "tweak value ignored",
                metadata: [
                    "tweak.id": "\(fault.id)", "tweak.source": "\(fault.source.rawValue)",
                    "tweak.reason": "\(fault.reason)",
                ]
            )
        }
    }

    /// Calls the observers with pending changes, one after the other and without the lock.
    private func tell() {
        guard state.withLock({ $0.beginTelling() }) else { return }
        while let next = state.withLock({ $0.nextTelling() }) { next.call(next.content) }
    }
}

// MARK: - Running

extension Tweaks: Service {
    /// Polls the store for changes by other servers, until the server shuts down or the task is cancelled.
    ///
    /// An unavailable store is logged once. The values that were read last remain in use.
    public func run() async {
        await cancelWhenGracefulShutdown {
            var isSilent = false
            while !Task.isCancelled {
                do throws(TweakError) {
                    try await self.look()
                    if isSilent { self.logger.notice("tweaks read from the store again") }
                    isSilent = false
                } catch {
                    if !isSilent, !Task.isCancelled {
                        self.logger.warning(
                            "tweaks not read from the store, last values stay in use",
                            metadata: ["tweak.reason": "\(error.detail)"]
                        )
                        isSilent = true
                    }
                }
                try? await self.clock.sleep(for: self.interval)
            }
        }
    }

    /// Reads the overall revision, and all overrides if it has increased.
    private func look() async throws(TweakError) {
        let revision: Int64
        do throws(AuthError) { revision = try await auth.tweakRevision() } catch { throw TweakError(error) }
        guard state.withLock({ $0.stored.revision < revision }) else { return }
        try await load()
    }
}

// MARK: - Support for handles

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
