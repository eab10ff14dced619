// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The name of an identity provider, chosen by the application.
///
/// It is not the issuer, whose spelling may change. A provider with several tenants has one name, since its identities
/// are stored with their tenants (``VerifiedIdentity/subject``).
public struct ProviderID: Sendable, Hashable, Codable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name.
    public let rawValue: String

    /// Creates an ID from a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The maximum length of a name in bytes.
    ///
    /// The name is part of the key under which an identity is stored.
    static let longestName = 64

    /// Creates an ID from a name.
    public init(_ name: String) { rawValue = name }

    /// Creates an ID from a name.
    public init(stringLiteral name: String) { rawValue = name }

    /// Google.
    public static let google = Self("google")
    /// LINE.
    public static let line = Self("line")
    /// Apple.
    public static let apple = Self("apple")
}

extension ProviderID {
    /// Returns the redirect URI of browser logins on the pages of a service, which the app must have registered at the
    /// provider.
    ///
    /// - Parameter publicURL: The public URL of the service, with or without a slash at its end.
    /// - Returns: The URI: `/login/`, the name and `/callback` below the public URL.
    public func redirectURI(at publicURL: String) -> String {
        "\(publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL)/login/\(rawValue)/callback"
    }
}

extension ProviderID: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
