// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A permission that an app requests from a user, by the provider's name.
///
/// Two permissions are equal if their names are equal byte for byte. Any text may be a name, since providers may add
/// permissions.
public struct Permission: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The provider's name, for example `user_birthday`.
    public let rawValue: String

    /// Creates a permission by the provider's name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a permission by the provider's name.
    public init(stringLiteral rawValue: String) {
        self.init(rawValue: rawValue)
    }
}

extension Permission {
    /// Compares the bytes.
    ///
    /// A comparison of the normal forms takes time that an attacker can make long.
    public static func == (first: Self, second: Self) -> Bool { isEqual(first.rawValue, second.rawValue) }
    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}

extension Permission: CustomStringConvertible {
    /// The provider's name.
    public var description: String { rawValue }
}
