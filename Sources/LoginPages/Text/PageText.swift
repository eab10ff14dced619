// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import LoginHummingbird

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The texts of the pages.
///
/// The defaults are English. For another language or tone, set the properties and pass the value to the pages:
///
/// ```swift
/// var text = PageText()
/// text.frame.language = "de"
/// text.login.title = "Anmelden"
/// text.login.with = { "Weiter mit \($0)" }
/// ```
public struct PageText: Sendable {
    /// The texts of the frame of every page.
    public var frame = Frame()
    /// The texts of the sign-in page.
    public var login = Login()
    /// The texts of the page that completes a login whose response is in the fragment of the URL.
    public var fragment = Fragment()
    /// The texts of the sign-up page.
    public var signUp = SignUp()
    /// The texts of the account page.
    public var account = AccountTexts()
    /// The texts about logins that conflict with another account.
    public var conflict = Conflict()
    /// The texts about the merge of two accounts.
    public var merge = Merge()
    /// The texts about the second factor.
    public var secondFactor = SecondFactor()
    /// The texts about the enrollment of an authenticator app.
    public var enroll = Enroll()
    /// The texts about recovery codes.
    public var recovery = Recovery()
    /// The texts about the user's sessions.
    public var sessions = Sessions()
    /// The texts about reauthentication.
    public var reauthenticate = Reauthenticate()
    /// The texts about the permissions of a login.
    public var permissions = Permissions()
    /// The texts about the deletion of the account.
    public var deletion = Deletion()
    /// The texts about password resets and the verification of e-mail addresses.
    public var password = Password()
    /// The texts of the signed-out page.
    public var signedOut = SignedOut()
    /// The texts about errors.
    public var problem = ProblemTexts()
    /// The notices about an action that was just completed.
    public var notices = Notices()
    /// The format of times.
    ///
    /// The default uses UTC, since the server does not know the user's time zone.
    public var time: @Sendable (_ time: Date) -> String = PageText.englishTime

    /// Creates the English texts.
    public init() {}
}

extension PageText {
    /// The texts of the frame of every page.
    public struct Frame: Sendable {
        /// The language of all texts, as a BCP 47 tag.
        public var language = "en"
        /// The writing direction: `ltr` or `rtl`.
        public var direction = "ltr"
        /// The name of the service.
        public var service = "Sign-in"
        /// The link that skips the header, for keyboard users.
        public var skip = "Skip to the content"
        /// The accessible name of the navigation.
        public var navigation = "Your account"
        /// The link to the account page.
        public var account = "Account"
        /// The link to the sessions page.
        public var sessions = "Sessions"
        /// The sign-out button.
        public var signOut = "Sign out"
        /// The link to the sign-in page.
        public var signIn = "Sign in"
        /// The link that cancels a step.
        public var cancel = "Cancel"
        /// The text for a user without a known name.
        public var someone = "Unnamed user"
        /// The heading of the list of problems.
        public var problems = "There is a problem"
        /// The title of a page, from the title of the page and the name of the service.
        public var title: @Sendable (_ page: String, _ service: String) -> String = { "\($0) – \($1)" }
        /// The title of a page whose form has problems.
        public var titleWithProblem: @Sendable (_ title: String) -> String = { "Problem: \($0)" }
        /// The text with the name of the signed-in user.
        public var signedInAs: @Sendable (_ person: String) -> Phrase = { "Signed in as \($0)" }
    }

    /// The texts of the sign-in page.
    public struct Login: Sendable {
        /// The title of the page.
        public var title = "Sign in"
        /// The button of a provider.
        public var with: @Sendable (_ provider: String) -> String = { "Continue with \($0)" }
        /// The heading of the password form, if there are providers too.
        public var orPassword = "With an e-mail address"
        /// The label of the e-mail address.
        public var email = "E-mail address"
        /// The label of the password.
        public var password = "Password"
        /// The submit button.
        public var submit = "Sign in"
        /// The link to the password reset.
        public var forgotten = "Forgot your password?"
        /// The text if no way to sign in is configured.
        public var nothing = "Signing in is not available at the moment."
        /// The error for an empty e-mail address.
        public var emailMissing = "Enter your e-mail address."
        /// The error for an empty password.
        public var passwordMissing = "Enter your password."
    }

