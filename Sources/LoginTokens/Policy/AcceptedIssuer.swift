// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// An issuer that the policy accepts, with the spelling expected in one token.
struct AcceptedIssuer {
    /// The issuer as the policy spells it, used to look up keys because it contains nothing from a token.
    let entry: String

    /// The issuer as the token must spell it: the policy's entry with the tenant ID inserted.
    let name: String

    /// The tenant of the issuer; nil if the provider has no tenants.
    let tenantID: String?

    /// Creates the issuer of a provider without tenants.
    init(entry: String) {
        self.entry = entry
        name = entry
        tenantID = nil
    }

    /// Creates the issuer of a provider with tenants; nil if the token names no tenant, or one that this issuer does
    /// not belong to.
    ///
    /// A claim that is not a tenant ID is treated as missing. Otherwise a token with the unfilled placeholder would
    /// have no tenant, and a token of one fixed tenant could name another.
    init?(entry: String, tenantClaim: String, claims: Claims) {
        guard let tenant = claims[tenantClaim]?.string, Provider.isTenantID(tenant) else { return nil }
        self.entry = entry
        name = entry.replacing(Provider.tenantPlaceholder, with: tenant)
        guard name.contains(tenant) else { return nil }
        tenantID = tenant
    }

    /// Returns whether a key that is restricted to an issuer may verify this issuer's tokens.
    ///
    /// Only providers with tenants restrict keys in this way.
    func accepts(_ key: JSONWebKey) -> Bool {
        guard let tenantID, let keyIssuer = key.issuer else { return true }
        return isEqual(keyIssuer.replacing(Provider.tenantPlaceholder, with: tenantID), name)
    }
}
