// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page after signing out, or after the account was deleted.
struct SignedOutPage: Page {
    var frame: PageFrame

    /// Whether the account was deleted.
    var isDeleted = false

    var title: String { isDeleted ? text.signedOut.deletedTitle : text.signedOut.title }

    var content: HTML {
        build {
            p { isDeleted ? text.signedOut.deletedIntro : text.signedOut.intro }
            if !isDeleted { p { link("/login") { text.frame.signIn } } }
        }
    }
}
#endif
