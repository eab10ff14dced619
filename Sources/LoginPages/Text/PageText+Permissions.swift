// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
extension PageText {
    /// The texts about the permissions of a login.
    public struct Permissions: Sendable {
        /// The title of the page.
        public var title = "What you share"
        /// The link to the page.
        public var manage = "Change what you share"
        /// The introduction.
        public var intro: @Sendable (_ provider: String) -> Phrase = {
            "For every change you sign in at \($0) once more. You can change it back at any time."
        }
        /// The status of a granted permission.
        public var granted = "Shared"
        /// The status of a declined or revoked permission, and its label on the account page.
        public var declined = "Not shared: you declined"
        /// The status of a permission that expired because it was not used.
        public var expired = "No longer shared, because it was not used"
        /// The status of a permission that the provider has not reported.
        public var unknown = "Not shared"
        /// The button that requests a permission for the first time.
        public var request: @Sendable (_ permission: String) -> Phrase = { "Share: \($0)" }
        /// The button that requests a declined or expired permission again.
        public var requestAgain: @Sendable (_ permission: String) -> Phrase = { "Ask again: \($0)" }
        /// The button that revokes a permission.
        public var revoke: @Sendable (_ permission: String) -> Phrase = { "Stop sharing: \($0)" }
        /// The heading of the revocation of the whole login.
        public var all = "Everything"
        /// The explanation of the revocation of the whole login.
        public var allHint: @Sendable (_ provider: String) -> Phrase = {
            "This service is removed from your account at \($0). You can sign in with it again later."
        }
        /// The button that revokes the whole login.
        public var revokeAll: @Sendable (_ provider: String) -> Phrase = { "Stop sharing anything from \($0)" }
        /// The link back to the account page.
        public var back = "Back to your account"
    }
}
#endif
