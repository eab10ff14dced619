// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The state of all tweaks and the values of each layer, without a clock, I/O or waiting.
///
/// The layers are the default, the file, and the override in the store. A layer applies if the layer above has no
/// value, or an invalid one. The constraint is checked when a value is set, and when it is read from the file or the
/// store.
struct TweakState: Sendable {
    /// The current state of a tweak.
    struct Entry: Sendable {
        let declaration: TweakDeclaration
        fileprivate(set) var content: TweakContent
        fileprivate(set) var source: TweakSource
        fileprivate(set) var faults: [TweakFault] = []
        fileprivate var observers: [(number: UInt64, call: Observer)] = []
    }

    /// An item of a collection.
    enum Item: Sendable {
        case tweak(String)
        case action(TweakAction)

        var id: String {
            switch self {
            case .tweak(let id): id
            case .action(let action): action.id
            }
        }
    }

    struct Collection: Sendable {
        let id: String
        let title: String
        fileprivate(set) var items: [Item] = []
    }

    struct Category: Sendable {
        let id: String
        let title: String
        fileprivate(set) var collections: [Collection] = []
    }

    typealias Observer = @Sendable (TweakContent) -> Void

    private(set) var categories: [Category] = []
    private(set) var stored = TweakOverrides(revision: 0, tweaks: [:])
    /// The number of times that ``stored`` was replaced.
    private(set) var generation = 0
    private(set) var file: [String: String] = [:]
    private var entries: [String: Entry] = [:]
    private var actions: [String: TweakAction] = [:]
    private var reportedUnknown: Set<String> = []
    private var refused: Set<String> = []

    private var pending: [(tweak: String, observer: UInt64, content: TweakContent)] = []
    private var isNotifying = false
    private var lastObserver: UInt64 = 0
}

// MARK: Declaring

extension TweakState {
    mutating func add(category id: String, _ title: String) throws(TweakError) {
        try TweakDeclaration.validate(id: id)
        guard !categories.contains(where: { $0.id == id }) else {
            throw TweakError(.declaration, "the category \(id) exists already")
        }
        categories.append(Category(id: id, title: title))
    }

    mutating func add(collection id: String, _ title: String, to category: String) throws(TweakError) {
        try TweakDeclaration.validate(id: id)
        guard let index = categories.firstIndex(where: { $0.id == category }) else {
            throw TweakError(.declaration, "the category \(category) does not exist")
        }
        guard !categories[index].collections.contains(where: { $0.id == id }) else {
            throw TweakError(.declaration, "the category \(category) has a collection \(id) already")
        }
        categories[index].collections.append(Collection(id: id, title: title))
    }

    /// Adds a tweak, whose value is taken from the layers at once.
    ///
    /// - Returns: The values in the layers that cannot be used.
    mutating func add(_ declaration: TweakDeclaration, to place: TweakPlace) throws(TweakError) -> [TweakFault] {
        try declaration.validate()
        try append(.tweak(declaration.id), at: place)
        entries[declaration.id] = Entry(
            declaration: declaration,
            content: declaration.defaultValue,
            source: .default
        )
        return evaluate(declaration.id)
    }

    mutating func add(_ action: TweakAction, to place: TweakPlace) throws(TweakError) {
        try TweakDeclaration.validate(id: action.id)
        try append(.action(action), at: place)
        actions[action.id] = action
    }

    /// Adds a tweak that is declared where it is used, unless its ID is declared already.
    ///
    /// - Returns: The problems that have not been reported yet: values that cannot be used, an invalid declaration, or
    ///   one that differs from the first.
    mutating func declare(_ declaration: TweakDeclaration, at names: TweakNames) -> [TweakProblem] {
        if let first = entries[declaration.id]?.declaration {
            guard first.defaultValue != declaration.defaultValue || first.constraint != declaration.constraint else {
                return []
            }
            let detail = "\(declaration.id): an earlier declaration has another default or constraint, and applies"
            return refuse(declaration.id, TweakError(.declaration, detail))
        }
        do throws(TweakError) {
            try declaration.validate()
            try addPlace(of: names)
            return try add(declaration, to: names.place).map { .fault($0) }
        } catch {
            return refuse(declaration.id, error)
        }
    }

