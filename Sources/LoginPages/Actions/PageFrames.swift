// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts

/// Creates the frames of pages.
struct PageFrames: Sendable {
    /// The texts of the pages.
    let text: SharedText

    /// The path of the service's logo; nil if there is none.
    let logo: LocalPath?

    /// The address for users who need help; nil if there is none.
    let support: SupportLink?

    /// The languages that pages offer.
    let languages: [PageLanguages.Choice]

    /// Returns the frame of a page for a visitor who is not signed in, or of a page that does not need the account.
    func signedOut(_ request: PageRequest) -> PageFrame {
        PageFrame(
            text: text,
            csrf: request.csrf,
            logo: logo,
            support: support,
            // A page of a posted form has no URL to return to in another language.
            languages: request.isPosted ? [] : languages,
            path: request.path,
            notice: request.query["notice"].flatMap { Notice(rawValue: $0) }
        )
    }

    /// Returns the frame of a page for the user of an account.
    func user(_ request: PageRequest, _ account: Account) -> PageFrame {
        var frame = signedOut(request)
        frame.visitor = account.isAnonymous ? .guest : .signedIn(name: account.displayName ?? account.email)
        return frame
    }

    /// Returns the frame of a page about an error, for a visitor who may be signed in.
    func visitor(_ request: PageRequest) async -> PageFrame {
        // The error may concern the account itself. The page is shown nevertheless.
        guard let account = try? await request.session?.account() else { return signedOut(request) }
        return user(request, account)
    }
}
#endif
