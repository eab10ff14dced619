// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Microsoft Entra ID in its clouds, for organizations and for customers, and Azure AD B2C.
extension AccessTokenIssuer {
    /// Returns Microsoft Entra ID for the accounts of one organization, with access tokens of version 2.0.
    ///
    /// The API decides the version, by `requestedAccessTokenVersion` in its app manifest. The audience is its client ID.
    ///
    /// `typ` is `JWT`, the client is `azp`, and scopes are in `scp`; a client without a user has `roles` instead, which
    /// `requiredValues` can require. `azp` and `azpacr` are claims of access tokens only.
    ///
    /// Source: "Access token claims reference" (learn.microsoft.com/entra/identity-platform).
    ///
    /// - Parameters:
    ///   - tenantID: The tenant ID, a GUID in lower case.
    ///   - host: The host of the cloud, as for ``Provider/microsoft(tenantID:host:)``. For customers (Entra External ID) it
    ///     is the tenant ID and `.ciamlogin.com`, or the custom domain in the issuer of the tenant.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the ID is not a GUID in lower case, or the host not a host name in lower case.
    public static func microsoft(
        tenantID: String,
        host: String = Provider.microsoftHost
    ) throws(PolicyError) -> AccessTokenIssuer {
        microsoft(try Provider.microsoft(tenantID: tenantID, host: host))
    }

    /// Returns Microsoft Entra ID for accounts of several organizations, with access tokens of version 2.0.
    ///
    /// - Parameter provider: A provider such as ``Provider/microsoft(tenantIDs:host:)`` or
    ///   ``Provider/microsoftAnyTenant``.
    /// - Returns: The issuer.
    public static func microsoft(_ provider: Provider) -> AccessTokenIssuer {
        microsoft(provider, client: "azp", marks: ["azpacr"])
    }

    /// Returns Microsoft Entra ID for the accounts of one organization, with access tokens of version 1.0.
    ///
    /// An API has them unless its app manifest sets `requestedAccessTokenVersion` to 2. The audience is the URI or the
    /// client ID of the API, as the client requested it: configure both.
    ///
    /// They have an issuer of their own, and the client is `appid`; otherwise they are those of version 2.0. Tokens for
    /// Microsoft's own APIs, such as Microsoft Graph, look like them, but only that API can verify them.
    ///
    /// Sources: "Access token claims reference", "Access tokens in the Microsoft identity platform" and "National clouds"
    /// (learn.microsoft.com/entra/identity-platform), and for the issuers of the clouds the Bot Framework SDK and the Azure
    /// SDK for Java, which list them.
    ///
    /// - Parameters:
    ///   - tenantID: The tenant ID, a GUID in lower case.
    ///   - host: The host of the cloud: `login.microsoftonline.com`, `login.microsoftonline.us` for the US Government, or
    ///     `login.partner.microsoftonline.cn` for China.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the ID is not a GUID in lower case, or the host another one.
    public static func microsoftV1(
        tenantID: String,
        host: String = Provider.microsoftHost
    ) throws(PolicyError) -> AccessTokenIssuer {
        let current = try Provider.microsoft(tenantID: tenantID, host: host)
        guard let service = tokenServices[host] else {
            let known = tokenServices.keys.sorted()
            throw PolicyError("host: \(quoted(host)) has no tokens of version 1.0; it is none of \(quoted(known))")
        }
        let provider = current.with(issuers: ["https://\(service)/\(tenantID)/"])
            .with(keySetURL: "https://\(host)/common/discovery/keys")
        return microsoft(provider, client: "appid", marks: ["appidacr"])
    }

    /// The hosts in the issuers of version 1.0, by the host of the cloud.
    private static let tokenServices = [
        "login.microsoftonline.com": "sts.windows.net",
        "login.microsoftonline.us": "sts.windows.net",
        "login.partner.microsoftonline.cn": "sts.chinacloudapi.cn",
    ]

    /// Returns a user flow, or a custom policy, of Azure AD B2C.
    ///
    /// The audience is the client ID of the API. The client is `azp`, and the scopes are in `scp`, which ID tokens lack. The
    /// nonce of the sign-in is copied. All user flows of a tenant have one issuer: require the claim `tfp`, with
    /// `requiredValues`, if the API must accept only one of them. The form of the issuer with `tfp` in its path is not
    /// supported.
    ///
    /// Sources: "Overview of tokens in Azure Active Directory B2C" and "Request an access token in Azure Active Directory
    /// B2C" (learn.microsoft.com/azure/active-directory-b2c).
    ///
    /// - Parameters:
    ///   - tenantID: The tenant ID, a GUID in lower case.
    ///   - userFlow: The name of the user flow or custom policy, for example `B2C_1_signin`, whose keys are used.
    ///   - host: The host of the tenant, for example `contoso.b2clogin.com`, or its custom domain.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` if the ID is not a GUID in lower case, the name has other characters than such names, or
    ///   the host is not a host name in lower case.
    public static func microsoftB2C(
        tenantID: String,
        userFlow: String,
        host: String
    ) throws(PolicyError) -> AccessTokenIssuer {
        guard Provider.isTenantID(tenantID) else {
            throw PolicyError("tenant ID: \(quoted(tenantID)) is not a GUID in lower case")
        }
        let base = "https://\(try AccessTokenIssuer.host(host))/\(tenantID)/"
        let keys = base + "\(try label(userFlow, "user flow"))/discovery/v2.0/keys"
        var issuer = microsoft(cloud("microsoft-b2c", base + "v2.0/", keys: keys), client: "azp", marks: ["scp"])
        issuer.copiesNonce = true
        return issuer
    }

    private static func microsoft(_ provider: Provider, client: String, marks: [String]) -> AccessTokenIssuer {
        var issuer = AccessTokenIssuer(provider)
        issuer.types = ["jwt"]
        issuer.requiredClaims = marks
        issuer.clientClaims = [client]
        issuer.scopes = .spaceSeparated("scp")
        return issuer
    }
}
