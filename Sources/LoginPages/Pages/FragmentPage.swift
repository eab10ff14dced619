// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The page at the redirect URI of a provider that responds in the fragment of the URL.
///
/// Its script posts the parameters of the fragment to the same path. Without scripts, the page says what it needs.
struct FragmentPage: Page {
    var frame: PageFrame

    var title: String { text.fragment.title }

    var script: PageAsset? { FragmentScript.asset }

    var content: HTML {
        build {
            p(.id("pending")) { text.fragment.pending }
            p(.id("missing"), .role("alert"), .hidden) { text.fragment.missing }
            p { link("/login") { text.fragment.another } }
        }
    }
}
#endif
