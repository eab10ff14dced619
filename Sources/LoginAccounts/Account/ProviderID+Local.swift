// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// The credentials that this package checks itself.
extension ProviderID {
    /// An e-mail address with a password.
    public static let password = Self("password")
    /// A phone number.
    public static let phone = Self("phone")
}
