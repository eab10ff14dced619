// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page that shows recovery codes, once.
struct RecoveryCodesPage: Page {
    var frame: PageFrame
    var codes: [String]

    /// Whether the account had other codes, which are now invalid.
    var replacesOthers = false

    /// The return path.
    var returnTo = LocalPath.home

    var title: String { text.recovery.title }

    var content: HTML {
        build {
            p { text.recovery.intro }
            if replacesOthers { p { text.recovery.replaced } }
            p(.class("warning")) { text.recovery.once }
            HTML(
                "ol",
                [.class("codes"), .ariaLabel(text.recovery.title)],
                build {
                    for item in codes { li { code(item) } }
                }
            )
            p { link(returnTo, .class("primary")) { text.recovery.done } }
        }
    }
}
#endif
