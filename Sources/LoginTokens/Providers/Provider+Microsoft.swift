// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Microsoft's identity platform, version 2.0: Entra ID for organizations, and personal accounts.
///
/// - Each tenant has an issuer of its own, with the tenant's ID in it. Say whose accounts you take: one tenant's, several tenants', personal
///   ones, or those of any tenant.
/// - Its key set serves all tenants, and some keys say in a member `issuer` whose tokens they sign. That is kept to.
/// - `sub` is another one for each app. `oid` and `tid` together are the same for all apps of a tenant.
/// - `email`, `preferred_username` and `upn` can be changed, also to an address of somebody else: never recognize a person by
///   them.
/// - Every token names its key.
///
/// Sources: "ID token claims reference" and "Claims validation" (learn.microsoft.com/entra/identity-platform).
extension Provider {
    /// Accounts of one organization.
    ///
    /// - Parameter tenantID: The tenant's ID, a GUID in lower case.
    /// - Returns: The provider, with that tenant's issuer.
    /// - Throws: ``PolicyError`` if it is not a GUID in lower case; names like `common` and domains stand in no token.
    public static func microsoft(tenantID: String) throws(PolicyError) -> Provider {
        try checkTenantID(tenantID)
        return microsoft(tenants: [tenantID], keys: tenantID)
    }

    /// Accounts of several organizations.
    ///
    /// - Parameter tenantIDs: The tenants' IDs, GUIDs in lower case; at least one.
    /// - Returns: The provider, with those tenants' issuers.
    /// - Throws: ``PolicyError`` if there is none, or one is not a GUID in lower case.
    public static func microsoft(tenantIDs: [String]) throws(PolicyError) -> Provider {
        guard !tenantIDs.isEmpty else { throw PolicyError("tenant IDs: there must be at least one") }
        for tenantID in tenantIDs { try checkTenantID(tenantID) }
        return microsoft(tenants: tenantIDs, keys: "common")
    }

    private static func checkTenantID(_ tenantID: String) throws(PolicyError) {
        guard isTenantID(tenantID) else {
            throw PolicyError("tenant ID: \(quoted(tenantID)) is not a GUID in lower case, as tokens have it")
        }
    }

    /// Personal accounts, which share a tenant.
    public static let microsoftPersonal = microsoft(
        tenants: ["9188040d-6c67-4c5b-b112-36a304b66dad"],
        keys: "consumers"
    )

    /// Accounts of any organization, and personal ones.
    ///
    /// Anybody can found a tenant, so this says who somebody is and never that they belong to you.
    public static let microsoftAnyTenant = microsoft(tenants: [tenantPlaceholder], keys: "common")

    private static func microsoft(tenants: [String], keys: String) -> Provider {
        Provider(
            name: "microsoft",
            issuers: tenants.map { "https://login.microsoftonline.com/\($0)/v2.0" },
            keySetURL: "https://login.microsoftonline.com/\(keys)/discovery/v2.0/keys",
            requiresKeyID: true,
            requiredClaims: ["tid"],
            tenantClaim: "tid",
            hostedDomainClaim: nil,
            reauthentication: .microsoft
        )
    }
}
