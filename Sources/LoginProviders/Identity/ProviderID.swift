// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Who vouches for an identity, by the name that *you* give it: never by an issuer, which changes its spelling.
///
/// Where a provider has tenants, name each on its own (`microsoft:contoso`), since a subject belongs to one.
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable {
    /// The name.
    public let rawValue: String

    /// The provider with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The longest name of a provider that can be configured, in bytes: it is part of the key by which a login is found.
    package static let longestName = 64

    /// The provider with this name.
    public init(_ name: String) { rawValue = name }

    /// Google.
    public static let google = Self("google")
    /// Apple.
    public static let apple = Self("apple")

    /// Reads the name alone.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the name alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension ProviderID: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
