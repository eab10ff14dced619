// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText {
    /// The texts of the page that asks before a change.
    public struct Confirmations: Sendable {
        /// The title before a guest signs out.
        public var signOutTitle: String
        /// The effect of signing out as a guest.
        public var signOut: String
        /// The effect of unlinking a login.
        public var unlink: @Sendable (_ provider: String) -> Phrase
        /// The effect of removing a second factor, if another one is left.
        public var removeFactor: String
        /// The effect of removing the only second factor.
        public var removeLastFactor: String
        /// The effect of generating recovery codes, if the account has some.
        public var makeCodes: String
    }
}
#endif
