// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import LoginHTTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The texts of the pages.
///
/// There are texts in ``english``, ``german``, ``indonesian``, ``korean`` and ``spanish``. For another tone, change one
/// of them and pass it to the pages:
///
/// ```swift
/// var text = PageText.english
/// text.login.title = "Welcome"
/// text.login.guest = "Look around first"
/// ```
///
/// For another language, set the properties of a copy, and first the tag and the name of the language in ``frame``.
public struct PageText: Sendable {
    /// The texts of the frame of every page.
    public var frame: Frame
    /// The texts of the sign-in page.
    public var login: Login
    /// The texts of the page that completes a login whose response is in the fragment of the URL.
    public var fragment: Fragment
    /// The texts of the sign-up page.
    public var signUp: SignUp
    /// The texts of the account page.
    public var account: AccountTexts
    /// The texts of the page that asks before a change.
    public var confirm: Confirmations
    /// The texts about logins that conflict with another account.
    public var conflict: Conflict
    /// The texts about the merge of two accounts.
    public var merge: Merge
    /// The texts about the second factor.
    public var secondFactor: SecondFactor
    /// The texts about codes that are sent to phones.
    public var phone: Phone
    /// The texts about the enrollment of an authenticator app.
    public var enroll: Enroll
    /// The texts about recovery codes.
    public var recovery: Recovery
    /// The texts about the user's sessions.
    public var sessions: Sessions
    /// The texts about reauthentication.
    public var reauthenticate: Reauthenticate
    /// The texts about the permissions of a login.
    public var permissions: Permissions
    /// The texts about the deletion of the account.
    public var deletion: Deletion
    /// The texts about password resets and the verification of e-mail addresses.
    public var password: Password
    /// The texts of the signed-out page.
    public var signedOut: SignedOut
    /// The texts about errors.
    public var problem: ProblemTexts
    /// The notices about an action that was just completed.
    public var notices: Notices
    /// The format of times.
    ///
    /// The formats of this module use UTC, since the server does not know the user's time zone.
    public var time: @Sendable (_ time: Date) -> String

    /// The texts in all languages of this module, English first.
    public static let all: [PageText] = [.english, .german, .spanish, .indonesian, .korean]
}

extension PageText {
    /// The texts of the frame of every page.
    public struct Frame: Sendable {
        /// The language of all texts, as a BCP 47 tag.
        public var language: String
        /// The writing direction: `ltr` or `rtl`.
        public var direction: String
        /// The name of the language in itself, for the choice of the language.
        public var languageName: String
        /// The accessible name of the choice of the language.
        public var languages: String
        /// The name of the service: ``SignInPagesOptions/serviceName``, or that of a service without a name.
        var service: String
        /// The link that skips the header, for keyboard users.
        public var skip: String
        /// The accessible name of the navigation.
        public var navigation: String
        /// The link to the account page.
        public var account: String
        /// The title of the sessions page, and the link to it.
        public var sessions: String
        /// The sign-out button.
        public var signOut: String
        /// The link to the sign-in page.
        public var signIn: String
        /// The link that cancels a step.
        public var cancel: String
        /// The name of a guest.
        public var guest: String
        /// The text for a user without a known name.
        public var someone: String
        /// The heading of the list of problems.
        public var problems: String
        /// The title of a page, from the title of the page and the name of the service.
        public var title: @Sendable (_ page: String, _ service: String) -> String
        /// The title of a page whose form has problems.
        public var titleWithProblem: @Sendable (_ title: String) -> String
        /// The text with the name of the signed-in user.
        public var signedInAs: @Sendable (_ person: String) -> Phrase
    }

