// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Microsoft's identity platform, version 2.0: Entra ID for organizations and for customers, and personal accounts.
///
/// - Each tenant has its own issuer, which contains the tenant ID. Choose which accounts to accept: those of one
///   tenant, of several tenants, personal accounts, or those of any tenant.
/// - The key set serves all tenants. Some keys have a member `issuer`, which restricts them to the tokens of one
///   issuer; this restriction is enforced.
/// - `sub` differs for each app. `oid` and `tid` together are the same for all apps of a tenant.
/// - `email`, `preferred_username` and `upn` can be changed, even to another person's address: never identify a user by
///   them.
/// - Every token has a key ID.
///
/// Sources: "ID token claims reference", "Claims validation" and "National clouds"
/// (learn.microsoft.com/entra/identity-platform).
extension Provider {
    /// Returns the provider for accounts of one organization.
    ///
    /// - Parameters:
    ///   - tenantID: The tenant ID, a GUID in lower case.
    ///   - host: The host of the cloud: ``microsoftHost``, `login.microsoftonline.us` for the US Government,
    ///     `login.partner.microsoftonline.cn` for China, or for customers (Entra External ID) the tenant ID and
    ///     `.ciamlogin.com`.
    /// - Returns: The provider, with that tenant's issuer.
    /// - Throws: ``PolicyError`` if the ID is not a GUID in lower case; tokens never contain domains or names such as
    ///   `common`. Also if the host is not a host name in lower case.
    public static func microsoft(tenantID: String, host: String = Self.microsoftHost) throws(PolicyError) -> Provider {
        try checkTenantID(tenantID)
        return try microsoft(tenants: [tenantID], keys: tenantID, host: AccessTokenIssuer.host(host))
    }

    /// The host of the global cloud.
    public static let microsoftHost = "login.microsoftonline.com"

    /// Returns the provider for accounts of several organizations.
    ///
    /// - Parameters:
    ///   - tenantIDs: The tenant IDs, GUIDs in lower case; at least one.
    ///   - host: The host of the cloud in which all of them are, as for ``microsoft(tenantID:host:)``.
    /// - Returns: The provider, with those tenants' issuers.
    /// - Throws: ``PolicyError`` if there is none, one is not a GUID in lower case, or the host is not a host name in lower
    ///   case.
    public static func microsoft(tenantIDs: [String], host: String = Self.microsoftHost) throws(PolicyError) -> Provider
    {
        guard !tenantIDs.isEmpty else { throw PolicyError("tenant IDs: at least one is required") }
        for tenantID in tenantIDs { try checkTenantID(tenantID) }
        return try microsoft(tenants: tenantIDs, keys: "common", host: AccessTokenIssuer.host(host))
    }

    private static func checkTenantID(_ tenantID: String) throws(PolicyError) {
        guard isTenantID(tenantID) else {
            throw PolicyError("tenant ID: \(quoted(tenantID)) is not a GUID in lower case")
        }
    }

    /// The provider for personal accounts, which share one tenant.
    public static let microsoftPersonal = microsoft(
        tenants: [personalTenantID],
        keys: "consumers"
    )

    /// The provider for accounts of any organization, and personal accounts.
    ///
    /// Anybody can create a tenant, so this authenticates a user but never shows that the user belongs to your
    /// organization.
    public static let microsoftAnyTenant = microsoft(tenants: [tenantPlaceholder], keys: "common")

    /// Returns the provider for the accounts that a command or a configuration names.
    ///
    /// - Parameter tenant: A tenant ID, `personal`, or `any`.
    /// - Returns: The provider.
    /// - Throws: ``PolicyError`` if the text is none of these.
    package static func microsoft(tenant: String) throws(PolicyError) -> Provider {
        switch tenant {
        case "personal": microsoftPersonal
        case "any": microsoftAnyTenant
        default: try microsoft(tenantID: tenant)
        }
    }

    /// The tenant of personal accounts.
    private static let personalTenantID = "9188040d-6c67-4c5b-b112-36a304b66dad"

    private static func microsoft(tenants: [String], keys: String, host: String = Self.microsoftHost) -> Provider {
        var provider = Provider(
            name: "microsoft",
            issuers: tenants.map { "https://\(host)/\($0)/v2.0" },
            keySetURL: "https://\(host)/\(keys)/discovery/v2.0/keys",
            requiresKeyID: true,
            requiredClaims: ["tid"],
            tenantClaim: "tid",
            hostedDomainClaim: nil,
            reauthentication: .microsoft
        )
        // A document of one tenant has the endpoints of this tenant, at which no other users log in.
        if tenants.count > 1 || tenants == [tenantPlaceholder] {
            let hasPersonal = tenants.contains(tenantPlaceholder) || tenants.contains(personalTenantID)
            let users = hasPersonal ? "common" : "organizations"
            provider.documents.discoveryURL = "https://\(host)/\(users)/v2.0/.well-known/openid-configuration"
            provider.documents.discoveryIssuer = "https://\(host)/\(tenantPlaceholder)/v2.0"
        }
        return provider
    }
}
