// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The ID of an account: permanent, independent of the user's logins, and without personal data.
public struct AccountID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text, a UUID.
    public let rawValue: String

    /// Creates an ID from its stored text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AccountID: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}

/// The state of an account.
enum AccountState: String, Sendable {
    /// The account is in use.
    case active
    /// The account was merged into another.
    case merged
    /// The account was deleted.
    case deleted
}

/// The status of an identity.
enum IdentityStatus: String, Sendable {
    /// The identity can sign in.
    case active
    /// The user or the provider has revoked the login.
    case revoked
}
