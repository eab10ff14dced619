// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The tokens of a session, as a client stores them.
public struct CachedTokens: Sendable, Hashable, Codable {
    /// The session token, sent with each request: 100 characters, prefix `lls_`.
    public var sessionToken: String

    /// The refresh token: 100 characters, prefix `llr_`.
    public var refreshToken: String

    /// The URL of the service, to which alone the tokens are sent.
    ///
    /// A session stores it with scheme and host in lower case, and without the default port and a slash at the end.
    public var service: String

    /// The ID of the account.
    public var accountID: String

    /// The time at which the session token expires.
    public var expiresAt: Date

    /// The name of the identity provider with which the user signed in.
    public var provider: String

    /// The permissions that the user granted at the provider; nil if the provider does not report them.
    public var permissions: [String]?

    /// Creates tokens.
    ///
    /// - Parameters:
    ///   - sessionToken: The session token.
    ///   - refreshToken: The refresh token.
    ///   - service: The URL of the service.
    ///   - accountID: The ID of the account.
    ///   - expiresAt: The time at which the session token expires.
    ///   - provider: The name of the identity provider with which the user signed in.
    ///   - permissions: The granted permissions; nil if they are unknown.
    public init(
        sessionToken: String,
        refreshToken: String,
        service: String,
        accountID: String,
        expiresAt: Date,
        provider: String,
        permissions: [String]? = nil
    ) {
        self.sessionToken = sessionToken
        self.refreshToken = refreshToken
        self.service = service
        self.accountID = accountID
        self.expiresAt = expiresAt
        self.provider = provider
        self.permissions = permissions
    }
}

extension CachedTokens: RedactedValue {
    /// A fixed text, without the tokens.
    public var description: String { "tokens of a session" }
}