    /// Adds an action that is declared where it is used, unless its ID is declared already.
    ///
    /// - Returns: The problem, if it is invalid and has not been reported yet.
    mutating func declare(_ action: TweakAction, at names: TweakNames) -> [TweakProblem] {
        guard actions[action.id] == nil else { return [] }
        do throws(TweakError) {
            try TweakDeclaration.validate(id: action.id)
            try addPlace(of: names)
            try add(action, to: names.place)
            return []
        } catch {
            return refuse(action.id, error)
        }
    }

    /// Adds the category and the collection of an inline declaration, unless they exist.
    private mutating func addPlace(of names: TweakNames) throws(TweakError) {
        let place = names.place
        if !categories.contains(where: { $0.id == place.category }) {
            try add(category: place.category, names.category)
        }
        guard let category = categories.first(where: { $0.id == place.category }),
            !category.collections.contains(where: { $0.id == place.collection })
        else { return }
        try add(collection: place.collection, names.collection, to: place.category)
    }

    private mutating func refuse(_ id: String, _ error: TweakError) -> [TweakProblem] {
        refused.insert(id).inserted ? [.declaration(error)] : []
    }

    private mutating func append(_ item: Item, at place: TweakPlace) throws(TweakError) {
        guard entries[item.id] == nil, actions[item.id] == nil else {
            throw TweakError(.declaration, "another tweak or action has the ID \(item.id)")
        }
        guard let category = categories.firstIndex(where: { $0.id == place.category }),
            let collection = categories[category].collections.firstIndex(where: { $0.id == place.collection })
        else { throw TweakError(.declaration, "the category \(place.category) has no collection \(place.collection)") }
        categories[category].collections[collection].items.append(item)
    }
}

// MARK: Reading

extension TweakState {
    func entry(_ id: String) -> Entry? { entries[id] }

    func action(_ id: String) -> TweakAction? { actions[id] }

    /// The revision that a change of a tweak has to name; 0 if it was never overridden.
    func revision(of id: String) -> Int64 { stored.tweaks[id]?.revision ?? 0 }

    /// The IDs of all tweaks.
    var ids: [String] { entries.keys.sorted() }

    /// The stored overrides for tweaks that this program does not declare.
    var unknown: [TweakOverride] {
        stored.tweaks.values.filter { $0.value != nil && entries[$0.id] == nil }.sorted { $0.id < $1.id }
    }

    /// Returns the value that a text represents, if the tweak accepts it.
    func content(of text: String, for id: String) throws(TweakError) -> TweakContent {
        guard let entry = entries[id] else {
            if actions[id] != nil { throw TweakError(.action, "\(id) is an action, which has no value") }
            throw TweakError(.unknown, "\(TweakDeclaration.shortened(id: id)): no tweak has this ID")
        }
        switch Self.read(text, for: entry) {
        case .success(let content): return content
        case .failure(let refusal): throw TweakError(.value, "\(id): \(refusal.reason)")
        }
    }

    /// Returns the text that an import stores for a tweak, which may be one that only other versions declare.
    func importedText(_ text: String, for id: String) throws(TweakError) -> String {
        guard entries[id] == nil, actions[id] == nil else { return try content(of: text, for: id).text }
        do throws(TweakError) {
            try TweakDeclaration.validate(id: id)
        } catch {
            throw TweakError(.unknown, error.detail)
        }
        if let reason = TweakConstraint.text(bytes: TweakConstraint.textBytes).refusal(of: .text(text)) {
            throw TweakError(.value, "\(id): \(reason)")
        }
        return text
    }

    private struct Refusal: Error { let reason: String }

    private static func read(_ text: String, for entry: Entry) -> Result<TweakContent, Refusal> {
        guard let content = TweakContent(text, as: entry.declaration.defaultValue.kind) else {
            return .failure(Refusal(reason: entry.declaration.defaultValue.kind.refusal))
        }
        if let reason = entry.declaration.constraint.refusal(of: content) { return .failure(Refusal(reason: reason)) }
        return .success(content)
    }
}

// MARK: Changing

