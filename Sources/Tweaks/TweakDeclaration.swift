// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The declaration of a tweak, without any overriding value.
struct TweakDeclaration: Sendable {
    /// The permanent ID: parts of lowercase letters, digits and hyphens, separated by dots.
    let id: String
    /// The title on the page.
    let title: String
    /// The effect of the tweak, in a sentence or two.
    let description: String
    /// The unit of the number; nil for seconds, a plain number, or another kind of value.
    let unit: String?
    /// The default value.
    let defaultValue: TweakContent
    /// The constraint of the value.
    let constraint: TweakConstraint

    /// Throws an error if the declaration contradicts itself.
    func validate() throws(TweakError) {
        try Self.validate(id: id)
        if case .range(let range) = constraint {
            guard range.lower.kind == defaultValue.kind, !range.upper.isLess(than: range.lower) else {
                throw TweakError(
                    .declaration,
                    "\(id): the range must be of the same kind as the default, and not empty"
                )
            }
            if let step = range.step {
                guard Self.isPositive(step) else { throw TweakError(.declaration, "\(id): the step must be positive") }
            }
        }
        if case .choices(let choices) = constraint, Set(choices).count != choices.count || choices.isEmpty {
            throw TweakError(.declaration, "\(id): the choices must be unique, and there must be at least one")
        }
        if let refusal = constraint.refusal(of: defaultValue) {
            throw TweakError(.declaration, "\(id): the default does not meet the constraint: \(refusal)")
        }
    }

    /// Throws an error if an ID is malformed or longer than ``idBytes``.
    static func validate(id: String) throws(TweakError) {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        let areParts = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                }
        }
        guard id.utf8.count <= idBytes else {
            throw TweakError(
                .declaration,
                "\(shortened(id: id)): the ID has more than \(idBytes) bytes; use shorter names"
            )
        }
        guard areParts else {
            throw TweakError(
                .declaration,
                "\(shortened(id: id)): an ID has parts of lowercase letters, digits and hyphens, separated by dots"
            )
        }
    }

    /// The maximum length of an ID: 96 bytes, more than three titles of a few words.
    private static let idBytes = 96

    /// Returns an ID that may be malformed for a message: in ASCII, and not much longer than a valid one.
    static func shortened(id: String) -> String {
        let scalars = id.unicodeScalars
        let start = scalars.prefix(idBytes).map { $0.escaped(asASCII: true) }.joined()
        return scalars.count > idBytes ? start + "…" : start
    }

    private static func isPositive(_ step: TweakContent) -> Bool {
        switch step {
        case .integer(let value): value > 0
        case .decimal(let value): value > 0
        case .seconds(let value): value >= .milliseconds(1)
        case .boolean, .text: false
        }
    }
}

/// An action that an operator can run.
struct TweakAction: Sendable {
    let id: String
    let title: String
    let description: String
    /// Runs the action and returns a sentence that tells the operator the result.
    let perform: @Sendable () async -> String
}
