// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A code that was sent to a phone, and is waited for.
public struct MultiFactorChallenge: Sendable, Encodable {
    /// What the code belongs to: a secret for the client that asked for it.
    public let id: String

    /// The factor whose phone it was sent to.
    public let uid: String

    /// When the code ends.
    public let expiresAt: Date

    /// When another can be asked for.
    public let resendAt: Date
}

extension MultiFactorChallenge: Redacted {
    /// A fixed text, without the ID.
    public var description: String { "code that was sent to a phone" }
}
