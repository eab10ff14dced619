// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A sign-in that is completed at once, or after the second factor.
struct HeldSignIn: Sendable, Codable {
    /// The verified credential.
    var credential: VerifiedCredential

    /// Whether the identity joins the account, because both have verified the same e-mail address.
    var joins: Bool
}
