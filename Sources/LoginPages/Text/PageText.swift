// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import LoginHummingbird

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Every word on the pages.
///
/// What stands here is English. For another language, or another tone, change what you like, and give it to the pages:
///
/// ```swift
/// var text = PageText()
/// text.frame.language = "de"
/// text.login.title = "Anmelden"
/// text.login.with = { "Weiter mit \($0)" }
/// ```
public struct PageText: Sendable {
    /// What stands on every page.
    public var frame = Frame()
    /// The sign-in.
    public var login = Login()
    /// The sign-up.
    public var signUp = SignUp()
    /// The account.
    public var account = AccountTexts()
    /// What happens where a login cannot simply sign in.
    public var conflict = Conflict()
    /// Two accounts become one.
    public var merge = Merge()
    /// The second step of a sign-in.
    public var secondFactor = SecondFactor()
    /// An app that is to show codes.
    public var enroll = Enroll()
    /// Recovery codes.
    public var recovery = Recovery()
    /// The sessions.
    public var sessions = Sessions()
    /// The person is proven once more.
    public var reauthenticate = Reauthenticate()
    /// The account is deleted.
    public var deletion = Deletion()
    /// Messages by which addresses are proven, and passwords chosen anew.
    public var password = Password()
    /// After signing out.
    public var signedOut = SignedOut()
    /// Something did not work.
    public var problem = ProblemTexts()
    /// What has just been done.
    public var notices = Notices()
    /// Writes a time, which is shown to people in the time zone UTC: the server knows no other of theirs.
    public var time: @Sendable (_ time: Date) -> String = PageText.englishTime

    /// The English texts.
    public init() {}
}

extension PageText {
    /// What stands on every page.
    public struct Frame: Sendable {
        /// The language of all texts, as in BCP 47.
        public var language = "en"
        /// The direction it is written in: `ltr` or `rtl`.
        public var direction = "ltr"
        /// What the service calls itself.
        public var service = "Sign-in"
        /// Leads keyboards past what is the same on every page.
        public var skip = "Skip to the content"
        /// Names the navigation.
        public var navigation = "Your account"
        /// Leads to the account.
        public var account = "Account"
        /// Leads to the sessions.
        public var sessions = "Sessions"
        /// Signs out.
        public var signOut = "Sign out"
        /// Leads to the sign-in.
        public var signIn = "Sign in"
        /// Leaves a step without doing it.
        public var cancel = "Cancel"
        /// Stands for a person whose name is not known.
        public var someone = "Somebody without a name"
        /// Stands above the list of what is wrong with a form.
        public var problems = "There is a problem"
        /// The title of a page: where one is, then the service.
        public var title: @Sendable (_ page: String, _ service: String) -> String = { "\($0) – \($1)" }
        /// The title of a page whose form comes back.
        public var titleWithProblem: @Sendable (_ title: String) -> String = { "Problem: \($0)" }
        /// Says who is signed in.
        public var signedInAs: @Sendable (_ person: String) -> Phrase = { "Signed in as \($0)" }
    }

    /// The sign-in.
    public struct Login: Sendable {
        /// The title.
        public var title = "Sign in"
        /// Goes to a provider.
        public var with: @Sendable (_ provider: String) -> String = { "Continue with \($0)" }
        /// Stands above the form, where there are providers too.
        public var orPassword = "With an e-mail address"
        /// Labels the address.
        public var email = "E-mail address"
        /// Labels the password.
        public var password = "Password"
        /// Sends the form.
        public var submit = "Sign in"
        /// Leads to a new password.
        public var forgotten = "I have forgotten my password"
        /// Stands where nothing is configured.
        public var nothing = "No way to sign in is offered here at present."
        /// Says what is missing.
        public var emailMissing = "Enter your e-mail address."
        /// Says what is missing.
        public var passwordMissing = "Enter your password."
    }

    /// The sign-up.
    public struct SignUp: Sendable {
        /// The title.
        public var title = "Create an account"
        /// What a password must be like.
        public var passwordHint: @Sendable (_ minimum: Int) -> String = {
            "At least \($0) characters; several words are good."
        }
        /// Sends the form.
        public var submit = "Create the account"
        /// Leads back to the sign-in.
        public var haveAccount = "I have an account"
    }

