// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension VerificationCode {
    /// The authorization server answered that the token is not active: it never existed, expired, was revoked, or is for
    /// another API (RFC 7662 §2.2).
    public static let inactive = Self(
        "inactive",
        "The token is not active.",
        accessToken: "The access token is unknown, expired or revoked. Request a new one."
    )

    /// The introspection endpoint did not respond properly, so the token could not be decided.
    public static let introspectionUnavailable = Self(
        "introspection-unavailable",
        "The token cannot be checked now. Try again in a moment."
    )

    /// The codes that only introspection has; the last one is that of undecided tokens.
    public static let introspection: [Self] = [.inactive, .introspectionUnavailable]
}
