// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The name of an identity provider, as *you* give it: never its issuer, whose spelling may change.
///
/// Where a provider has tenants, give each a name of its own (`microsoft:contoso`), since a subject belongs to one.
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Creates the ID of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The maximum length of the name of a provider, in bytes: it is part of the key by which an identity is found.
    package static let longestName = 64

    /// Creates the ID of a name.
    public init(_ name: String) { rawValue = name }

    /// Creates the ID of a name.
    public init(stringLiteral name: String) { rawValue = name }

    /// Google.
    public static let google = Self("google")
    /// Apple.
    public static let apple = Self("apple")
}

extension ProviderID: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
