// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What a session is known by: for lists and logs.
///
/// It opens nothing; its token does.
public struct SessionID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text, a UUID.
    public let rawValue: String

    /// The ID with this text, as it was kept.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension SessionID: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}
