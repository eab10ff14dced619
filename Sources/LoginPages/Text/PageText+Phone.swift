// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText {
    /// The texts about codes that are sent to phones.
    public struct Phone: Sendable {
        /// The title of the sign-in by phone, and the link to it.
        public var signInTitle: String
        /// The title of the page that links a number, and the link to it.
        public var linkTitle: String
        /// The title of the enrollment of a phone as second factor, and the link to it.
        public var enrollTitle: String
        /// The introduction to the enrollment of a phone.
        public var enrollIntro: String
        /// The label of the number.
        public var number: String
        /// The help text for the number.
        public var numberHint: String
        /// The error for an empty number.
        public var numberMissing: String
        /// The button that sends the first code.
        public var send: String
        /// The button that sends another code.
        public var resend: String
        /// The link to another number.
        public var another: String
        /// The button that confirms the enrollment.
        public var confirm: String
        /// The button that sends a code to a user who reauthenticates by phone.
        public var reauthenticate: @Sendable (_ suffix: String) -> Phrase
        /// The choice of a phone with a name as second factor.
        public var withNamed: @Sendable (_ name: String, _ suffix: String) -> Phrase
    }
}
#endif
