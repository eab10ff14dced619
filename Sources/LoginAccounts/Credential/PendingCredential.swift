// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A verified credential that could not be used, because it or its e-mail address belongs to another account.
///
/// It can be used once.
///
/// Its attempt is completed, so without it the user would have to return to the provider.
public struct PendingCredential: Sendable, Hashable, Encodable {
    /// The token with which the credential is used: a secret for the client that met the conflict.
    public let token: String

    /// The identity provider.
    public let providerID: ProviderID

    /// The e-mail address, if it caused the conflict; otherwise nil.
    public let email: String?

    /// The time at which the credential expires.
    public let expiresAt: Date

    /// Creates a pending credential from the values that a client returns.
    public init(token: String, providerID: ProviderID, email: String? = nil, expiresAt: Date = .distantFuture) {
        self.token = token
        self.providerID = providerID
        self.email = email
        self.expiresAt = expiresAt
    }
}

extension PendingCredential: Redacted {
    /// The provider, without the token.
    public var description: String { "pending credential of \(providerID)" }
}
