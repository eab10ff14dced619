// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that offers recovery codes after a second factor was added to an account without codes.
struct RecoveryOfferPage: Page {
    var frame: PageFrame

    /// The return path.
    var returnTo = LocalPath.home

    var title: String { text.recovery.title }

    var content: HTML {
        build {
            p { text.account.noCodes }
            button(to: "/recovery-codes", .primary, returning(to: returnTo)) { text.account.makeCodes }
            p { link(returnTo) { text.recovery.later } }
        }
    }
}
#endif
