// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The page that shows recovery codes, once.
struct RecoveryCodesPage: Page {
    var frame: PageFrame
    var codes: [String]

    /// The return path.
    var returnTo = LocalPath.home

    var title: String { text.recovery.title }

    var content: HTML {
        build {
            p { text.recovery.intro }
            HTML(
                "ol",
                [.class("codes"), .ariaLabel(text.recovery.title)],
                build {
                    for item in codes { li { code(item) } }
                }
            )
            p { text.recovery.once }
            p { link(returnTo) { text.recovery.done } }
        }
    }
}
#endif
