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

    /// The time at which the service issued the tokens; nil if it is unknown.
    public var refreshDate: Date?

    /// The tokens of providers that the application keeps, by the name of the provider.
    ///
    /// ``ClientSession/keep(_:of:)`` adds one. They are stored and deleted together with the tokens of the session.
    public var providerTokens: [String: ClientProviderToken]

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
    ///   - refreshDate: The time at which the service issued the tokens; nil if it is unknown.
    ///   - providerTokens: The tokens of providers that the application keeps, by the name of the provider.
    public init(
        sessionToken: String,
        refreshToken: String,
        service: String,
        accountID: String,
        expiresAt: Date,
        provider: String,
        permissions: [String]? = nil,
        refreshDate: Date? = nil,
        providerTokens: [String: ClientProviderToken] = [:]
    ) {
        self.sessionToken = sessionToken
        self.refreshToken = refreshToken
        self.service = service
        self.accountID = accountID
        self.expiresAt = expiresAt
        self.provider = provider
        self.permissions = permissions
        self.refreshDate = refreshDate
        self.providerTokens = providerTokens
    }

    /// Decodes tokens, with or without those of providers.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a member is missing or has another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sessionToken = try container.decode(String.self, forKey: .sessionToken)
        refreshToken = try container.decode(String.self, forKey: .refreshToken)
        service = try container.decode(String.self, forKey: .service)
        accountID = try container.decode(String.self, forKey: .accountID)
        expiresAt = try container.decode(Date.self, forKey: .expiresAt)
        provider = try container.decode(String.self, forKey: .provider)
        permissions = try container.decodeIfPresent([String].self, forKey: .permissions)
        refreshDate = try container.decodeIfPresent(Date.self, forKey: .refreshDate)
        providerTokens =
            try container.decodeIfPresent([String: ClientProviderToken].self, forKey: .providerTokens) ?? [:]
    }
}

/// A token of a provider that an application keeps beside its session, for example an access token for the provider's
/// API.
///
/// The service neither gets nor returns it. It is a secret: whoever has it acts for the user at the provider.
public struct ClientProviderToken: Sendable, Hashable, Codable {
    /// The token: 1 to 16,384 bytes.
    public let token: String

    /// The time at which the token expires; nil if the provider does not say.
    public let expiresAt: Date?

    /// The maximum length of a token, as of the tokens that the service accepts.
    static let bytes = 16_384

    /// The maximum number of providers of which a session keeps a token.
    static let count = 8

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - token: The token: 1 to 16,384 bytes.
    ///   - expiresAt: The time at which the token expires; nil if the provider does not say.
    public init(_ token: String, expiresAt: Date? = nil) {
        self.token = token
        self.expiresAt = expiresAt
    }
}

extension ClientProviderToken: RedactedValue {
    /// A fixed text, without the token.
    public var description: String { "token of a provider" }
}

extension CachedTokens: RedactedValue {
    /// A fixed text, without the tokens.
    public var description: String { "tokens of a session" }
}