    /// The texts of the sign-in page.
    public struct Login: Sendable {
        /// The title of the page.
        public var title: String
        /// The button of a provider.
        public var with: @Sendable (_ provider: String) -> String
        /// The link to the page that signs in with a phone number.
        public var withPhone: String
        /// The word between the other ways and the password form.
        public var or: String
        /// The label of the e-mail address.
        public var email: String
        /// The label of the password.
        public var password: String
        /// The submit button.
        public var submit: String
        /// The link to the password reset.
        public var forgotten: String
        /// The question before the link to the sign-up page.
        public var newHere: String
        /// The text if no way to sign in is configured.
        public var nothing: String
        /// The error for an empty e-mail address.
        public var emailMissing: String
        /// The error for an empty password.
        public var passwordMissing: String
        /// The button that starts a session without a login.
        public var guest: String
    }

    /// The texts of the page that completes a login whose response is in the fragment of the URL.
    public struct Fragment: Sendable {
        /// The title of the page.
        public var title: String
        /// The explanation.
        public var pending: String
        /// The text if the provider sent no response.
        public var missing: String
        /// The link to the sign-in page.
        public var another: String
    }

    /// The texts of the sign-up page.
    public struct SignUp: Sendable {
        /// The title of the page.
        public var title: String
        /// The help text with the requirements for a password.
        public var passwordHint: @Sendable (_ minimum: Int) -> String
        /// The submit button.
        public var submit: String
        /// The link to the sign-in page.
        public var haveAccount: String
    }

    /// The texts about logins that conflict with another account.
    public struct Conflict: Sendable {
        /// The title if an account has the e-mail address of the login.
        public var title: String
        /// The explanation, if the e-mail address of the login is known.
        public var address: @Sendable (_ provider: String, _ email: String) -> Phrase
        /// The explanation, if the e-mail address of the login is unknown.
        public var noAddress: @Sendable (_ provider: String) -> Phrase
        /// The instruction to sign in to the account.
        public var asBefore: @Sendable (_ provider: String) -> Phrase
        /// The text if no other login is offered.
        public var otherWays: String
        /// The button that discards the pending login.
        public var dismiss: String
        /// The title if a login that was to be linked belongs to another account.
        public var elsewhereTitle: String
        /// The explanation, if a login that was to be linked to an account belongs to another account.
        public var elsewhere: @Sendable (_ provider: String, _ account: String) -> Phrase
        /// The button that leads to the preview of a merge.
        public var join: String
        /// The button that discards the pending login, without a merge.
        public var leave: String
    }

    /// The texts about the merge of two accounts.
    public struct Merge: Sendable {
        /// The title of the page.
        public var title: String
        /// The introduction, with the names of the account that ends and of the signed-in account.
        public var intro: @Sendable (_ other: String, _ this: String) -> Phrase
        /// The heading of the logins that move to the signed-in account.
        public var moves: String
        /// The text if no login moves.
        public var nothingMoves: String
        /// The heading of the logins that are removed.
        public var drops: String
        /// The question which account's login to keep.
        public var choose: String
        /// The text about a provider at which both accounts have a login.
        public var clash: @Sendable (_ provider: String) -> Phrase
        /// The choice of the login of the signed-in account.
        public var keepThis: @Sendable (_ account: String) -> Phrase
        /// The choice of the login of the other account.
        public var keepOther: @Sendable (_ account: String) -> Phrase
        /// The error for a missing choice.
        public var keepMissing: String
        /// The text about the second factors after the merge.
        public var factors: String
        /// The button that confirms the merge.
        public var confirm: String
        /// The text about an obstacle to the merge.
        public var obstacle: @Sendable (_ explanation: String) -> String
    }

    /// The texts about the user's sessions.
    public struct Sessions: Sendable {
        /// The mark of the current session.
        public var current: String
        /// The name of a device without a `User-Agent` header.
        public var unknownDevice: String
        /// The name of a device, from its browser and its system.
        public var device: @Sendable (_ browser: String, _ system: String) -> String
        /// The label of the network address.
        public var network: String
        /// The label of the time of the last use.
        public var lastSeen: String
        /// The label of the time of the sign-in.
        public var opened: String
        /// The mark of a session with a second factor (level 2).
        public var confirmed: String
        /// The button that closes a session.
        public var close: @Sendable (_ device: String) -> Phrase
        /// The button that closes all other sessions.
        public var closeOthers: String
        /// The text if there are no other sessions.
        public var noOthers: String
    }