    /// The account.
    public struct AccountTexts: Sendable {
        /// The title.
        public var title = "Your account"
        /// Stands above the profile.
        public var profile = "Profile"
        /// Labels the name.
        public var name = "Name"
        /// Stands for a name that is not known.
        public var noName = "Not known"
        /// Labels the address.
        public var email = "E-mail address"
        /// Says of an address that it is proven.
        public var proven = "confirmed"
        /// Says of an address that it is not.
        public var notProven = "not confirmed"
        /// Has a message sent.
        public var prove = "Send me a message to confirm the address"
        /// Labels the beginning.
        public var createdAt = "Member since"
        /// Says what an account without a login is.
        public var guest = "You are a guest on this device alone. Link a login to keep the account."
        /// Stands above the logins.
        public var logins = "Your logins"
        /// Names a login.
        public var loginAs: @Sendable (_ provider: String, _ name: String) -> Phrase = { "\($0): \($1)" }
        /// Labels when a login was linked.
        public var linkedAt = "Linked"
        /// Labels when a login was used.
        public var lastUsed = "Last used"
        /// Labels what a provider tells.
        public var shares = "Shared with this service"
        /// Puts the name of a permission into words.
        public var permission: @Sendable (_ name: String) -> String = { PageText.permissionNames[$0] ?? $0 }
        /// Names a password as a login.
        public var passwordLogin = "E-mail and password"
        /// Names a telephone number as a login.
        public var phoneLogin = "Telephone number"
        /// Says why a login cannot be used.
        public var notConfigured = "This login does not work here at present."
        /// Says why a login cannot be used.
        public var revoked = "You took this back at the provider. Link it again to use it."
        /// Says why a login cannot be used.
        public var withoutPassword = "No password is set yet."
        /// Takes a login from the account.
        public var unlink: @Sendable (_ provider: String) -> Phrase = { "Unlink \($0)" }
        /// Says why there is nothing to press.
        public var lastLogin = "This is your only working login. To unlink it, link another one first."
        /// Stands above what can be linked.
        public var more = "Add a login"
        /// Links a login.
        public var link: @Sendable (_ provider: String) -> String = { "Link \($0)" }
        /// Stands above the second factors.
        public var factors = "Second step"
        /// Says that there is none.
        public var noFactors = "None yet. With one, nobody gets in who only has your login."
        /// Names a factor without a name.
        public var app = "App that shows codes"
        /// Names a phone.
        public var phone: @Sendable (_ suffix: String) -> Phrase = { "Phone ending in \($0)" }
        /// Removes a factor.
        public var removeFactor: @Sendable (_ factor: String) -> Phrase = { "Remove \($0)" }
        /// Says how many codes are left.
        public var codesLeft: @Sendable (_ count: Int) -> String = {
            $0 == 1 ? "1 recovery code is left." : "\($0) recovery codes are left."
        }
        /// Says that there are none.
        public var noCodes = "You have no recovery codes. Who loses the phone cannot sign in then."
        /// Makes codes.
        public var makeCodes = "Make new recovery codes"
        /// Stands above what concerns all of it.
        public var data = "Your data"
        /// Sends the data.
        public var download = "Download all that is kept about me"
        /// Leads to the deletion.
        public var delete = "Delete my account"
    }

    /// What happens where a login cannot simply sign in.
    public struct Conflict: Sendable {
        /// The title.
        public var title = "You have an account already"
        /// Says what happened, where an address is the reason.
        public var address: @Sendable (_ provider: String, _ email: String) -> Phrase = {
            "There is an account with the address \($1) of your login at \($0). Another login opens it."
        }
        /// Says what happened.
        public var noAddress: @Sendable (_ provider: String) -> Phrase = {
            "There is an account with the address of your login at \($0). Another login opens it."
        }
        /// Says what to do.
        public var asBefore: @Sendable (_ provider: String) -> Phrase = {
            "Sign in as you did before. Then \($0) is linked to your account, and either opens it."
        }
        /// Stands where there is nothing to press.
        public var otherWays = "The login that opens the account is not offered here at present."
        /// Forgets the login that waits.
        public var dismiss = "Go back without linking"
        /// The title where a login that was to be linked is another account's.
        public var elsewhereTitle = "This login has an account of its own"
        /// Says what happened.
        public var elsewhere: @Sendable (_ provider: String) -> Phrase = {
            "Your login at \($0) opens another account. You can join the two accounts."
        }
        /// Leads to the preview.
        public var join = "Show me what joining would do"
        /// Forgets the login that waits.
        public var leave = "Leave them as they are"
    }

