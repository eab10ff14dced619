// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText {
    /// The notices about an action that was just completed.
    public struct Notices: Sendable {
        /// The user cancelled a login at a provider.
        public var cancelled: String
        /// A login was linked.
        public var linked: String
        /// A login was unlinked.
        public var unlinked: String
        /// Two accounts were merged.
        public var merged: String
        /// A second factor was enrolled.
        public var factorAdded: String
        /// A second factor was removed.
        public var factorRemoved: String
        /// A session was closed.
        public var sessionClosed: String
        /// All other sessions were closed.
        public var othersClosed: String
        /// A message was sent.
        public var messageSent: String
        /// An e-mail address was verified.
        public var emailVerified: String
        /// A password was changed.
        public var passwordChanged: String
        /// The user was reauthenticated.
        public var confirmed: String
        /// A login at a provider reported an older authentication than is required.
        public var notRecent: String
        /// The user granted a permission that was requested.
        public var permissionGranted: String
        /// The user declined a permission that was requested.
        public var permissionDeclined: String
        /// The provider does not report whether the user granted a permission that was requested.
        public var permissionUnknown: String
        /// A permission was revoked.
        public var permissionRevoked: String
        /// A login was revoked as a whole.
        public var loginRevoked: String
        /// A pending login could not be linked after the sign-in.
        public var notLinked: String
        /// A password was added or changed in a session.
        public var passwordSaved: String
        /// A phone was enrolled as second factor.
        public var phoneAdded: String
        /// An account with a password was created.
        public var signedUp: String
    }
}
#endif
