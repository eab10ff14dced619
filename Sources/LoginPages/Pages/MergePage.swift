// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that shows the effects of merging two accounts, and confirms the merge.
struct MergePage: Page {
    var frame: PageFrame

    /// The name of the signed-in account, into which the other one is merged.
    var this: String

    /// The name of the other account.
    var other: String

    /// The logins that move to this account.
    var moves: [Phrase] = []

    /// The logins that are removed.
    var drops: [Phrase] = []

    /// The names of the providers at which both accounts have a login.
    var clashes: [String] = []

    /// Whether one of the accounts has a second factor.
    var hasFactors = false

    /// The obstacles to the merge, in sentences.
    var obstacles: [String] = []

    /// The page with the step of the user that removes an obstacle; nil if no step does.
    var remedy: LocalPath?

    var problems: [FieldProblem] = []

    /// The login that is kept if both accounts have one at the same provider.
    enum Choice: String, Sendable {
        case this, other
    }

    var title: String { text.merge.title }

    var content: HTML {
        build {
            p { text.merge.intro(other, this) }
            if moves.isEmpty {
                p { text.merge.nothingMoves }
            } else {
                section("moves", text.merge.moves) { list(moves) }
            }
            if !drops.isEmpty { section("drops", text.merge.drops) { list(drops) } }
            if hasFactors { p { text.merge.factors } }
            for obstacle in obstacles { p(.class("problem")) { text.merge.obstacle(obstacle) } }
            if obstacles.isEmpty { confirmation }
            if let remedy { p { link(remedy) { text.secondFactor.title } } }
            button(to: "/merge", .secondary, [("action", "cancel")]) { text.frame.cancel }
        }
    }

    private var confirmation: HTML {
        form(to: "/merge", [("action", "merge")]) {
            for clash in clashes { p { text.merge.clash(clash) } }
            if !clashes.isEmpty {
                choice(
                    "keep",
                    text.merge.choose,
                    [
                        (Choice.this.rawValue, text.merge.keepThis(this)),
                        (Choice.other.rawValue, text.merge.keepOther(other)),
                    ]
                )
            }
            submit(.danger) { text.merge.confirm }
        }
    }

    private func list(_ logins: [Phrase]) -> HTML {
        ul { for login in logins { li { login } } }
    }
}
#endif
