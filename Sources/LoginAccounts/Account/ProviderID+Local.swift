// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// Credentials that this package verifies itself.
extension ProviderID {
    /// An e-mail address with a password.
    public static let password = Self("password")
    /// A phone number.
    public static let phone = Self("phone")
}