    /// The texts of the page that completes a login whose response is in the fragment of the URL.
    public struct Fragment: Sendable {
        /// The title of the page.
        public var title = "Completing the login"
        /// The explanation.
        public var pending = "Your login is being completed. For this your browser must allow scripts of this site."
        /// The text if the provider sent no response.
        public var missing = "The provider sent no response. Nothing has changed."
        /// The link to the sign-in page.
        public var another = "Begin again, or use another login"
    }

    /// The texts of the sign-up page.
    public struct SignUp: Sendable {
        /// The title of the page.
        public var title = "Create an account"
        /// The help text with the requirements for a password.
        public var passwordHint: @Sendable (_ minimum: Int) -> String = {
            "At least \($0) characters; several words are good."
        }
        /// The submit button.
        public var submit = "Create the account"
        /// The link to the sign-in page.
        public var haveAccount = "I already have an account"
    }

    /// The texts of the account page.
    public struct AccountTexts: Sendable {
        /// The title of the page.
        public var title = "Your account"
        /// The heading of the profile.
        public var profile = "Profile"
        /// The label of the name.
        public var name = "Name"
        /// The text for an unknown name.
        public var noName = "Not known"
        /// The label of the e-mail address.
        public var email = "E-mail address"
        /// The mark of a verified e-mail address.
        public var proven = "confirmed"
        /// The mark of an e-mail address that is not verified.
        public var notProven = "not confirmed"
        /// The button that sends a verification message.
        public var prove = "Send me a message to confirm the address"
        /// The label of the creation time.
        public var createdAt = "Member since"
        /// The explanation of an anonymous account.
        public var guest = "You are a guest on this device only. Link a login to keep the account."
        /// The heading of the logins.
        public var logins = "Your logins"
        /// The name of a login.
        public var loginAs: @Sendable (_ provider: String, _ name: String) -> Phrase = { "\($0): \($1)" }
        /// The label of the time at which a login was linked.
        public var linkedAt = "Linked"
        /// The label of the time at which a login was last used.
        public var lastUsed = "Last used"
        /// The label of the granted permissions.
        public var shares = "Shared with this service"
        /// The description of a permission, by the provider's name.
        public var permission: @Sendable (_ name: String) -> String = { PageText.permissionNames[$0] ?? $0 }
        /// The name of a login by password.
        public var passwordLogin = "E-mail and password"
        /// The name of a login by phone number.
        public var phoneLogin = "Telephone number"
        /// The obstacle of a login whose provider is not configured.
        public var notConfigured = "This login is not available at the moment."
        /// The obstacle of a login that was revoked at the provider.
        public var revoked = "You revoked this login at the provider. Link it again to use it."
        /// The obstacle of a password login without a password.
        public var withoutPassword = "No password is set yet."
        /// The button that unlinks a login.
        public var unlink: @Sendable (_ provider: String) -> Phrase = { "Unlink \($0)" }
        /// The explanation why the only usable login cannot be unlinked.
        public var lastLogin = "This is your only working login. To unlink it, link another one first."
        /// The heading of the providers that can be linked.
        public var more = "Add a login"
        /// The button that links a login.
        public var link: @Sendable (_ provider: String) -> String = { "Link \($0)" }
        /// The heading of the second factors.
        public var factors = "Second step"
        /// The text if there is no second factor.
        public var noFactors = "None yet. A second step protects your account even if somebody else has your login."
        /// The name of an authenticator app without a name.
        public var app = "Authenticator app"
        /// The name of a phone.
        public var phone: @Sendable (_ suffix: String) -> Phrase = { "Phone ending in \($0)" }
        /// The button that removes a second factor.
        public var removeFactor: @Sendable (_ factor: String) -> Phrase = { "Remove \($0)" }
        /// The text with the number of remaining recovery codes.
        public var codesLeft: @Sendable (_ count: Int) -> String = {
            $0 == 1 ? "1 recovery code is left." : "\($0) recovery codes are left."
        }
        /// The text if there are no recovery codes.
        public var noCodes = "You have no recovery codes. If you lose your phone, you cannot sign in."
        /// The button that generates recovery codes.
        public var makeCodes = "Make new recovery codes"
        /// The heading of the data export and the deletion.
        public var data = "Your data"
        /// The link that downloads the personal data.
        public var download = "Download my data"
        /// The link to the deletion, and the button that confirms it.
        public var delete = "Delete my account"
    }

