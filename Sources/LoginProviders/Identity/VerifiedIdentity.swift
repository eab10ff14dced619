// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// An identity at a provider, proven by exactly one verification.
///
/// Accounts accept no other evidence of a provider.
///
/// ``LoginManager`` returns it for a browser login. Accounts pass it to the application with the result of a sign-in.
///
/// Accounts store an identity while a sign-in waits for a second factor or for the resolution of a conflict, and with
/// its login if the application's policy says so. A stored identity has ``claims`` and ``permissions``, but neither
/// ``token`` nor ``providerTokens``.
public struct VerifiedIdentity: Sendable {
    /// The provider.
    public let providerID: ProviderID

    /// The verified ID token; nil for an identity proven by an access token, and for a stored identity.
    public var token: VerifiedToken? {
        if case .token(let token) = evidence { token } else { nil }
    }

    /// The claims of the verified ID token, also for a stored identity; nil for one proven by an access token.
    ///
    /// Name and e-mail address may come from the UserInfo endpoint (``SignInProvider/userInfo``). ``token`` has only what
    /// was signed.
    public var claims: Claims? {
        switch evidence {
        case .token(let token): completedClaims ?? token.claims
        case .inspected: nil
        case .stored(let claims): claims
        }
    }

    /// The subject, under which the identity is stored: the user's ID at the provider.
    ///
    /// Each tenant of a provider has its own issuer, and a subject is unique within its issuer only (OpenID Connect Core
    /// §2). The subject of such a provider is therefore the tenant ID, a slash, and the `sub` of the token.
    public let subject: String

    /// The granted, declined and expired permissions; nil at a provider without permissions, or if none were reported.
    public let permissions: PermissionStatuses?

    /// The source of ``permissions``.
    public let permissionSource: PermissionSource?

    /// The permissions that the login requested; nil if they are unknown, as for a login in an app.
    package let requestedPermissions: Set<Permission>?

    /// The provider's other tokens; nil if it issued none, or for a stored identity.
    public let providerTokens: ProviderTokens?

    /// The evidence of the identity.
    package let evidence: Evidence

    /// The claims of the ID token and those of the UserInfo endpoint; nil if it was not asked.
    private let completedClaims: Claims?

    /// Provider-specific details.
    package let details: (any Sendable)?

    /// The secret of the claimed attempt of a browser login; nil for any other login.
    package let attempt: AttemptSecret?

    /// The evidence of an identity.
    package enum Evidence: Sendable {
        /// A verified ID token.
        case token(VerifiedToken)
        /// The provider's answer about an access token.
        case inspected(InspectedAccessToken)
        /// The stored claims of an earlier verification; nil if an access token was verified.
        case stored(Claims?)
    }

    /// Creates the identity of a verified token, whose claims may have been completed.
    package init(
        providerID: ProviderID,
        token: VerifiedToken,
        claims: Claims? = nil,
        permissions: PermissionStatuses? = nil,
        permissionSource: PermissionSource? = nil,
        requestedPermissions: Set<Permission>? = nil,
        providerTokens: ProviderTokens? = nil,
        details: (any Sendable)? = nil,
        attempt: AttemptSecret? = nil
    ) {
        self.providerID = providerID
        subject = token.storedSubject
        self.permissions = permissions
        self.permissionSource = permissionSource
        self.requestedPermissions = requestedPermissions
        self.providerTokens = providerTokens
        evidence = .token(token)
        completedClaims = claims
        self.details = details
        self.attempt = attempt
    }

    /// Creates the identity that the provider's answer about an access token proves.
    package init(providerID: ProviderID, _ answer: InspectedAccessToken) {
        self.providerID = providerID
        subject = answer.subject
        permissions = answer.permissions
        permissionSource = .provider
        requestedPermissions = nil
        providerTokens = nil
        evidence = .inspected(answer)
        completedClaims = nil
        details = answer.details
        attempt = nil
    }

    /// Creates a stored identity.
    package init(
        providerID: ProviderID,
        subject: String,
        claims: Claims?,
        permissions: PermissionStatuses?,
        permissionSource: PermissionSource?,
        requestedPermissions: Set<Permission>? = nil
    ) {
        self.providerID = providerID
        self.subject = subject
        self.permissions = permissions
        self.permissionSource = permissionSource
        self.requestedPermissions = requestedPermissions
        providerTokens = nil
        evidence = .stored(claims)
        completedClaims = nil
        details = nil
        attempt = nil
    }
}

extension VerifiedIdentity {
    private init(_ identity: Self, requestedPermissions: Set<Permission>) {
        providerID = identity.providerID
        subject = identity.subject
        permissions = identity.permissions
        permissionSource = identity.permissionSource
        self.requestedPermissions = requestedPermissions
        providerTokens = identity.providerTokens
        evidence = identity.evidence
        completedClaims = identity.completedClaims
        details = identity.details
        attempt = identity.attempt
    }

    /// Returns the identity of a login that requested these permissions.
    package func requesting(_ permissions: Set<Permission>) -> Self { Self(self, requestedPermissions: permissions) }
}

extension VerifiedToken {
    /// The subject under which the user's identity is stored, which ``VerifiedIdentity/subject`` describes.
    ///
    /// A tenant ID has a fixed length, so that no two pairs have the same text.
    var storedSubject: String { tenantID.map { "\($0)/\(subject)" } ?? subject }
}

extension VerifiedIdentity: Redacted {
    /// The provider, without anything about the user.
    public var description: String { "verified identity at \(providerID)" }
}

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
    /// The granted scopes (RFC 6749 §5.1); empty if they are unknown, as for an access token that an app sent.
    public let scopes: Set<String>

    /// Creates the tokens of a provider.
    package init(
        accessToken: String,
        refreshToken: String? = nil,
        lifetime: Duration? = nil,
        scopes: Set<String> = []
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.lifetime = lifetime
        self.scopes = scopes
    }
}

extension ProviderTokens: Redacted {
    /// A fixed text, without the tokens.
    public var description: String { "tokens of a provider" }
}
