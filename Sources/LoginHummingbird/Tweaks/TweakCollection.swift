// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// Where a tweak stands.
struct TweakPlace: Sendable {
    let category: String
    let collection: String
}

/// A category of tweaks, to which collections are added.
public struct TweakCategory: Sendable {
    let tweaks: Tweaks
    let id: String

    /// Adds a collection, behind those that are there.
    ///
    /// - Parameters:
    ///   - id: What it is known by, within the category: small letters, digits and hyphens.
    ///   - title: How it is called on the page.
    /// - Returns: The collection.
    /// - Throws: ``TweakError``: `declaration` where there is one of this ID.
    public func collection(_ id: String, _ title: String) throws(TweakError) -> TweakCollection {
        try tweaks.addCollection(id, title, to: self.id)
        return TweakCollection(tweaks: tweaks, place: TweakPlace(category: self.id, collection: id))
    }
}

/// A collection of tweaks, to which tweaks and actions are added, each behind those that are there.
///
/// An ID has parts of small letters, digits and hyphens with dots between them, and no two tweaks or actions have the same. What is
/// kept is kept by it, so it stays when a title changes.
public struct TweakCollection: Sendable {
    let tweaks: Tweaks
    let place: TweakPlace

    /// Adds a number.
    ///
    /// - Parameters:
    ///   - id: What it is known by, for ever.
    ///   - title: How it is called on the page.
    ///   - standard: What it is where nobody says otherwise.
    ///   - range: What it may be.
    ///   - step: What lies between one value and the next; nil where all in the range will do.
    ///   - limit: What no range exceeds, whatever it is constrained to later; nil for the range.
    ///   - unit: What it counts, for the page; nil for nothing, and for times, which count seconds.
    ///   - description: What it does.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add<Value: TweakNumber>(
        _ id: String,
        _ title: String,
        default standard: Value,
        in range: ClosedRange<Value>,
        step: Value? = nil,
        limit: ClosedRange<Value>? = nil,
        unit: String? = nil,
        description: String
    ) throws(TweakError) -> Tweak<Value> {
        try add(
            id,
            title,
            standard,
            .range(TweakRange(range, step: step)),
            limit: TweakRange(limit ?? range, step: nil),
            unit: unit ?? (standard.tweakContent.kind == .seconds ? "s" : nil),
            description
        )
    }

    /// Adds what is either on or off.
    ///
    /// - Parameters:
    ///   - id: What it is known by, for ever.
    ///   - title: How it is called on the page.
    ///   - standard: What it is where nobody says otherwise.
    ///   - description: What it does.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add(
        _ id: String,
        _ title: String,
        default standard: Bool,
        description: String
    ) throws(TweakError) -> Tweak<Bool> {
        try add(id, title, standard, .any, description)
    }

    /// Adds a choice.
    ///
    /// - Parameters:
    ///   - id: What it is known by, for ever.
    ///   - title: How it is called on the page.
    ///   - standard: What it is where nobody says otherwise.
    ///   - choices: What it may be.
    ///   - description: What it does.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add(
        _ id: String,
        _ title: String,
        default standard: String,
        choices: [String],
        description: String
    ) throws(TweakError) -> Tweak<String> {
        try add(id, title, standard, .choices(choices), description)
    }

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - id: What it is known by, for ever.
    ///   - title: How it is called on the page.
    ///   - standard: What it is where nobody says otherwise.
    ///   - bytes: How long it may be: 1 … 1,024 bytes, on one line.
    ///   - description: What it does.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add(
        _ id: String,
        _ title: String,
        default standard: String,
        bytes: Int,
        description: String
    ) throws(TweakError) -> Tweak<String> {
        guard (1...1024).contains(bytes) else { throw TweakError(.declaration, "\(id): a text has 1 to 1024 bytes") }
        return try add(id, title, standard, .text(bytes: bytes), description)
    }

    /// Adds something that an operator can have done, and that has no value.
    ///
    /// - Parameters:
    ///   - id: What it is known by, for ever.
    ///   - title: How it is called on the page.
    ///   - description: What it does.
    ///   - perform: Does it, and says in a sentence what happens now. Whoever can open the page can call it as often as they like.
    /// - Throws: ``TweakError``: `declaration`.
    public func addAction(
        _ id: String,
        _ title: String,
        description: String,
        perform: @escaping @Sendable () async -> String
    ) throws(TweakError) {
        let action = TweakAction(id: id, title: title, description: description, perform: perform)
        try tweaks.declare(action, at: place)
    }

    private func add<Value: TweakValue>(
        _ id: String,
        _ title: String,
        _ standard: Value,
        _ constraint: TweakConstraint,
        limit: TweakRange? = nil,
        unit: String? = nil,
        _ description: String
    ) throws(TweakError) -> Tweak<Value> {
        let declaration = TweakDeclaration(
            id: id,
            title: title,
            description: description,
            unit: unit,
            standard: standard.tweakContent,
            constraint: constraint,
            limit: limit
        )
        try tweaks.declare(declaration, at: place)
        return Tweak(id: id, tweaks: tweaks)
    }
}
#endif
