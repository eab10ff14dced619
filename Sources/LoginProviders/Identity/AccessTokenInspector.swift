// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Asks a provider about an access token, for a provider that lets users sign in by access tokens.
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
    /// The user's e-mail address, of which nothing says that it was verified; nil where it is unknown.
    package let email: String?
    /// The user's name; nil where it is unknown.
    package let name: String?
    /// The permissions of the token.
    package let permissions: PermissionStatuses
    /// The time at which the token expires; nil where it never does.
    package let expirationDate: Date?
    /// What the provider says beyond that, for its own module.
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

/// The reason why an access token proves nothing.
package struct AccessTokenFailure: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Kind: Sendable {
        /// The token is invalid, expired, revoked, or another app's.
        case invalid
        /// The app is not configured for it.
        case notAllowed
        /// The provider does not answer.
        case unavailable
    }

    /// The kind of the failure.
    package let kind: Kind
    /// What was found, for the operator; never the token.
    package let description: String
    /// The time after which another attempt makes sense; nil where the provider names none.
    package let retryAfter: Duration?

    /// Creates a failure.
    package init(_ kind: Kind, _ description: String, retryAfter: Duration?) {
        self.kind = kind
        self.description = description
        self.retryAfter = retryAfter
    }
}
