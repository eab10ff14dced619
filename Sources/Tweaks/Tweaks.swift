// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Settings that an operator changes while servers run.
///
/// A tweak is declared where its value is used:
///
/// ```swift
/// let pause = Tweak("Import", "Queue", "Pause", default: 30, in: 0...600).value
/// ```
///
/// or in advance, with an ID that stays the same when titles change:
///
/// ```swift
/// let queue = try tweaks.category("import", "Import").collection("queue", "Queue")
/// let pause = try queue.add("import.queue.pause", "Pause", default: 30, in: 0...600, description: "Seconds.")
/// ```
///
/// A value set by an operator takes precedence over the configuration file (``replaceFileValues(with:)``), and the file
/// over the default. Setting an invalid value throws an error. An invalid value in the file or in the store is reported
/// once and ignored: the value of the next layer applies.
///
/// Values are stored in a ``TweakPersistence``. Call ``load()`` before the first use. If servers share the persistence,
/// call ``run()`` beside each: it polls for changes by other servers every few seconds. Changes by this server take
/// effect here at once.
public final class Tweaks: Sendable {
    /// The tweaks of this process: those of declarations that name no others.
    ///
    /// Their values are kept in memory until ``persist(in:onProblem:onChange:)`` is called.
    public static let shared = Tweaks()

    /// The number of problems that are kept until there is a handler, more than a program has tweaks.
    private static let problemsKept = 100

    /// The parts outside of the state, which can be replaced.
    private struct Outside: Sendable {
        var persistence: any TweakPersistence
        var onProblem: (@Sendable (TweakProblem) -> Void)?
        var onChange: (@Sendable (TweakChange) -> Void)?
        /// The problems that were found while there was no handler.
        var problems: [TweakProblem] = []
        /// Whether the persistence could not be read, and this has been reported.
        var isUnavailable = false
    }

    private let outside: Mutex<Outside>
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let state = Mutex(TweakState())

    /// Creates an empty collection of settings.
    ///
    /// - Parameters:
    ///   - persistence: The store of the values; in memory by default.
    ///   - interval: The time between two polls of the store, greater than zero.
    ///   - clock: The clock for the polling interval.
    ///   - onProblem: A closure that reports a problem, for example in a log. It must return quickly. Without one, the
    ///     first hundred problems are kept for the handler of ``persist(in:onProblem:onChange:)``.
    ///   - onChange: A closure that reports each change and each action by this server, for example in a log. It must
    ///     return quickly.
    public init(
        persistence: any TweakPersistence = InMemoryTweaks(),
        interval: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock(),
        onProblem: (@Sendable (TweakProblem) -> Void)? = nil,
        onChange: (@Sendable (TweakChange) -> Void)? = nil
    ) {
        precondition(interval > .zero, "the polling interval must be greater than zero")
        outside = Mutex(Outside(persistence: persistence, onProblem: onProblem, onChange: onChange))
        self.interval = interval
        self.clock = clock
    }

    /// Replaces the persistence, and loads its overrides.
    ///
    /// Call it when the program starts, for ``shared``. If the persistence cannot be read, for example because its file
    /// is damaged, this is reported (``TweakProblem/unavailable(_:)``), the current values stay in use, and ``run()``
    /// tries again. Changes are refused until then. A program that must not start without the stored values calls
    /// ``TweakPersistence/load()`` before.
    ///
    /// - Parameters:
    ///   - persistence: The store of the values.
    ///   - onProblem: A closure that reports a problem; nil to keep the current one. Problems that no handler has
    ///     received are reported to it at once.
    ///   - onChange: A closure that reports each change and each action by this server; nil to keep the current one.
    public func persist(
        in persistence: any TweakPersistence,
        onProblem: (@Sendable (TweakProblem) -> Void)? = nil,
        onChange: (@Sendable (TweakChange) -> Void)? = nil
    ) async {
        let problems = outside.withLock { outside in
            outside.persistence = persistence
            if let onProblem { outside.onProblem = onProblem }
            if let onChange { outside.onChange = onChange }
            defer { outside.problems = [] }
            return outside.problems
        }
        report(problems: problems)
        do throws(TweakError) {
            let stored = try await persistence.load()
            change { $0.replaceOverrides(with: stored) }
            noteReading(error: nil)
        } catch {
            noteReading(error: error)
        }
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

    /// Returns the changes and actions on all servers, newest first.
    ///
    /// - Parameter limit: The maximum number of entries.
    /// - Returns: The entries; none if the persistence has no history.
    /// - Throws: ``TweakError``: `store-unavailable`.
    public func history(limit: Int = 50) async throws(TweakError) -> [TweakChange] {
        try await persistence.history(limit: limit)
    }

    private var persistence: any TweakPersistence { outside.withLock { $0.persistence } }
}

// MARK: - Changing

extension Tweaks {
    /// Overrides a tweak on all servers.
    ///
    /// - Parameters:
    ///   - id: The ID of the tweak.
    ///   - text: The new value as text.
    ///   - revision: The revision that the author has seen (``TweakReport/Value/revision``).
    ///   - author: The operator, for the history: 64 bytes at most.
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
    ///   - author: The operator, for the history: 64 bytes at most.
    /// - Throws: ``TweakError``: `unknown-tweak`, `no-value`, `overtaken`, `store-unavailable`.
    public func reset(_ id: String, expecting revision: Int64, by author: String) async throws(TweakError) {
        try state.withLock { state throws(TweakError) in
            if state.action(id) != nil { throw TweakError(.action, "\(id) is an action, which has no value") }
            guard state.entry(id) != nil || state.stored.tweaks[id] != nil else {
                throw TweakError(.unknown, "no tweak has this ID")
            }
        }
        try await write(id, nil, revision, author)
    }

