// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText {
    /// The texts about the second factor.
    public struct SecondFactor: Sendable {
        /// The title of the page.
        public var title: String
        /// The question which factor to use.
        public var choose: String
        /// The choice of an app.
        public var withApp: @Sendable (_ name: String) -> Phrase
        /// The choice of a phone.
        public var withPhone: @Sendable (_ suffix: String) -> Phrase
        /// The choice of a recovery code.
        public var withRecovery: String
        /// The label of the code of an app.
        public var appCode: String
        /// The help text for the code of an app.
        public var appHint: String
        /// The label of the code that was sent to a phone.
        public var phoneCode: String
        /// The help text for the code that was sent to a phone.
        public var phoneHint: @Sendable (_ suffix: String) -> Phrase
        /// The label of a recovery code.
        public var recoveryCode: String
        /// The help text for a recovery code.
        public var recoveryHint: String
        /// The error for an empty code.
        public var codeMissing: String
        /// The error for a code that was used before.
        public var codeReplayed: String
        /// The submit button.
        public var submit: String
        /// The link to the choice of factors.
        public var another: String
        /// The link from a step of the sign-in, or from a password reset, to the sign-in page.
        public var backToSignIn: String
        /// The text with the number of remaining attempts, after a wrong code.
        public var attemptsLeft: @Sendable (_ count: Int) -> String
        /// The text with the time until the pending sign-in expires.
        public var timeLeft: @Sendable (_ minutes: Int) -> String
    }

    /// The texts about the enrollment of an authenticator app.
    public struct Enroll: Sendable {
        /// The title of the page.
        public var title: String
        /// The introduction.
        public var intro: String
        /// The label of the device's name.
        public var name: String
        /// The help text for the device's name.
        public var nameHint: String
        /// The button that generates the key.
        public var begin: String
        /// The instruction to scan the QR code.
        public var scan: String
        /// The text alternative of the QR code.
        public var picture: String
        /// The heading of the key, for a user who cannot scan the QR code.
        public var cannotScan: String
        /// The instruction to type the key.
        public var type: String
        /// The label of the key.
        public var key: String
        /// The link that opens an app on this device with the key.
        public var open: String
        /// The note that the key is shown only once.
        public var once: String
        /// The instruction to enter the first code.
        public var thenCode: String
        /// The button that confirms the enrollment.
        public var confirm: String
        /// The note after a wrong code that the key is not shown again.
        public var notShown: String
        /// The button that generates another key.
        public var again: String
    }

    /// The texts about recovery codes.
    public struct Recovery: Sendable {
        /// The title of the page.
        public var title: String
        /// The introduction.
        public var intro: String
        /// The note that earlier codes are invalid, if there were any.
        public var replaced: String
        /// The warning that the codes are shown only once.
        public var once: String
        /// The link from the codes to the return path.
        public var done: String
        /// The link that declines the offer of codes.
        public var later: String
    }
}
#endif