    /// The texts about logins that conflict with another account.
    public struct Conflict: Sendable {
        /// The title if an account has the e-mail address of the login.
        public var title = "You already have an account"
        /// The explanation, if the e-mail address of the login is known.
        public var address: @Sendable (_ provider: String, _ email: String) -> Phrase = {
            "The address \($1) of your login at \($0) belongs to an account that you sign in to with another login."
        }
        /// The explanation, if the e-mail address of the login is unknown.
        public var noAddress: @Sendable (_ provider: String) -> Phrase = {
            "The address of your login at \($0) belongs to an account that you sign in to with another login."
        }
        /// The instruction to sign in to the account.
        public var asBefore: @Sendable (_ provider: String) -> Phrase = {
            "Sign in as you did before. Then \($0) is linked to your account, and you can use either login."
        }
        /// The text if no other login is offered.
        public var otherWays = "The login of this account is not available at the moment."
        /// The button that discards the pending login.
        public var dismiss = "Go back without linking"
        /// The title if a login that was to be linked belongs to another account.
        public var elsewhereTitle = "This login belongs to another account"
        /// The explanation, if a login that was to be linked belongs to another account.
        public var elsewhere: @Sendable (_ provider: String) -> Phrase = {
            "Your login at \($0) belongs to another account. You can merge the two accounts."
        }
        /// The button that leads to the preview of a merge.
        public var join = "Preview the merge"
        /// The button that discards the pending login, without a merge.
        public var leave = "Keep the accounts separate"
    }

    /// The texts about the merge of two accounts.
    public struct Merge: Sendable {
        /// The title of the page.
        public var title = "Merge two accounts"
        /// The introduction.
        public var intro = "The other account becomes part of this one. That cannot be undone."
        /// The heading of the logins that move to this account.
        public var moves = "Logins that move to this account"
        /// The text if no login moves.
        public var nothingMoves = "No login moves to this account."
        /// The heading of the logins that are removed.
        public var drops = "Logins that are removed"
        /// The question which login to keep.
        public var choose = "Both accounts have a login of the same kind. Which one stays?"
        /// The text about a provider at which both accounts have a login.
        public var clash: @Sendable (_ provider: String) -> Phrase = { "Both have \($0)." }
        /// The choice of this account's login.
        public var keepThis = "The one of the account I am signed in to"
        /// The choice of the other account's login.
        public var keepOther = "The one of the other account"
        /// The error for a missing choice.
        public var keepMissing = "Choose which login stays."
        /// The text about the second factors after the merge.
        public var factors = "Afterwards, the second steps of both accounts apply."
        /// The button that confirms the merge.
        public var confirm = "Merge the accounts"
        /// The text about an obstacle to the merge.
        public var obstacle: @Sendable (_ explanation: String) -> String = { "This cannot be done yet. \($0)" }
    }

