// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// A setting that an operator changes while servers run: what the program reads it by.
public struct Tweak<Value: TweakValue>: Sendable {
    /// What it is known by.
    public let id: String

    private let tweaks: Tweaks

    init(id: String, tweaks: Tweaks) {
        self.id = id
        self.tweaks = tweaks
    }

    /// What it is now.
    ///
    /// It costs a lock and a look into a table: read it where it is needed.
    public var currentValue: Value {
        guard let content = tweaks.entry(id)?.content, let value = Value(content) else {
            preconditionFailure("a tweak has a value, of the kind that it was declared with")
        }
        return value
    }

    /// Is told of each change, and of nothing else: what is set to the value that it has is no change.
    ///
    /// - Parameters:
    ///   - includingNow: Whether it is also told, before any change, what the value is now.
    ///   - body: Is called with the value, without any lock, one change after the other; perhaps on the thread of somebody who has
    ///     changed another tweak. It must not take long.
    /// - Returns: What ends it. Letting go of that does not.
    @discardableResult
    public func observe(
        includingNow: Bool = false,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> TweakObservation {
        tweaks.observe(id, includingNow: includingNow) { content in
            if let value = Value(content) { body(value) }
        }
    }

    /// Sets it for all servers.
    ///
    /// - Parameters:
    ///   - value: To what.
    ///   - author: Who does it, for the audit: 64 bytes at most.
    /// - Throws: ``TweakError``: `invalid-value`, `overtaken`, `store-unavailable`.
    public func set(_ value: Value, by author: String) async throws(TweakError) {
        try await tweaks.set(id, to: value.tweakContent.text, expecting: revision, by: author)
    }

    /// Takes back what was set: the file or the default count again.
    ///
    /// - Parameter author: Who does it, for the audit: 64 bytes at most.
    /// - Throws: ``TweakError``: `overtaken`, `store-unavailable`.
    public func reset(by author: String) async throws(TweakError) {
        try await tweaks.reset(id, expecting: revision, by: author)
    }

    private var revision: Int64 {
        tweaks.report.values.first { $0.id == id }?.revision ?? 0
    }
}

extension Tweak where Value: TweakNumber {
    /// Takes only numbers of this range from now on; what was set and lies outside of it counts no more.
    ///
    /// - Parameters:
    ///   - range: The numbers, within the limit that it was declared with.
    ///   - step: What lies between one and the next; nil where all will do.
    /// - Throws: ``TweakError``: `declaration` where the range exceeds the limit or does not hold the default.
    public func constrain(to range: ClosedRange<Value>, step: Value? = nil) throws(TweakError) {
        try tweaks.constrain(id, to: .range(TweakRange(range, step: step)))
    }
}

extension Tweak<String> {
    /// Takes only these texts from now on.
    ///
    /// - Parameter choices: The texts, one of which is the default.
    /// - Throws: ``TweakError``: `declaration` where the default is not among them.
    public func constrain(to choices: [String]) throws(TweakError) {
        try tweaks.constrain(id, to: .choices(choices))
    }
}

/// Somebody who is told of the changes of a tweak, until this is cancelled.
public struct TweakObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends it: no call begins after this has returned; one that is under way may still be.
    public func cancel() { end() }
}
#endif
