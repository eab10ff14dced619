// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// An identity at a provider, proven by exactly one verification: the only evidence of a provider that accounts accept.
///
/// ``LoginManager`` returns it for a login by browser, and accounts pass it to the application with the result of a sign-in.
/// ``providerTokens`` are in memory alone: they are never stored, and gone once a sign-in has waited for a second factor.
public struct VerifiedIdentity: Sendable {
    /// The provider.
    public let providerID: ProviderID

    /// The verified ID token; nil where the provider's API proved an access token, or the identity has waited for a second factor or a
    /// conflict to be resolved.
    public var token: VerifiedToken? {
        if case .token(let token) = evidence { token } else { nil }
    }

    /// The claims of the verified ID token, after a wait too; nil where the provider's API proved an access token.
    public var claims: Claims? {
        switch evidence {
        case .token(let token): token.claims
        case .inspected: nil
        case .waited(let claims): claims
        }
    }

    /// The subject: the user's ID at the provider.
    public let subject: String

    /// The granted, declined and expired permissions; nil at a provider that has none, or where nothing was said of them.
    public let permissions: PermissionStatuses?

    /// The source of ``permissions``.
    public let permissionSource: PermissionSource?

    /// The provider's other tokens; nil where it issued none, or the identity has waited.
    public let providerTokens: ProviderTokens?

    /// What proves the identity.
    package let evidence: Evidence

    /// What the flow of the provider knows beyond that.
    package let details: (any Sendable)?

    /// The secret of the claimed attempt of a browser; nil for any other login.
    package let attempt: AttemptSecret?

    /// What proves an identity.
    package enum Evidence: Sendable {
        /// A verified ID token.
        case token(VerifiedToken)
        /// The provider's answer about an access token.
        case inspected(InspectedAccessToken)
        /// What was proven before, and has waited since.
        case waited(Claims?)
    }

    /// Creates the identity of a verified token.
    package init(
        providerID: ProviderID,
        token: VerifiedToken,
        permissions: PermissionStatuses? = nil,
        permissionSource: PermissionSource? = nil,
        providerTokens: ProviderTokens? = nil,
        details: (any Sendable)? = nil,
        attempt: AttemptSecret? = nil
    ) {
        self.providerID = providerID
        subject = token.subject
        self.permissions = permissions
        self.permissionSource = permissionSource
        self.providerTokens = providerTokens
        evidence = .token(token)
        self.details = details
        self.attempt = attempt
    }

    /// Creates the identity that a provider's answer about an access token proves.
    package init(providerID: ProviderID, _ answer: InspectedAccessToken) {
        self.providerID = providerID
        subject = answer.subject
        permissions = answer.permissions
        permissionSource = .provider
        providerTokens = nil
        evidence = .inspected(answer)
        details = answer.details
        attempt = nil
    }

    /// Creates an identity that has waited.
    package init(
        providerID: ProviderID,
        subject: String,
        claims: Claims?,
        permissions: PermissionStatuses?,
        permissionSource: PermissionSource?
    ) {
        self.providerID = providerID
        self.subject = subject
        self.permissions = permissions
        self.permissionSource = permissionSource
        providerTokens = nil
        evidence = .waited(claims)
        details = nil
        attempt = nil
    }
}

extension VerifiedIdentity: Redacted {
    /// The provider, without anything about the user.
    public var description: String { "verified identity at \(providerID)" }
}