    private func write(_ id: String, _ text: String?, _ revision: Int64, _ author: String) async throws(TweakError) {
        // The report of the change names the value before it, which another server may have set.
        if self.revision(of: id) != revision { try? await load() }
        try await commit([id: text], by: author) { (author) async throws(TweakError) in
            try await persistence.set(id, to: text, expecting: revision, by: author)
        }
    }

    /// Removes the overrides of all declared tweaks.
    ///
    /// Stored values of tweaks that only other versions of the program declare are not changed.
    ///
    /// - Parameters:
    ///   - revision: The overall revision that the author has seen (``TweakReport/revision``).
    ///   - author: The operator, for the history: 64 bytes at most.
    /// - Throws: ``TweakError``: `overtaken`, `store-unavailable`.
    public func resetAll(expecting revision: Int64, by author: String) async throws(TweakError) {
        // Another server may have set tweaks of which this one does not know yet.
        try await load()
        try await write(changes(to: [:]), revision, author)
    }

    /// Sets or resets several tweaks, all or none.
    func write(_ texts: [String: String?], _ revision: Int64, _ author: String) async throws(TweakError) {
        try await commit(texts, by: author) { (author) async throws(TweakError) in
            try await persistence.set(texts, expecting: revision, by: author)
        }
    }

    /// Writes and reports a change, and applies the stored values on this server even if the write conflicts.
    private func commit(
        _ texts: [String: String?],
        by author: String,
        _ write: (String) async throws(TweakError) -> Void
    ) async throws(TweakError) {
        let author = Self.named(author)
        let before = state.withLock { $0.stored.tweaks }
        do throws(TweakError) {
            try await write(author)
        } catch {
            if error.code == .overtaken { try? await load() }
            throw error
        }
        let now = Date()
        report(
            changes: texts.sorted { $0.key < $1.key }.compactMap { id, text in
                TweakChange(of: id, from: before[id]?.value, to: text, at: now, by: author)
            }
        )
        // The change is stored. If it cannot be read now, the next poll applies it.
        try? await load()
    }

    /// Runs an action.
    ///
    /// The action is recorded in the history before it runs.
    ///
    /// - Parameters:
    ///   - id: The ID of the action.
    ///   - author: The operator, for the history: 64 bytes at most.
    /// - Returns: A sentence that tells the operator the result.
    /// - Throws: ``TweakError``: `unknown-tweak`; `store-unavailable` if the action could not be recorded. It does not
    ///   run then.
    public func perform(_ id: String, by author: String) async throws(TweakError) -> String {
        let action = state.withLock { $0.action(id) }
        guard let action else { throw TweakError(.unknown, "no action has this ID") }
        let author = Self.named(author)
        try await persistence.recordAction(id, by: author)
        report(changes: [TweakChange(.action, id: id, at: Date(), by: author)])
        return await action.perform()
    }

    /// Returns an author's name as it is stored: one line of at most 64 bytes.
    private static func named(_ author: String) -> String {
        var name = ""
        for scalar in author.unicodeScalars {
            let isShown =
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                && !["\u{2028}", "\u{2029}"].contains(scalar)
            let shown: Unicode.Scalar = isShown ? scalar : " "
            guard name.utf8.count + UTF8.width(shown) <= 64 else { break }
            name.unicodeScalars.append(shown)
        }
        return name
    }
}

// MARK: - Layers

extension Tweaks {
    /// Loads the overrides from the persistence.
    ///
    /// Until then, the file and the defaults apply.
    ///
    /// - Throws: ``TweakError``: `store-unavailable`.
    public func load() async throws(TweakError) {
        let generation = state.withLock { $0.generation }
        let stored = try await persistence.load()
        change { $0.replaceOverrides(with: stored, loadedSince: generation) }
    }

    /// Validates values of the configuration file without applying them.
    ///
    /// Call it before ``replaceFileValues(with:)`` to reject a file with an invalid value as a whole.
    ///
    /// - Parameter texts: The values as texts, by tweak ID.
    /// - Throws: ``TweakError``: `unknown-tweak`, `no-value`, `invalid-value`, for the first value by ID that is not
    ///   accepted. The details begin with the ID.
    public func validateFileValues(_ texts: [String: String]) throws(TweakError) {
        try state.withLock { state throws(TweakError) in
            for (id, text) in texts.sorted(by: { $0.key < $1.key }) { _ = try state.content(of: text, for: id) }
        }
    }

