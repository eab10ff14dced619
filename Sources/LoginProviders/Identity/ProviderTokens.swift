// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The tokens that a provider issued with the ID token.
public struct ProviderTokens: Sendable {
    /// The access token for the provider's APIs.
    ///
    /// Its holder can act for the user: do not log it, and store it encrypted.
    public let accessToken: String
    /// The refresh token; nil if there is none.
    ///
    /// It is as secret as the access token.
    public let refreshToken: String?
    /// The lifetime of the access token; nil if the provider does not state it.
    public let lifetime: Duration?
    /// The granted scopes (RFC 6749 §5.1).
    public let scopes: Set<String>
}

extension ProviderTokens: Redacted {
    /// A fixed text, without the tokens.
    public var description: String { "tokens of a provider" }
}
