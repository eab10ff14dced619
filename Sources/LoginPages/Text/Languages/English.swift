// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP

/// The texts in English.
extension PageText {
    /// The texts in English.
    public static let english = PageText(
        frame: .english,
        login: .english,
        fragment: .english,
        signUp: .english,
        account: .english,
        confirm: .english,
        conflict: .english,
        merge: .english,
        secondFactor: .english,
        phone: .english,
        enroll: .english,
        recovery: .english,
        sessions: .english,
        reauthenticate: .english,
        permissions: .english,
        deletion: .english,
        password: .english,
        signedOut: .english,
        problem: .english,
        notices: .english,
        time: englishTime
    )

    /// Returns the description of a permission, by the provider's name.
    static func englishPermission(_ name: String) -> String {
        switch name {
        case "openid": "your identity"
        case "public_profile": "name and picture"
        case "email": "e-mail address"
        case "user_friends": "friends who also use this service"
        case "user_birthday": "birthday"
        case "user_age_range": "age range"
        case "user_gender": "gender"
        case "user_hometown": "home town"
        case "user_location": "town"
        case "user_link": "link to your profile"
        case "gaming_profile": "your gaming name"
        case "gaming_user_picture": "your gaming picture"
        case "user_messenger_contact": "messages by Messenger"
        default: name
        }
    }
}

extension PageText.Frame {
    static let english = Self(
        language: "en",
        direction: "ltr",
        languageName: "English",
        languages: "Language",
        service: "Sign-in",
        skip: "Skip to the content",
        navigation: "Your account",
        account: "Account",
        sessions: "Sessions",
        signOut: "Sign out",
        signIn: "Sign in",
        cancel: "Cancel",
        guest: "Guest",
        someone: "Unnamed user",
        problems: "There is a problem",
        title: { "\($0) – \($1)" },
        titleWithProblem: { "Problem: \($0)" },
        signedInAs: { "Signed in as \($0)" }
    )
}

extension PageText.Login {
    static let english = Self(
        title: "Sign in",
        with: { "Continue with \($0)" },
        withPhone: "Continue with phone",
        or: "or",
        email: "E-mail address",
        password: "Password",
        submit: "Sign in",
        forgotten: "Forgot your password?",
        newHere: "New here?",
        nothing: "Signing in is not available at the moment.",
        emailMissing: "Enter your e-mail address.",
        passwordMissing: "Enter your password.",
        guest: "Continue as a guest"
    )
}

extension PageText.Fragment {
    static let english = Self(
        title: "Completing the login",
        pending: "Your login is being completed. For this your browser must allow scripts of this site.",
        missing: "The provider sent no response. Nothing has changed.",
        another: "Begin again, or use another login"
    )
}

extension PageText.SignUp {
    static let english = Self(
        title: "Create an account",
        passwordHint: { "At least \($0) characters; several words are good." },
        submit: "Create the account",
        haveAccount: "I already have an account"
    )
}

extension PageText.Conflict {
    static let english = Self(
        title: "You already have an account",
        address: {
            "The address \($1) of this login (\($0)) belongs to an account that you sign in to with another login."
        },
        noAddress: {
            "The address of this login (\($0)) belongs to an account that you sign in to with another login."
        },
        asBefore: { "Sign in as you did before. Then \($0) is linked to your account, and you can use either login." },
        otherWays: "The login of this account is not available at the moment.",
        dismiss: "Go back without linking",
        elsewhereTitle: "This login belongs to another account",
        elsewhere: {
            """
            This sign-in method (\($0)) does not belong to \($1), but to another account. You can merge \
            the two accounts.
            """
        },
        join: "Preview the merge",
        leave: "Keep the accounts separate"
    )
}

extension PageText.Merge {
    static let english = Self(
        title: "Merge two accounts",
        intro: { "\($0) becomes part of \($1), the account that you are signed in to. This cannot be undone." },
        moves: "Sign-in methods that move",
        nothingMoves: "No sign-in method moves.",
        drops: "Sign-in methods that are removed",
        choose: "Both accounts have a sign-in method of the same kind. Which account keeps its own?",
        clash: { "Both have \($0)." },
        keepThis: { "\($0) (you are signed in to it)" },
        keepOther: { "\($0) (the other account)" },
        keepMissing: "Choose an account.",
        factors: "Afterwards, the verification methods of both accounts apply.",
        confirm: "Merge the accounts",
        obstacle: { "This cannot be done yet. \($0)" }
    )
}

extension PageText.Sessions {
    static let english = Self(
        current: "This device",
        unknownDevice: "Unknown device",
        device: { "\($0) on \($1)" },
        network: "Network",
        lastSeen: "Last used",
        opened: "Signed in",
        confirmed: "Confirmed with two-step verification",
        close: { "Sign out \($0)" },
        closeOthers: "Sign out everywhere else",
        noOthers: "You are not signed in anywhere else."
    )
}

