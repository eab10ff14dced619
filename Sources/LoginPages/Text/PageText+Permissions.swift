// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText {
    /// The texts about the permissions of a login.
    public struct Permissions: Sendable {
        /// The title of the page.
        public var title: String
        /// The link to the page.
        public var manage: String
        /// The introduction.
        public var intro: @Sendable (_ provider: String) -> Phrase
        /// The status of a granted permission.
        public var granted: String
        /// The status of a declined or revoked permission, and its label on the account page.
        public var declined: String
        /// The status of a permission that expired because it was not used.
        public var expired: String
        /// The status of a permission that the provider has not reported.
        public var unknown: String
        /// The button that requests a permission for the first time.
        public var request: @Sendable (_ permission: String) -> Phrase
        /// The button that requests a declined or expired permission again.
        public var requestAgain: @Sendable (_ permission: String) -> Phrase
        /// The button that revokes a permission.
        public var revoke: @Sendable (_ permission: String) -> Phrase
        /// The heading of the revocation of the whole login.
        public var all: String
        /// The explanation of the revocation of the whole login.
        public var allHint: @Sendable (_ provider: String) -> Phrase
        /// The button that revokes the whole login.
        public var revokeAll: @Sendable (_ provider: String) -> Phrase
        /// The link back to the account page.
        public var back: String
    }
}
#endif
