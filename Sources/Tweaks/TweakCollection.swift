// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The position of a tweak or an action on the page.
struct TweakPlace: Sendable {
    let category: String
    let collection: String
}

/// A category of tweaks, to which collections are added.
public struct TweakCategory: Sendable {
    let tweaks: Tweaks
    let id: String

    /// Adds a collection after the existing ones.
    ///
    /// - Parameters:
    ///   - id: The ID of the collection, unique within the category: lowercase letters, digits and hyphens.
    ///   - title: The title on the page.
    /// - Returns: The collection.
    /// - Throws: ``TweakError``: `declaration` if the ID is malformed or in use.
    public func collection(_ id: String, _ title: String) throws(TweakError) -> TweakCollection {
        try tweaks.addCollection(id, title, to: self.id)
        return TweakCollection(tweaks: tweaks, place: TweakPlace(category: self.id, collection: id))
    }
}

/// A collection of tweaks, to which tweaks and actions are added in order.
///
/// An ID consists of parts of lowercase letters, digits and hyphens, separated by dots. It is unique among all tweaks
/// and actions. Values are stored by ID, so an ID must stay the same when the title changes.
public struct TweakCollection: Sendable {
    let tweaks: Tweaks
    let place: TweakPlace

    /// Adds a number.
    ///
    /// - Parameters:
    ///   - id: The permanent ID.
    ///   - title: The title on the page.
    ///   - defaultValue: The default value.
    ///   - range: The allowed values.
    ///   - step: The distance between two allowed values, counted from the lower bound; nil to allow every value in the
    ///     range.
    ///   - unit: The unit on the page. Nil means seconds for a duration, and no unit for another number.
    ///   - description: The effect of the tweak.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add<Value: TweakNumber>(
        _ id: String,
        _ title: String,
        default defaultValue: Value,
        in range: ClosedRange<Value>,
        step: Value? = nil,
        unit: String? = nil,
        description: String
    ) throws(TweakError) -> Tweak<Value> {
        try add(id, title, defaultValue, .range(TweakRange(range, step: step)), unit: unit, description)
    }

    /// Adds a switch, which is either on or off.
    ///
    /// - Parameters:
    ///   - id: The permanent ID.
    ///   - title: The title on the page.
    ///   - defaultValue: The default value.
    ///   - description: The effect of the tweak.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add(
        _ id: String,
        _ title: String,
        default defaultValue: Bool,
        description: String
    ) throws(TweakError) -> Tweak<Bool> {
        try add(id, title, defaultValue, .any, description)
    }

    /// Adds a choice.
    ///
    /// - Parameters:
    ///   - id: The permanent ID.
    ///   - title: The title on the page.
    ///   - defaultValue: The default value.
    ///   - choices: The allowed values, which include the default.
    ///   - description: The effect of the tweak.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add(
        _ id: String,
        _ title: String,
        default defaultValue: String,
        choices: [String],
        description: String
    ) throws(TweakError) -> Tweak<String> {
        try add(id, title, defaultValue, .choices(choices), description)
    }

    /// Adds a text.
    ///
    /// - Parameters:
    ///   - id: The permanent ID.
    ///   - title: The title on the page.
    ///   - defaultValue: The default value.
    ///   - bytes: The maximum length of the text, a single line: 1 … 1,024 bytes.
    ///   - description: The effect of the tweak.
    /// - Returns: The tweak.
    /// - Throws: ``TweakError``: `declaration`.
    public func add(
        _ id: String,
        _ title: String,
        default defaultValue: String,
        bytes: Int,
        description: String
    ) throws(TweakError) -> Tweak<String> {
        guard (1...TweakConstraint.textBytes).contains(bytes) else {
            throw TweakError(.declaration, "\(id): the maximum length must be 1 to \(TweakConstraint.textBytes) bytes")
        }
        return try add(id, title, defaultValue, .text(bytes: bytes), description)
    }

    /// Adds an action that an operator can run.
    ///
    /// It has no value.
    ///
    /// - Parameters:
    ///   - id: The permanent ID.
    ///   - title: The title on the page.
    ///   - description: The effect of the action.
    ///   - perform: A closure that runs the action and returns a sentence that tells the operator the result. Every
    ///     user of the page can run it as often as they like.
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
        _ defaultValue: Value,
        _ constraint: TweakConstraint,
        unit: String? = nil,
        _ description: String
    ) throws(TweakError) -> Tweak<Value> {
        let declaration = TweakDeclaration(
            id: id,
            title: title,
            description: description,
            unit: unit,
            defaultValue: defaultValue.tweakContent,
            constraint: constraint
        )
        try tweaks.declare(declaration, at: place)
        return Tweak(id: id, default: defaultValue, tweaks: tweaks)
    }
}
