// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// An issuer that the policy accepts, as one token must spell it.
struct AcceptedIssuer {
    /// As the policy spells it: what keys are looked up by, since nothing of a token stands in it.
    let entry: String

    /// As the token must spell it: the same, with the tenant in its place.
    let name: String

    /// The tenant that the issuer belongs to, where the provider has tenants.
    let tenantID: String?

    /// Of a provider without tenants.
    init(entry: String) {
        self.entry = entry
        name = entry
        tenantID = nil
    }

    /// Of a provider with tenants: nil where the token names none, or one that this issuer does not belong to.
    ///
    /// What is no tenant ID names none. Else a token that holds the placeholder, unfilled, would be of no tenant, and one of a
    /// fixed tenant could name another.
    init?(entry: String, tenantClaim: String, claims: Claims) {
        guard let tenant = claims[tenantClaim]?.string, Provider.isTenantID(tenant) else { return nil }
        self.entry = entry
        name = entry.replacing(Provider.tenantPlaceholder, with: tenant)
        guard name.contains(tenant) else { return nil }
        tenantID = tenant
    }

    /// Whether a key that says for whose tokens it is may verify this issuer's.
    ///
    /// Only providers with tenants say so in their keys.
    func accepts(_ key: JSONWebKey) -> Bool {
        guard let tenantID, let keyIssuer = key.issuer else { return true }
        return isEqual(keyIssuer.replacing(Provider.tenantPlaceholder, with: tenantID), name)
    }
}
