// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A handle for reading and changing a setting while servers run.
public struct Tweak<Value: TweakValue>: Sendable {
    /// The ID of the tweak.
    public let id: String

    private let tweaks: Tweaks
    private let defaultValue: Value

    init(id: String, default defaultValue: Value, tweaks: Tweaks) {
        self.id = id
        self.defaultValue = defaultValue
        self.tweaks = tweaks
    }

    /// The current value.
    ///
    /// Reading it takes a lock and a dictionary lookup, so read it where it is needed. If the declaration was reported
    /// as invalid (``TweakProblem/declaration(_:)``), it is the default.
    public var value: Value { value(of: tweaks.entry(id)?.content) }

    private func value(of content: TweakContent?) -> Value { content.flatMap { Value($0) } ?? defaultValue }

    /// Observes changes of the value.
    ///
    /// Setting a tweak to its current value is not a change.
    ///
    /// - Parameters:
    ///   - includingNow: Whether the body is also called once with the current value, before any change.
    ///   - body: A closure that receives each new value. It is called without a lock, one change after the other,
    ///     possibly on the thread of a caller that changed another tweak. It must return quickly.
    /// - Returns: An observation that can be cancelled. Releasing it does not cancel it.
    @discardableResult
    public func observe(
        includingNow: Bool = false,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> TweakObservation {
        tweaks.observe(id, default: defaultValue.tweakContent, includingNow: includingNow) { body(value(of: $0)) }
    }

    /// Overrides the value on all servers.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - author: The operator, for the history: 64 bytes at most.
    /// - Throws: ``TweakError``: `invalid-value`, `overtaken`, `store-unavailable`.
    public func set(_ value: Value, by author: String) async throws(TweakError) {
        try await tweaks.set(id, to: value.tweakContent.text, expecting: tweaks.revision(of: id), by: author)
    }

    /// Removes the override.
    ///
    /// The configuration file or the default applies again.
    ///
    /// - Parameter author: The operator, for the history: 64 bytes at most.
    /// - Throws: ``TweakError``: `overtaken`, `store-unavailable`.
    public func reset(by author: String) async throws(TweakError) {
        try await tweaks.reset(id, expecting: tweaks.revision(of: id), by: author)
    }
}

/// An observation of the changes of a tweak, which lasts until it is cancelled.
public struct TweakObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    /// Cancels the observation.
    ///
    /// No call begins after this method has returned. A call in progress may still be running.
    public func cancel() { end() }
}
