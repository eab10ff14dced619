// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText {
    /// The texts of the account page.
    public struct AccountTexts: Sendable {
        /// The title of the page.
        public var title: String
        /// The heading of the profile.
        public var profile: String
        /// The label of the name.
        public var name: String
        /// The text for an unknown name.
        public var noName: String
        /// The label of the e-mail address.
        public var email: String
        /// The mark of a verified e-mail address.
        public var verified: String
        /// The mark of an e-mail address that is not verified.
        public var notVerified: String
        /// The button that sends a verification message.
        public var verify: String
        /// The label of the creation time.
        public var createdAt: String
        /// The warning that the account of a guest is temporary.
        public var guest: String
        /// The link from the warning to the ways to keep the account.
        public var save: String
        /// The heading of the sign-in methods.
        public var logins: String
        /// The name of a login.
        public var loginAs: @Sendable (_ provider: String, _ name: String) -> Phrase
        /// The label of the time at which a login was linked.
        public var linkedAt: String
        /// The label of the time at which a login was last used.
        public var lastUsed: String
        /// The label of the granted permissions.
        public var shares: String
        /// The description of a permission, by the provider's name.
        public var permission: @Sendable (_ name: String) -> String
        /// The name of a login by password.
        public var passwordLogin: String
        /// The name of a login by phone number.
        public var phoneLogin: String
        /// The obstacle of a login whose provider is not configured.
        public var notConfigured: String
        /// The obstacle of a login that was revoked at the provider.
        public var revoked: String
        /// The obstacle of a password login without a password.
        public var withoutPassword: String
        /// The button that unlinks a login.
        public var unlink: @Sendable (_ provider: String) -> Phrase
        /// The explanation why the only usable login cannot be unlinked.
        public var lastLogin: String
        /// The heading of the sign-in methods that can be added.
        public var more: String
        /// The button that links a login.
        public var link: @Sendable (_ provider: String) -> String
        /// The link to the page that adds a phone number as sign-in method.
        public var addPhone: String
        /// The heading of the second factors.
        public var factors: String
        /// The text if there is no second factor.
        public var noFactors: String
        /// The name of an authenticator app without a name.
        public var app: String
        /// The name of a phone.
        public var phone: @Sendable (_ suffix: String) -> Phrase
        /// The button that removes a second factor.
        public var removeFactor: @Sendable (_ factor: String) -> Phrase
        /// The text with the number of remaining recovery codes.
        public var codesLeft: @Sendable (_ count: Int) -> String
        /// The text if there are no recovery codes.
        public var noCodes: String
        /// The button that generates recovery codes.
        public var makeCodes: String
        /// The heading of the data export and the deletion.
        public var data: String
        /// The link that downloads the personal data.
        public var download: String
        /// The link to the deletion, and the button that confirms it.
        public var delete: String
    }
}
#endif
