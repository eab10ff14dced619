// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What an account is known by, whatever its person signs in with: it never changes, and says nothing.
public struct AccountID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text, a UUID.
    public let rawValue: String

    /// The ID with this text, as it was kept.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AccountID: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}

/// Whether an account is in use.
enum AccountState: String, Sendable {
    /// It is.
    case active
    /// It has become part of another.
    case merged
    /// It was deleted.
    case deleted
}

/// Whether an identity can sign in.
enum IdentityStatus: String, Sendable {
    /// It can.
    case active
    /// The person, or the provider, has taken back what it rested on.
    case revoked
}
