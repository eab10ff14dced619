// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What was proven and could not be used, because it, or its e-mail address, belongs to another account: it can be used once.
///
/// Its attempt is over, so without it the person would have to go to the provider again.
public struct PendingCredential: Sendable, Hashable, Encodable {
    /// What it is redeemed with: a secret, for the client that met the conflict.
    public let token: String

    /// Who vouches for it.
    public let providerID: ProviderID

    /// The e-mail address, where that is what the conflict is about.
    public let email: String?

    /// When it ends.
    public let expiresAt: Date

    /// One that came back from a client.
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
