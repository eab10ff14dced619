// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that confirms the deletion of the account.
struct DeletionPage: Page {
    var frame: PageFrame
    var problems: [FieldProblem] = []

    var title: String { text.deletion.title }

    var content: HTML {
        build {
            p { text.deletion.warning }
            form(to: "/account/delete") {
                checkbox("sure", text.deletion.sure)
                div(.class("actions")) {
                    submit(.danger) { text.account.delete }
                    link(.home) { text.frame.cancel }
                }
            }
        }
    }
}
#endif