    /// Two accounts become one.
    public struct Merge: Sendable {
        /// The title.
        public var title = "Join two accounts"
        /// Says what will happen.
        public var intro = "The other account becomes part of this one. That cannot be undone."
        /// Stands above what moves.
        public var moves = "Logins that come over"
        /// Says that nothing does.
        public var nothingMoves = "No login comes over."
        /// Stands above what is lost.
        public var drops = "Logins that will open nothing any longer"
        /// Asks what to do.
        public var choose = "Both accounts have a login of the same kind. Which one stays?"
        /// Names what both have.
        public var clash: @Sendable (_ provider: String) -> Phrase = { "Both have \($0)." }
        /// An answer.
        public var keepThis = "The one of the account I am signed in to"
        /// An answer.
        public var keepOther = "The one of the other account"
        /// Says what is missing.
        public var keepMissing = "Choose which login stays."
        /// Says what becomes of second factors.
        public var factors = "Afterwards the second step of both accounts counts."
        /// Does it.
        public var confirm = "Join the accounts"
        /// Says what stands in the way.
        public var obstacle: @Sendable (_ explanation: String) -> String = { "This cannot be done yet. \($0)" }
    }

    /// The second step of a sign-in.
    public struct SecondFactor: Sendable {
        /// The title.
        public var title = "Confirm that it is you"
        /// Asks for the factor.
        public var choose = "How do you want to confirm it?"
        /// A way: an app.
        public var withApp: @Sendable (_ name: String) -> Phrase = { "With a code from \($0)" }
        /// A way: a message to a phone.
        public var withPhone: @Sendable (_ suffix: String) -> Phrase = { "Send a code to the phone ending in \($0)" }
        /// A way: a recovery code.
        public var withRecovery = "With a recovery code"
        /// Labels the code.
        public var appCode = "Code from your app"
        /// Says where the code is.
        public var appHint = "Digits that change every half minute. You may paste them."
        /// Labels the code.
        public var phoneCode = "Code from the message"
        /// Says where the code is.
        public var phoneHint: @Sendable (_ suffix: String) -> Phrase = { "It was sent to the phone ending in \($0)." }
        /// Labels the code.
        public var recoveryCode = "Recovery code"
        /// Says where the code is.
        public var recoveryHint = "One of the ten that you have kept. It can be used once."
        /// Says what is missing.
        public var codeMissing = "Enter the code."
        /// Explains that the code was used before.
        public var codeReplayed = "This code was used already. Wait until the app shows the next one."
        /// Sends the form.
        public var submit = "Confirm"
        /// Leads back to the choice.
        public var another = "Confirm it in another way"
        /// Says how often one may try.
        public var attemptsLeft: @Sendable (_ count: Int) -> String = {
            $0 == 1 ? "You have 1 more try." : "You have \($0) more tries."
        }
        /// Says how long there is.
        public var until: @Sendable (_ time: String) -> Phrase = {
            "Please do so before \($0); after that you sign in again."
        }
    }

    /// An app that is to show codes.
    public struct Enroll: Sendable {
        /// The title.
        public var title = "Add an app that shows codes"
        /// Says what this is.
        public var intro = "You need an app for one-time codes. From then on you are asked for a code from it."
        /// Labels the name.
        public var name = "What do you call the device?"
        /// Says what it is for.
        public var nameHint = "So that you know it later. You may leave it empty."
        /// Makes the secret.
        public var begin = "Continue"
        /// Stands beside the picture.
        public var scan = "Let the app read this picture."
        /// Describes the picture.
        public var picture = "The same key as a picture for the app"
        /// Stands beside the key.
        public var orType = "Or type this key into the app. Large and small letters are the same."
        /// Labels the key.
        public var key = "Key"
        /// Hands the key to an app here.
        public var open = "Open the app on this device"
        /// Says that it is gone then.
        public var once = "The key is shown only now."
        /// Asks for the code.
        public var thenCode = "The app then shows a code. Enter it here."
        /// Sends the code.
        public var confirm = "Add the app"
        /// Stands where the first code was wrong.
        public var notShown = "The key is not shown again. If the app does not have it, begin anew."
        /// Makes another secret.
        public var again = "Begin again with a new key"
    }

