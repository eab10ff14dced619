// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension ProviderID {
    /// Facebook, by Limited Login or by an access token.
    public static let facebook = Self("facebook")
}