extension PageText.Reauthenticate {
    static let english = Self(
        intro: "You signed in a while ago. Please sign in once more, then try again.",
        code: "Your account uses two-step verification. Please confirm, then try again."
    )
}

extension PageText.Permissions {
    static let english = Self(
        title: "What you share",
        manage: "Change what you share",
        intro: { "To make a change, sign in with \($0) again. You can undo it at any time." },
        granted: "Shared",
        declined: "Not shared: you declined",
        expired: "No longer shared, because it was not used",
        unknown: "Unknown: the provider does not report it",
        request: { "Share: \($0)" },
        requestAgain: { "Ask again: \($0)" },
        revoke: { "Stop sharing: \($0)" },
        all: "Everything",
        allHint: { "This removes this service from your \($0) account. You can sign in again later." },
        revokeAll: { "Stop sharing anything from \($0)" },
        back: "Back to your account"
    )
}

extension PageText.Deletion {
    static let english = Self(
        title: "Delete your account",
        warning: "This deletes your profile, your sign-in methods and your sessions.",
        sure: "I understand that this cannot be undone",
        sureMissing: "Tick the box to delete your account."
    )
}

extension PageText.Password {
    static let english = Self(
        forgottenTitle: "Reset your password",
        forgottenIntro: "Enter your e-mail address, and we will send you a link.",
        send: "Send reset link",
        sentTitle: "Check your e-mail",
        sent: "If an account uses this address, we have sent a link to it. Check your spam folder, too.",
        again: "Try again",
        newTitle: "Your new password",
        newPassword: "New password",
        save: "Save the password",
        everywhere: "This signs you out on all devices.",
        verifyTitle: "Confirm your e-mail address",
        verifyIntro: "Press the button to confirm that you received the message.",
        verify: "Confirm the address",
        change: "Change your password",
        add: "Add a password",
        elsewhere: "This signs you out on all other devices.",
        otherAccount: "Already have an account with a password?",
        existing: "Enter its address and password to merge the two accounts.",
        join: "Continue"
    )
}

extension PageText.SignedOut {
    static let english = Self(
        title: "You are signed out",
        intro: "You may still be signed in at the provider of your login.",
        deletedTitle: "Your account is deleted",
        deletedIntro: "All its data has been deleted."
    )
}

extension PageText.ProblemTexts {
    static let english = Self(
        title: "Something went wrong",
        notFoundTitle: "Page not found",
        code: "Code",
        requestID: "Request",
        start: "Go to the start page",
        signInAgain: "Sign in again",
        newLink: "Request a new link",
        support: "Contact support",
        retryAfter: { $0 <= 60 ? "Try again in a minute." : "Try again in \(($0 + 59) / 60) minutes." },
        explanation: { $0.explanation },
        stale: "The page was open for too long. Submit the form again.",
        noCookie: "The browser sent no cookie of this site. Allow cookies, and load the page again.",
        repeatedCookie:
            "The browser sent a cookie of this site twice, so it was not accepted. Both were deleted: load the page again, and sign in again if necessary.",
        otherSite: "The form does not come from a page of this site. Open the page here.",
        providerFailed: "The sign-in was cancelled or failed at the provider. Sign in again.",
        misconfigured: "We cannot complete the sign-in at the moment. This is not your fault.",
        unknownLogin:
            "This browser does not know this sign-in. It may have begun in another browser or app, or too long ago. Begin a new one here.",
        finishedLogin:
            "This sign-in has already ended, and cannot be used again. If you are not signed in, begin a new one."
    )
}

extension PageText.Notices {
    static let english = Self(
        cancelled: "The sign-in was cancelled. Nothing has changed.",
        linked: "The sign-in method is linked.",
        unlinked: "The sign-in method is unlinked.",
        merged: "The two accounts are merged.",
        factorAdded: "The app is added. Now make recovery codes, in case you lose it.",
        factorRemoved: "The verification method is removed.",
        sessionClosed: "That device is signed out.",
        othersClosed: "All other devices are signed out.",
        messageSent: "A message is on its way to your address.",
        emailVerified: "Your e-mail address is confirmed.",
        passwordChanged: "Your password is changed. Sign in with it.",
        confirmed: "Thank you. Please repeat what you wanted to do.",
        notRecent: "That sign-in was not recent. Sign out at the provider and try again, or use another method.",
        permissionGranted: "Thank you. It is shared now.",
        permissionDeclined: "You declined. Nothing else has changed.",
        permissionUnknown: "Your answer was received. The provider does not report whether you share this.",
        permissionRevoked: "It is no longer shared.",
        loginRevoked: "Nothing is shared anymore. To use this sign-in method again, grant access again.",
        notLinked: "You are signed in. The other sign-in method was not linked; you can link it on your account page.",
        passwordSaved: "Your password is saved.",
        phoneAdded: "The phone is added. Now make recovery codes, in case you lose it.",
        signedUp: "Your account is created. Open the link in the e-mail we sent you to confirm your address."
    )
}
#endif
