// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Inspects access tokens at a provider that lets users sign in with them.
package protocol AccessTokenInspector: Sendable {
    /// Asks the provider about an access token.
    ///
    /// - Parameters:
    ///   - accessToken: The access token, as a client sent it.
    ///   - transport: The transport for requests to the provider.
    ///   - clock: The clock for expiry checks.
    ///   - limit: The maximum time for all requests.
    /// - Returns: The provider's answer.
    /// - Throws: ``AccessTokenFailure``
    func inspect(
        _ accessToken: String,
        transport: any HTTPTransport,
        clock: any WallClock,
        within limit: Duration
    ) async throws(AccessTokenFailure) -> InspectedAccessToken
}

/// The provider's answer about a valid access token of this app.
package struct InspectedAccessToken: Sendable {
    /// The subject: the user's ID at the provider.
    package let subject: String
    /// The user's e-mail address, which may be unverified; nil if unknown.
    package let email: String?
    /// The user's name; nil if unknown.
    package let name: String?
    /// The permissions of the token.
    package let permissions: PermissionStatuses
    /// The time at which the token expires; nil if it never does.
    package let expirationDate: Date?
    /// Further details, for the provider's own module.
    package let details: any Sendable

    /// Creates the result of an inspection.
    package init(
        subject: String,
        email: String?,
        name: String?,
        permissions: PermissionStatuses,
        expirationDate: Date?,
        details: any Sendable
    ) {
        self.subject = subject
        self.email = email
        self.name = name
        self.permissions = permissions
        self.expirationDate = expirationDate
        self.details = details
    }
}

/// The reason why a provider did not accept an access token, or did not execute a call with it.
package struct AccessTokenFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Kind: Sendable {
        /// The token is invalid, expired, revoked, or another app's.
        case invalid
        /// The app's configuration does not allow the request.
        case notAllowed
        /// The provider does not respond.
        case unavailable
    }

    /// The kind of the failure.
    package let kind: Kind
    /// The finding, for the operator; never the token.
    package let description: String
    /// The time to wait before another attempt; nil if the provider names none.
    package let retryAfter: Duration?

    /// Creates a failure.
    package init(_ kind: Kind, _ description: String, retryAfter: Duration?) {
        self.kind = kind
        self.description = description
        self.retryAfter = retryAfter
    }
}
