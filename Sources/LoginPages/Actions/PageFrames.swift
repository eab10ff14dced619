// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

/// Makes the frames of pages.
struct PageFrames: Sendable {
    /// The words on the pages.
    let text: PageText

    /// The frame of a page for somebody who is not signed in, or whose account the page does not need.
    func stranger(_ request: PageRequest) -> PageFrame {
        PageFrame(
            text: text,
            csrf: request.csrf,
            notice: request.query["notice"].flatMap { Notice(rawValue: $0) }
        )
    }

    /// The frame of a page for the user of an account.
    func user(_ request: PageRequest, _ account: Account) -> PageFrame {
        var frame = stranger(request)
        frame.visitor = .person(name: account.displayName ?? account.email)
        return frame
    }
}
#endif