    /// The texts about the second factor.
    public struct SecondFactor: Sendable {
        /// The title of the page.
        public var title = "Confirm that it is you"
        /// The question which factor to use.
        public var choose = "How do you want to confirm it?"
        /// The choice of an app.
        public var withApp: @Sendable (_ name: String) -> Phrase = { "With a code from \($0)" }
        /// The choice of a phone.
        public var withPhone: @Sendable (_ suffix: String) -> Phrase = { "Send a code to the phone ending in \($0)" }
        /// The choice of a recovery code.
        public var withRecovery = "With a recovery code"
        /// The label of the code of an app.
        public var appCode = "Code from your app"
        /// The help text for the code of an app.
        public var appHint = "Digits that change every half minute. You may paste them."
        /// The label of the code that was sent to a phone.
        public var phoneCode = "Code from the message"
        /// The help text for the code that was sent to a phone.
        public var phoneHint: @Sendable (_ suffix: String) -> Phrase = { "It was sent to the phone ending in \($0)." }
        /// The label of a recovery code.
        public var recoveryCode = "Recovery code"
        /// The help text for a recovery code.
        public var recoveryHint = "One of your ten recovery codes. Each works only once."
        /// The error for an empty code.
        public var codeMissing = "Enter the code."
        /// The error for a code that was used before.
        public var codeReplayed = "This code was used already. Wait until the app shows the next one."
        /// The submit button.
        public var submit = "Confirm"
        /// The link to the choice of factors.
        public var another = "Use another method"
        /// The text with the number of remaining attempts.
        public var attemptsLeft: @Sendable (_ count: Int) -> String = {
            $0 == 1 ? "You have 1 more try." : "You have \($0) more tries."
        }
        /// The text with the time at which the pending sign-in expires.
        public var until: @Sendable (_ time: String) -> Phrase = {
            "Please do so before \($0). After that you must sign in again."
        }
    }

    /// The texts about the enrollment of an authenticator app.
    public struct Enroll: Sendable {
        /// The title of the page.
        public var title = "Add an authenticator app"
        /// The introduction.
        public var intro =
            "You need an app for one-time codes. From then on, you are asked for a code when you sign in."
        /// The label of the device's name.
        public var name = "What do you call the device?"
        /// The help text for the device's name.
        public var nameHint = "A name to recognize it later. Optional."
        /// The button that generates the key.
        public var begin = "Continue"
        /// The instruction to scan the QR code.
        public var scan = "Scan this picture with the app."
        /// The text alternative of the QR code.
        public var picture = "The same key as a picture for the app"
        /// The instruction to type the key.
        public var orType = "Or type this key into the app. Upper and lower case do not matter."
        /// The label of the key.
        public var key = "Key"
        /// The link that opens an app on this device with the key.
        public var open = "Open the app on this device"
        /// The note that the key is shown only once.
        public var once = "The key is shown only now."
        /// The instruction to enter the first code.
        public var thenCode = "The app then shows a code. Enter it here."
        /// The button that confirms the enrollment.
        public var confirm = "Add the app"
        /// The note after a wrong code that the key is not shown again.
        public var notShown = "The key is not shown again. If it is not in the app, start again."
        /// The button that generates another key.
        public var again = "Start again with a new key"
    }

    /// The texts about recovery codes.
    public struct Recovery: Sendable {
        /// The title of the page.
        public var title = "Your recovery codes"
        /// The introduction.
        public var intro =
            "Each works once instead of a code from your app. Keep them on paper. Older codes no longer work."
        /// The note that the codes are shown only once.
        public var once = "They are shown only now."
        /// The link back to the account page.
        public var done = "I have saved them"
    }

    /// The texts about the user's sessions.
    public struct Sessions: Sendable {
        /// The title of the page.
        public var title = "Where you are signed in"
        /// The mark of the current session.
        public var current = "This device"
        /// The name of a device without a `User-Agent` header.
        public var unknownDevice = "Unknown device"
        /// The name of a device, from its browser and its system.
        public var device: @Sendable (_ browser: String, _ system: String) -> String = { "\($0) on \($1)" }
        /// The label of the network address.
        public var network = "Network"
        /// The label of the time of the last use.
        public var lastSeen = "Last used"
        /// The label of the time of the sign-in.
        public var opened = "Signed in"
        /// The mark of a session with a second factor (level 2).
        public var confirmed = "Confirmed with a second step"
        /// The button that closes a session.
        public var close: @Sendable (_ device: String) -> Phrase = { "Sign out \($0)" }
        /// The button that closes all other sessions.
        public var closeOthers = "Sign out everywhere else"
        /// The text if there are no other sessions.
        public var noOthers = "You are not signed in anywhere else."
    }

