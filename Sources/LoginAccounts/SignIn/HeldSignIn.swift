// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What happens once nothing more is to be proven: at once, or after the second factor.
struct HeldSignIn: Sendable, Codable {
    /// What was proven.
    var credential: VerifiedCredential

    /// Whether its identity joins the account then, because both have proven the same e-mail address.
    var joins: Bool
}
