// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// A claim about the e-mail address or phone number of a verified login that an account cannot use.
///
/// The sign-in succeeds without it. The value contains nothing of the claim itself, so it can be logged.
public struct UnusableClaim: Sendable, Hashable {
    /// The provider.
    public let provider: ProviderID

    /// The name of the claim: `email`, `email_verified` or `phone_number_verified`.
    public let claim: String

    /// The reason, as a clause in English.
    public let reason: String
}
