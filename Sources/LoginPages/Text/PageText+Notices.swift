// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
extension PageText {
    /// The notices about an action that was just completed.
    public struct Notices: Sendable {
        /// The user cancelled a login at a provider.
        public var cancelled = "The login was cancelled. Nothing has changed."
        /// A login was linked.
        public var linked = "The login is linked."
        /// A login was unlinked.
        public var unlinked = "The login is unlinked."
        /// Two accounts were merged.
        public var merged = "The two accounts are merged."
        /// A second factor was enrolled.
        public var factorAdded = "The app is added. Now make recovery codes, in case you lose it."
        /// A second factor was removed.
        public var factorRemoved = "The second step is removed."
        /// A session was closed.
        public var sessionClosed = "That device is signed out."
        /// All other sessions were closed.
        public var othersClosed = "All other devices are signed out."
        /// A message was sent.
        public var messageSent = "A message is on its way to your address."
        /// An e-mail address was verified.
        public var emailProven = "Your e-mail address is confirmed."
        /// A password was changed.
        public var passwordChanged = "Your password is changed. Sign in with it."
        /// The user was reauthenticated.
        public var confirmed = "Thank you. Please repeat what you wanted to do."
        /// A login at a provider proved an older authentication than is required.
        public var notRecent = "That login was not recent. Sign out at the provider and try again, or use another."
        /// The user granted a permission that was requested.
        public var permissionGranted = "Thank you. It is shared now."
        /// The user declined a permission that was requested.
        public var permissionDeclined = "You declined. Nothing else has changed."
        /// A permission was revoked.
        public var permissionRevoked = "It is no longer shared."
        /// A login was revoked as a whole.
        public var loginRevoked = "Nothing is shared any more. This login works again after you agree to it anew."
        /// A pending login could not be linked after the sign-in.
        public var notLinked = "You are signed in. The other login was not linked; your account's page links it."
    }
}
#endif