    /// Replaces the values of the configuration file.
    ///
    /// - Parameter texts: The values as texts, by tweak ID.
    public func replaceFileValues(with texts: [String: String]) {
        change { $0.replaceFileValues(with: texts) }
    }

    /// The sorted IDs of all tweaks, which are the keys that a file may contain.
    public var ids: [String] { state.withLock { $0.ids } }

    private func change(_ body: (inout TweakState) -> [TweakFault]) {
        report(state.withLock { body(&$0) })
        notifyObservers()
    }

    private func report(_ faults: [TweakFault]) { report(problems: faults.map { .fault($0) }) }

    private func report(problems: [TweakProblem]) {
        let handler = outside.withLock { outside in
            if outside.onProblem == nil {
                outside.problems += problems.prefix(Self.problemsKept - outside.problems.count)
            }
            return outside.onProblem
        }
        guard let handler else { return }
        for problem in problems { handler(problem) }
    }

    private func report(changes: [TweakChange]) {
        guard let handler = outside.withLock({ $0.onChange }) else { return }
        for change in changes { handler(change) }
    }

    /// Reports that the persistence has become unavailable, or is available again.
    ///
    /// - Parameter error: The error of reading it; nil if it was read.
    private func noteReading(error: TweakError?) {
        let isNews = outside.withLock { outside in
            defer { outside.isUnavailable = error != nil }
            return outside.isUnavailable != (error != nil)
        }
        guard isNews else { return }
        report(problems: [error.map { TweakProblem.unavailable($0) } ?? .available])
    }

    /// Calls the observers with pending changes, one after the other and without the lock.
    private func notifyObservers() {
        guard state.withLock({ $0.beginNotifying() }) else { return }
        while let next = state.withLock({ $0.nextNotification() }) { next.call(next.content) }
    }
}

// MARK: - Running

extension Tweaks {
    /// Polls the persistence for changes by other servers, until the task is cancelled.
    ///
    /// An unavailable persistence is reported once. The values that were read last remain in use.
    public func run() async {
        while !Task.isCancelled {
            do throws(TweakError) {
                try await poll()
                noteReading(error: nil)
            } catch {
                if !Task.isCancelled { noteReading(error: error) }
            }
            try? await clock.sleep(for: interval)
        }
    }

    /// Reads the overall revision, and all overrides if it has changed: an older one is that of a restored store.
    ///
    /// A store that was unavailable may be another one with the same revision.
    private func poll() async throws(TweakError) {
        let revision = try await persistence.revision()
        let isUnavailable = outside.withLock { $0.isUnavailable }
        guard isUnavailable || state.withLock({ $0.stored.revision != revision }) else { return }
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

    func declare(_ declaration: TweakDeclaration, at names: TweakNames) {
        report(problems: state.withLock { $0.declare(declaration, at: names) })
    }

    func declare(_ action: TweakAction, at names: TweakNames) {
        report(problems: state.withLock { $0.declare(action, at: names) })
    }

    func addCollection(_ id: String, _ title: String, to category: String) throws(TweakError) {
        try state.withLock { state throws(TweakError) in try state.add(collection: id, title, to: category) }
    }

    func entry(_ id: String) -> TweakState.Entry? { state.withLock { $0.entry(id) } }

    func revision(of id: String) -> Int64 { state.withLock { $0.revision(of: id) } }

    func observe(
        _ id: String,
        default defaultValue: TweakContent,
        includingNow: Bool,
        _ call: @escaping TweakState.Observer
    ) -> TweakObservation {
        guard let number = state.withLock({ $0.observe(id, includingNow: includingNow, call) }) else {
            if includingNow { call(defaultValue) }
            return TweakObservation {}
        }
        notifyObservers()
        return TweakObservation { [weak self] in self?.state.withLock { $0.cancel(number, of: id) } }
    }
}

// MARK: - Support for exports

extension Tweaks {
    /// The overrides as texts, by ID.
    var overrides: [String: String] { state.withLock { $0.stored.tweaks.compactMapValues(\.value) } }

    /// Returns the changes that store these values, and reset all other declared tweaks.
    ///
    /// - Throws: ``TweakError`` for the first value that is invalid.
    func changes(to values: [String: String]) throws(TweakError) -> [String: String?] {
        try state.withLock { state throws(TweakError) in
            var changes: [String: String?] = [:]
            for id in state.ids where state.stored.tweaks[id]?.value != nil { changes.updateValue(nil, forKey: id) }
            for (id, text) in values.sorted(by: { $0.key < $1.key }) {
                changes.updateValue(try state.importedText(text, for: id), forKey: id)
            }
            return changes
        }
    }
}
