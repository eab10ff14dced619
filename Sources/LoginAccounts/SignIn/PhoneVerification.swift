// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A code that was sent to a phone number, to sign in with it or to link it: what ``AuthCredential/phone(verificationID:code:)`` names.
public struct PhoneVerification: Sendable, Encodable {
    /// What the code belongs to: a secret for the client that asked for it.
    public let id: String

    /// When the code ends.
    public let expiresAt: Date

    /// When another can be asked for.
    public let resendAt: Date
}

extension PhoneVerification: Redacted {
    /// A fixed text, without the ID.
    public var description: String { "code that was sent to a phone number" }
}
