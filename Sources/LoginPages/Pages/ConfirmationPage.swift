// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that asks before a change that the user may regret: signing out as a guest, unlinking a login, removing a
/// second factor, and replacing recovery codes.
struct ConfirmationPage: Page {
    var frame: PageFrame
    var title: String

    /// The effect of the change.
    var effect: Phrase

    /// The label of the button.
    var label: Phrase

    /// The path that makes the change.
    var path: LocalPath

    /// The fields of the form, beside the confirmation.
    var fields: [(String, String)] = []

    /// The return path, also for a user who cancels.
    var returnTo = LocalPath.home

    var content: HTML {
        build {
            p { effect }
            form(to: path, [("sure", "yes")] + fields + returning(to: returnTo)) {
                div(.class("actions")) {
                    submit(.danger) { label }
                    link(returnTo) { text.frame.cancel }
                }
            }
        }
    }
}
#endif