    /// Recovery codes.
    public struct Recovery: Sendable {
        /// The title.
        public var title = "Your recovery codes"
        /// Says what they are.
        public var intro = "Each works once in place of a code from your app. Keep them on paper. Older codes are void."
        /// Says that they are gone then.
        public var once = "They are shown only now."
        /// Leads back.
        public var done = "I have kept them"
    }

    /// The sessions.
    public struct Sessions: Sendable {
        /// The title.
        public var title = "Where you are signed in"
        /// Marks the session that asks.
        public var current = "This device"
        /// Stands for a device that says nothing of itself.
        public var unknownDevice = "Unknown device"
        /// Names a device.
        public var device: @Sendable (_ browser: String, _ system: String) -> String = { "\($0) on \($1)" }
        /// Labels the network.
        public var network = "Network"
        /// Labels the time.
        public var lastSeen = "Last used"
        /// Labels the time.
        public var opened = "Signed in"
        /// Says that a session has level 2.
        public var confirmed = "Confirmed with a second step"
        /// Closes a session.
        public var close: @Sendable (_ device: String) -> Phrase = { "Sign out \($0)" }
        /// Closes the others.
        public var closeOthers = "Sign out everywhere else"
        /// Says that there are none.
        public var noOthers = "You are signed in nowhere else."
    }

    /// The person is proven once more.
    public struct Reauthenticate: Sendable {
        /// Says why.
        public var intro = "You signed in a while ago. Please sign in once more, then try it again."
        /// Says why a code is asked for.
        public var code = "Your account has a second step. Please confirm it, then try it again."
    }

    /// The account is deleted.
    public struct Deletion: Sendable {
        /// The title.
        public var title = "Delete your account"
        /// Says what will happen.
        public var warning = "All that is kept about you here is deleted. Nobody can bring it back."
        /// Labels the box.
        public var sure = "Yes, delete my account"
        /// Says what is missing.
        public var sureMissing = "Tick the box if you want your account deleted."
    }

    /// Messages by which addresses are proven, and passwords chosen anew.
    public struct Password: Sendable {
        /// The title of the page that asks for the address.
        public var forgottenTitle = "Choose a new password"
        /// Says what happens.
        public var forgottenIntro = "If your address has a password here, you get a message with a link."
        /// Sends the form.
        public var send = "Send the message"
        /// The title afterwards.
        public var sentTitle = "Look into your mail"
        /// Says what happened, the same for every address.
        public var sent = "If the address has a password here, a link is on its way, or arrived a few minutes ago."
        /// The title of the page that the link leads to.
        public var newTitle = "Your new password"
        /// Labels the password.
        public var newPassword = "New password"
        /// Sends the form.
        public var save = "Save the password"
        /// Says what else happens.
        public var everywhere = "You are signed out everywhere then."
        /// The title of the page that the link leads to.
        public var verifyTitle = "Confirm your e-mail address"
        /// Says what to do.
        public var verifyIntro = "Press the button to confirm that the message reached you."
        /// Sends the form.
        public var verify = "Confirm the address"
    }

    /// After signing out.
    public struct SignedOut: Sendable {
        /// The title.
        public var title = "You are signed out"
        /// Says what that means.
        public var intro = "You may still be signed in at the provider of your login."
        /// The title after a deletion.
        public var deletedTitle = "Your account is deleted"
        /// Says what that means.
        public var deletedIntro = "Nothing of it is left. Thank you for having been here."
    }

    /// Something did not work.
    public struct ProblemTexts: Sendable {
        /// The title.
        public var title = "This did not work"
        /// The title where nothing is found.
        public var notFoundTitle = "There is no such page"
        /// Says what to do.
        public var whatToDo = "Please try it again. If that does not help, tell us what stands below."
        /// Labels the code.
        public var code = "Code"
        /// Labels the request.
        public var requestID = "Request"
        /// Leads to the account or the sign-in.
        public var start = "Go to the start"
        /// Says when to try again.
        public var retryAfter: @Sendable (_ seconds: Int) -> String = {
            $0 <= 60 ? "Try again in a minute." : "Try again in \(($0 + 59) / 60) minutes."
        }
        /// Puts a refusal into words.
        public var explanation: @Sendable (_ code: ProblemCode) -> String = { $0.explanation }
        /// Says that a form had no good token.
        public var stale = "The page was open for too long. Please send it once more."
    }
}
#endif
