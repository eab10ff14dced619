// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A code that was sent to a phone number to sign in or to link it; see ``AuthCredential/phone(verificationID:code:)``.
public struct PhoneVerification: Sendable, Encodable {
    /// The ID of the code: a secret for the client that requested it.
    public let id: String

    /// The time at which the code expires.
    public let expiresAt: Date

    /// The time from which another code can be requested.
    public let resendAt: Date
}

extension PhoneVerification: Redacted {
    /// A fixed text, without the ID.
    public var description: String { "code that was sent to a phone number" }
}