extension TweakState {
    /// Replaces the overrides with those of the store, unless the current ones may have been read later.
    ///
    /// A higher revision is newer. Another revision may come from a load that began earlier and ended late: it is
    /// discarded if another load has ended since this one began. Otherwise the store was restored from a backup, and
    /// its overrides apply.
    ///
    /// - Parameters:
    ///   - stored: The overrides.
    ///   - generation: The generation in which the loading began.
    /// - Returns: The values that cannot be used and have not been reported yet.
    mutating func replaceOverrides(with stored: TweakOverrides, loadedSince generation: Int) -> [TweakFault] {
        guard stored.revision > self.stored.revision || generation == self.generation else { return [] }
        return replaceOverrides(with: stored)
    }

    /// Replaces the overrides.
    ///
    /// - Returns: The values that cannot be used and have not been reported yet.
    mutating func replaceOverrides(with stored: TweakOverrides) -> [TweakFault] {
        self.stored = stored
        generation += 1
        var faults = evaluateAll()
        for tweak in unknown where reportedUnknown.insert(tweak.id).inserted {
            faults.append(
                TweakFault(id: tweak.id, source: .override, reason: "this program does not declare the tweak")
            )
        }
        return faults
    }

    /// Replaces the values of the file.
    ///
    /// - Parameter texts: The values as texts, by tweak ID.
    /// - Returns: The values that cannot be used and have not been reported yet.
    mutating func replaceFileValues(with texts: [String: String]) -> [TweakFault] {
        file = texts
        return evaluateAll()
    }

    private mutating func evaluateAll() -> [TweakFault] {
        entries.keys.sorted().flatMap { evaluate($0) }
    }

    /// Determines the current value of a tweak, and queues a notification for its observers if it has changed.
    private mutating func evaluate(_ id: String) -> [TweakFault] {
        guard var entry = entries[id] else { return [] }
        var faults: [TweakFault] = []
        var (content, source) = (entry.declaration.defaultValue, TweakSource.default)
        for (layer, text) in [(TweakSource.override, stored.tweaks[id]?.value), (.file, file[id])] {
            guard let text else { continue }
            switch Self.read(text, for: entry) {
            case .success(let read):
                if source == .default { (content, source) = (read, layer) }
            case .failure(let refusal):
                faults.append(TweakFault(id: id, source: layer, reason: refusal.reason))
            }
        }
        let new = faults.filter { !entry.faults.contains($0) }
        let isChanged = content != entry.content
        entry.faults = faults
        entry.content = content
        entry.source = source
        entries[id] = entry
        if isChanged { pending += entry.observers.map { (id, $0.number, content) } }
        return new
    }
}

// MARK: Observers

extension TweakState {
    /// Adds an observer of changes, and queues a notification of the current value if requested.
    ///
    /// - Returns: The number of the observer; nil if there is no such tweak.
    mutating func observe(_ id: String, includingNow: Bool, _ call: @escaping Observer) -> UInt64? {
        guard let entry = entries[id] else { return nil }
        lastObserver += 1
        entries[id]?.observers.append((lastObserver, call))
        if includingNow { pending.append((id, lastObserver, entry.content)) }
        return lastObserver
    }

    mutating func cancel(_ observer: UInt64, of id: String) {
        entries[id]?.observers.removeAll { $0.number == observer }
        pending.removeAll { $0.observer == observer }
    }

    /// Returns whether the caller must drain the notification queue.
    ///
    /// One caller drains it at a time, which keeps changes in order.
    mutating func beginNotifying() -> Bool {
        defer { isNotifying = true }
        return !isNotifying
    }

    /// Returns the next notification, to be delivered without the lock; nil ends the draining.
    mutating func nextNotification() -> (call: Observer, content: TweakContent)? {
        while !pending.isEmpty {
            let next = pending.removeFirst()
            let observer = entries[next.tweak]?.observers.first { $0.number == next.observer }
            if let observer { return (observer.call, next.content) }
        }
        isNotifying = false
        return nil
    }
}

extension TweakContent.Kind {
    /// The reason why a value is not of this kind.
    fileprivate var refusal: String {
        switch self {
        case .boolean: "it must be true or false"
        case .integer: "it is not a whole number"
        case .decimal: "it is not a number"
        case .seconds: "it is not a number of seconds with at most three decimal places"
        case .text: "it is not a text"
        }
    }
}
