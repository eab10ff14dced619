// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Microsoft's identity platform, version 2.0: Entra ID for organizations, and personal accounts.
///
/// - Each tenant has an issuer of its own, with the tenant's ID in it. Say whose accounts you take: one tenant's, personal
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
        guard isTenantID(tenantID) else {
            throw PolicyError("tenant ID: \(quoted(tenantID)) is not a GUID in lower case, as tokens have it")
        }
        return microsoft(tenant: tenantID, keys: tenantID)
    }

    /// Personal accounts, which share a tenant.
    public static let microsoftPersonal = microsoft(tenant: "9188040d-6c67-4c5b-b112-36a304b66dad", keys: "consumers")

    /// Accounts of any organization, and personal ones.
    ///
    /// Anybody can found a tenant, so this says who somebody is and never that they belong to you.
    public static let microsoftAnyTenant = microsoft(tenant: tenantPlaceholder, keys: "common")

    private static func microsoft(tenant: String, keys: String) -> Provider {
        Provider(
            name: "microsoft",
            issuers: ["https://login.microsoftonline.com/\(tenant)/v2.0"],
            keySetURL: "https://login.microsoftonline.com/\(keys)/discovery/v2.0/keys",
            requiresKeyID: true,
            requiredClaims: ["tid"],
            tenantClaim: "tid"
        )
    }
}
