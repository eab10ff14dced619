// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Tweak where Value: TweakNumber {
    /// Declares a number within a range, or returns the tweak that was declared with the same names.
    ///
    /// ```swift
    /// let pause = Tweak("Import", "Queue", "Pause", default: 30, in: 0...600).value
    /// ```
    ///
    /// The first declaration of three names applies. One that differs in its default or constraint, or is invalid, is
    /// reported once (``TweakProblem/declaration(_:)``), and never ends the program.
    ///
    /// - Parameters:
    ///   - category: The title of the category. The three names identify the tweak and its stored value.
    ///   - collection: The title of the collection.
    ///   - name: The title of the tweak.
    ///   - defaultValue: The default value.
    ///   - range: The allowed values.
    ///   - step: The distance between two allowed values, counted from the lower bound; nil to allow every value in the
    ///     range.
    ///   - unit: The unit on the page. Nil means seconds for a duration, and no unit for another number.
    ///   - description: The effect of the tweak.
    ///   - tweaks: The tweaks to which it belongs.
    public init(
        _ category: String,
        _ collection: String,
        _ name: String,
        default defaultValue: Value,
        in range: ClosedRange<Value>,
        step: Value? = nil,
        unit: String? = nil,
        description: String = "",
        in tweaks: Tweaks = .shared
    ) {
        self.init(
            TweakNames(category: category, collection: collection, name: name),
            defaultValue,
            .range(TweakRange(range, step: step)),
            unit: unit,
            description,
            tweaks
        )
    }

    /// Declares a number without a range, or returns the tweak that was declared with the same names.
    ///
    /// - Parameters:
    ///   - category: The title of the category.
    ///   - collection: The title of the collection.
    ///   - name: The title of the tweak.
    ///   - defaultValue: The default value.
    ///   - unit: The unit on the page. Nil means seconds for a duration, and no unit for another number.
    ///   - description: The effect of the tweak.
    ///   - tweaks: The tweaks to which it belongs.
    public init(
        _ category: String,
        _ collection: String,
        _ name: String,
        default defaultValue: Value,
        unit: String? = nil,
        description: String = "",
        in tweaks: Tweaks = .shared
    ) {
        let names = TweakNames(category: category, collection: collection, name: name)
        self.init(names, defaultValue, .any, unit: unit, description, tweaks)
    }
}

extension Tweak<Bool> {
    /// Declares a switch, or returns the tweak that was declared with the same names.
    ///
    /// - Parameters:
    ///   - category: The title of the category.
    ///   - collection: The title of the collection.
    ///   - name: The title of the tweak.
    ///   - defaultValue: The default value.
    ///   - description: The effect of the tweak.
    ///   - tweaks: The tweaks to which it belongs.
    public init(
        _ category: String,
        _ collection: String,
        _ name: String,
        default defaultValue: Bool,
        description: String = "",
        in tweaks: Tweaks = .shared
    ) {
        let names = TweakNames(category: category, collection: collection, name: name)
        self.init(names, defaultValue, .any, description, tweaks)
    }
}

extension Tweak<String> {
    /// Declares a choice, or returns the tweak that was declared with the same names.
    ///
    /// - Parameters:
    ///   - category: The title of the category.
    ///   - collection: The title of the collection.
    ///   - name: The title of the tweak.
    ///   - defaultValue: The default value.
    ///   - choices: The allowed values, which include the default.
    ///   - description: The effect of the tweak.
    ///   - tweaks: The tweaks to which it belongs.
    public init(
        _ category: String,
        _ collection: String,
        _ name: String,
        default defaultValue: String,
        choices: [String],
        description: String = "",
        in tweaks: Tweaks = .shared
    ) {
        let names = TweakNames(category: category, collection: collection, name: name)
        self.init(names, defaultValue, .choices(choices), description, tweaks)
    }

    /// Declares a text, or returns the tweak that was declared with the same names.
    ///
    /// - Parameters:
    ///   - category: The title of the category.
    ///   - collection: The title of the collection.
    ///   - name: The title of the tweak.
    ///   - defaultValue: The default value: a single line of at most 1,024 bytes.
    ///   - description: The effect of the tweak.
    ///   - tweaks: The tweaks to which it belongs.
    public init(
        _ category: String,
        _ collection: String,
        _ name: String,
        default defaultValue: String,
        description: String = "",
        in tweaks: Tweaks = .shared
    ) {
        let names = TweakNames(category: category, collection: collection, name: name)
        self.init(names, defaultValue, .text(bytes: TweakConstraint.textBytes), description, tweaks)
    }
}

extension Tweak {
    private init(
        _ names: TweakNames,
        _ defaultValue: Value,
        _ constraint: TweakConstraint,
        unit: String? = nil,
        _ description: String,
        _ tweaks: Tweaks
    ) {
        let declaration = TweakDeclaration(
            id: names.id,
            title: names.name,
            description: description,
            unit: unit,
            defaultValue: defaultValue.tweakContent,
            constraint: constraint
        )
        tweaks.declare(declaration, at: names)
        self.init(id: declaration.id, default: defaultValue, tweaks: tweaks)
    }
}

extension Tweaks {
    /// Declares an action, unless one was declared with the same names.
    ///
    /// - Parameters:
    ///   - category: The title of the category.
    ///   - collection: The title of the collection.
    ///   - name: The title of the action.
    ///   - description: The effect of the action.
    ///   - perform: A closure that runs the action and returns a sentence that tells the operator the result. Every
    ///     user of the page can run it as often as they like.
    public func action(
        _ category: String,
        _ collection: String,
        _ name: String,
        description: String = "",
        perform: @escaping @Sendable () async -> String
    ) {
        let names = TweakNames(category: category, collection: collection, name: name)
        declare(TweakAction(id: names.id, title: name, description: description, perform: perform), at: names)
    }
}
