// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A code that was sent to a phone as a second factor.
public struct MultiFactorChallenge: Sendable, Encodable {
    /// The ID of the challenge: a secret for the client that requested it.
    public let id: String

    /// The ID of the factor.
    public let uid: String

    /// The time at which the code expires.
    public let expiresAt: Date

    /// The time from which another code can be requested.
    public let resendAt: Date
}

extension MultiFactorChallenge: Redacted {
    /// A fixed text, without the ID.
    public var description: String { "code that was sent to a phone" }
}
