// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.SecondFactor {
    static let english = Self(
        title: "Confirm it's you",
        choose: "How do you want to confirm it?",
        withApp: { "With a code from \($0)" },
        withPhone: { "Send a code to the phone ending in \($0)" },
        withRecovery: "With a recovery code",
        appCode: "Code from your app",
        appHint: "Your app shows a new code every 30 seconds.",
        phoneCode: "Code from the message",
        phoneHint: { "It was sent to the phone ending in \($0)." },
        recoveryCode: "Recovery code",
        recoveryHint: "One of your ten recovery codes. Each works only once.",
        codeMissing: "Enter the code.",
        codeReplayed: "This code was already used. Wait until the app shows the next one.",
        submit: "Confirm",
        another: "Use another method",
        backToSignIn: "Back to sign-in",
        attemptsLeft: { $0 == 1 ? "You have 1 more try." : "You have \($0) more tries." },
        timeLeft: { $0 == 1 ? "Enter the code within 1 minute." : "Enter the code within \($0) minutes." }
    )
}

extension PageText.Phone {
    static let english = Self(
        signInTitle: "Sign in with a phone number",
        linkTitle: "Add a phone number to sign in with",
        enrollTitle: "Add a phone for codes",
        enrollIntro: "We send a code to the phone now. From then on, you are asked for one when you sign in.",
        number: "Phone number",
        numberHint: "With + and the country code, for example +49 30 123456.",
        numberMissing: "Enter the phone number.",
        send: "Send the code",
        resend: "Send another code",
        another: "Use another number",
        confirm: "Add the phone",
        reauthenticate: { "Send a code to the number ending in \($0)" },
        withNamed: { "Send a code to \($0), ending in \($1)" }
    )
}

extension PageText.Enroll {
    static let english = Self(
        title: "Add an authenticator app",
        intro: "You need an app for one-time codes. From then on, you are asked for a code when you sign in.",
        name: "What do you call the device?",
        nameHint: "A name to recognize it later. Optional.",
        begin: "Continue",
        scan: "Scan this QR code with the app.",
        picture: "QR code with the key for the app",
        cannotScan: "Cannot scan it?",
        type: "Enter this key in the app. Upper and lower case do not matter.",
        key: "Key",
        open: "Open the app on this device",
        once: "The key is shown only now.",
        thenCode: "Enter the 6-digit code that the app shows.",
        confirm: "Add the app",
        notShown: "The key is not shown again. If it is not in the app, start again.",
        again: "Start again with a new key"
    )
}

extension PageText.Recovery {
    static let english = Self(
        title: "Your recovery codes",
        intro: "If you lose your phone, sign in with one of these codes. Each works once.",
        replaced: "Your earlier codes no longer work.",
        once: "Save these codes now. They will not be shown again.",
        done: "I have saved them",
        later: "Not now"
    )
}
#endif