    /// The texts about reauthentication.
    public struct Reauthenticate: Sendable {
        /// The reason for a reauthentication.
        public var intro = "You signed in a while ago. Please sign in once more, then try it again."
        /// The reason for a second factor in an open session.
        public var code = "Your account has a second step. Please confirm it, then try it again."
    }

    /// The texts about the deletion of the account.
    public struct Deletion: Sendable {
        /// The title of the page.
        public var title = "Delete your account"
        /// The warning.
        public var warning = "All your data here is deleted. This cannot be undone."
        /// The label of the checkbox.
        public var sure = "Yes, delete my account"
        /// The error for an unchecked checkbox.
        public var sureMissing = "Tick the box if you want your account deleted."
    }

    /// The texts about password resets and the verification of e-mail addresses.
    public struct Password: Sendable {
        /// The title of the page that asks for the e-mail address.
        public var forgottenTitle = "Choose a new password"
        /// The introduction of the page that asks for the e-mail address.
        public var forgottenIntro = "If an account with a password has your address, you get a message with a link."
        /// The button that requests a password reset.
        public var send = "Send the message"
        /// The title after the request.
        public var sentTitle = "Check your e-mail"
        /// The text after the request.
        ///
        /// It must be the same for every e-mail address, so that it reveals no accounts.
        public var sent =
            "If an account with a password has this address, a link is on its way, or arrived a few minutes ago."
        /// The title of the page that asks for the new password.
        public var newTitle = "Your new password"
        /// The label of the new password.
        public var newPassword = "New password"
        /// The button that saves the new password.
        public var save = "Save the password"
        /// The note that the reset closes all sessions.
        public var everywhere = "This signs you out on all devices."
        /// The title of the page that verifies an e-mail address.
        public var verifyTitle = "Confirm your e-mail address"
        /// The instruction on the page that verifies an e-mail address.
        public var verifyIntro = "Press the button to confirm that you received the message."
        /// The button that verifies an e-mail address.
        public var verify = "Confirm the address"
    }

    /// The texts of the signed-out page.
    public struct SignedOut: Sendable {
        /// The title after signing out.
        public var title = "You are signed out"
        /// The text after signing out.
        public var intro = "You may still be signed in at the provider of your login."
        /// The title after the deletion of the account.
        public var deletedTitle = "Your account is deleted"
        /// The text after the deletion of the account.
        public var deletedIntro = "All its data has been deleted."
    }

    /// The texts about errors.
    public struct ProblemTexts: Sendable {
        /// The title of the page.
        public var title = "This did not work"
        /// The title for an unknown path.
        public var notFoundTitle = "Page not found"
        /// The instruction.
        public var whatToDo = "Please try again. If that does not help, send us the details below."
        /// The label of the error code.
        public var code = "Code"
        /// The label of the request ID.
        public var requestID = "Request"
        /// The link to the account page.
        public var start = "Go to the start page"
        /// The text with the time to wait before another attempt.
        public var retryAfter: @Sendable (_ seconds: Int) -> String = {
            $0 <= 60 ? "Try again in a minute." : "Try again in \(($0 + 59) / 60) minutes."
        }
        /// The explanation of an error code.
        public var explanation: @Sendable (_ code: ProblemCode) -> String = { $0.explanation }
        /// The explanation for a form with an invalid CSRF token.
        public var stale = "The page was open for too long. Submit the form again."
    }
}
#endif