    /// The texts about reauthentication.
    public struct Reauthenticate: Sendable {
        /// The reason for a reauthentication.
        public var intro: String
        /// The reason for a second factor in an open session.
        public var code: String
    }

    /// The texts about the deletion of the account.
    public struct Deletion: Sendable {
        /// The title of the page.
        public var title: String
        /// The statement of what is deleted.
        public var warning: String
        /// The label of the checkbox.
        public var sure: String
        /// The error for an unchecked checkbox.
        public var sureMissing: String
    }

    /// The texts about password resets and the verification of e-mail addresses.
    public struct Password: Sendable {
        /// The title of the page that asks for the e-mail address.
        public var forgottenTitle: String
        /// The introduction of the page that asks for the e-mail address.
        public var forgottenIntro: String
        /// The button that requests a password reset.
        public var send: String
        /// The title after the request.
        public var sentTitle: String
        /// The text after the request.
        ///
        /// It must be the same for every e-mail address, so that it reveals no accounts.
        public var sent: String
        /// The link to another request.
        public var again: String
        /// The title of the page that asks for the new password.
        public var newTitle: String
        /// The label of the new password.
        public var newPassword: String
        /// The button that saves the new password.
        public var save: String
        /// The note that the reset closes all sessions.
        public var everywhere: String
        /// The title of the page that verifies an e-mail address.
        public var verifyTitle: String
        /// The instruction on the page that verifies an e-mail address.
        public var verifyIntro: String
        /// The button that verifies an e-mail address.
        public var verify: String
        /// The title of the page that changes the password, and the link to it.
        public var change: String
        /// The title of the page that adds a password, and the link to it.
        public var add: String
        /// The note that the change closes all other sessions.
        public var elsewhere: String
        /// The heading of the form for the password of another account of the user.
        public var otherAccount: String
        /// The note that this password leads to the merge of both accounts.
        public var existing: String
        /// The button that submits this password.
        public var join: String
    }

    /// The texts of the signed-out page.
    public struct SignedOut: Sendable {
        /// The title after signing out.
        public var title: String
        /// The text after signing out.
        public var intro: String
        /// The title after the deletion of the account.
        public var deletedTitle: String
        /// The text after the deletion of the account.
        public var deletedIntro: String
    }

    /// The texts about errors.
    public struct ProblemTexts: Sendable {
        /// The title of the page.
        public var title: String
        /// The title for an unknown path.
        public var notFoundTitle: String
        /// The label of the error code.
        public var code: String
        /// The label of the request ID.
        public var requestID: String
        /// The link to the account page.
        public var start: String
        /// The link to the sign-in page.
        public var signInAgain: String
        /// The link to the page that requests a new message.
        public var newLink: String
        /// The link to ``SignInPagesOptions/support``.
        public var support: String
        /// The text with the time to wait before another attempt.
        public var retryAfter: @Sendable (_ seconds: Int) -> String
        /// The explanation of an error code.
        public var explanation: @Sendable (_ code: ProblemCode) -> String
        /// The explanation for a form with an invalid CSRF token.
        public var stale: String
        /// The explanation for a form without a cookie.
        public var noCookie: String
        /// The explanation for a cookie of the service that the browser has sent twice.
        public var repeatedCookie: String
        /// The explanation for a form of another site.
        public var otherSite: String
        /// The explanation for an error that the provider reports.
        public var providerFailed: String
        /// The explanation for a sign-in that fails because the service is misconfigured.
        public var misconfigured: String
        /// The explanation for the callback of a sign-in that this browser has not begun.
        public var unknownLogin: String
        /// The explanation for the callback of a sign-in that has ended, and not in this session.
        public var finishedLogin: String
    }
}
#endif
