// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// What is known of a tweak before anybody has set it.
struct TweakDeclaration: Sendable {
    /// What it is known by, for ever: parts of small letters, digits and hyphens, with dots between them.
    let id: String
    /// How it is called on the page.
    let title: String
    /// What it does, in a sentence or two.
    let description: String
    /// What its number counts; nil for a plain number or none.
    let unit: String?
    /// What it is where nobody says otherwise.
    let standard: TweakContent
    /// Which values it takes at first.
    let constraint: TweakConstraint
    /// What no constraint of it ever exceeds; nil where it is no number.
    let limit: TweakRange?

    /// Refuses what contradicts itself.
    func validate() throws(TweakError) {
        try Self.validate(id: id)
        if case .range(let range) = constraint {
            guard range.lower.kind == standard.kind, !range.upper.isLess(than: range.lower) else {
                throw TweakError(.declaration, "\(id): the range is of another kind than the default")
            }
            if let step = range.step {
                guard Self.isPositive(step) else { throw TweakError(.declaration, "\(id): a step is more than zero") }
            }
        }
        if case .choices(let choices) = constraint, Set(choices).count != choices.count || choices.isEmpty {
            throw TweakError(.declaration, "\(id): there is a choice, and each stands there once")
        }
        try check(constraint)
    }

    /// Refuses a constraint that exceeds the limit, or that the default does not meet.
    func check(_ constraint: TweakConstraint) throws(TweakError) {
        if case .range(let range) = constraint, let limit, !limit.contains(range) {
            throw TweakError(
                .declaration,
                "\(id): the range exceeds the limit of \(limit.lower.text) to \(limit.upper.text)"
            )
        }
        if let refusal = constraint.refusal(of: standard) {
            throw TweakError(.declaration, "\(id): the default does not meet the constraint: \(refusal)")
        }
    }

    /// Refuses what is no ID.
    static func validate(id: String) throws(TweakError) {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        let areParts = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                }
        }
        guard areParts, id.utf8.count <= 96 else {
            throw TweakError(
                .declaration,
                "an ID has parts of small letters, digits and hyphens, with dots between them"
            )
        }
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

/// Something that an operator can have done.
struct TweakAction: Sendable {
    let id: String
    let title: String
    let description: String
    /// Does it, and says in a sentence what happens now.
    let perform: @Sendable () async -> String
}
#endif
