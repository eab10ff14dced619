// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The ID of a session, for lists and logs.
///
/// It is not a credential; the session token is.
public struct SessionID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text, a UUID.
    public let rawValue: String

    /// Creates an ID from its stored text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension SessionID: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}
