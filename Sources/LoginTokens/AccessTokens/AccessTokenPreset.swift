// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An issuer whose access tokens differ from RFC 9068, in a command or a configuration: a name, a colon and a value.
///
/// Each preset needs one value, so that all of them have the same option.
package enum AccessTokenPreset: String, CaseIterable {
    case auth0, cognito, firebase
    case firebaseAppCheck = "firebase-app-check"
    case gitHubActions = "github-actions"
    case gitLab = "gitlab"
    case keycloak, kubernetes, microsoft
    case microsoftB2C = "microsoft-b2c"
    case microsoftV1 = "microsoft-v1"
    case okta, supabase

    /// The meaning of the value.
    package var value: String {
        switch self {
        case .auth0: "the domain of the tenant"
        case .cognito: "the ID of the user pool, with its region, and @HOST if its issuer has another host"
        case .firebase: "the project ID"
        case .firebaseAppCheck: "the project number"
        case .gitHubActions: "the owner, or one repository as owner/name, and @ISSUER of GitHub Enterprise"
        case .gitLab: "the path of the project, after https://host/ if not at gitlab.com"
        case .keycloak: "the URL of the realm"
        case .kubernetes: "a service account as namespace/name, @, and the issuer"
        case .microsoft: "the tenant ID, and @HOST of another cloud; personal; or any"
        case .microsoftB2C: "the tenant ID, a slash, the user flow, @, and the host of the tenant"
        case .microsoftV1: "the tenant ID, and @HOST of another cloud, for tokens of version 1.0"
        case .okta: "the domain, with /ID for another authorization server than default"
        case .supabase: "the reference ID of the project, or the issuer"
        }
    }

    /// Returns the issuer that a text names.
    ///
    /// - Parameter text: The name, a colon and the value.
    /// - Returns: The issuer.
    /// - Throws: ``PolicyError`` for an unknown name, and for a missing or invalid value.
    package static func issuer(_ text: String) throws(PolicyError) -> AccessTokenIssuer {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let preset = Self(rawValue: parts.first ?? "") else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            throw PolicyError("\(quoted(parts.first ?? "")) is none of \(names)")
        }
        guard parts.count == 2, !parts[1].isEmpty else { throw preset.missingValue }
        return try preset.issuer(of: parts[1])
    }

    private func issuer(of value: String) throws(PolicyError) -> AccessTokenIssuer {
        switch self {
        case .auth0: return try .auth0(domain: value)
        case .cognito:
            let (pool, host) = Self.split(value, at: "@")
            return try .cognito(region: String(pool.prefix { $0 != "_" }), userPoolID: pool, host: host)
        case .firebase: return try .firebase(projectID: value)
        case .firebaseAppCheck: return try .firebaseAppCheck(projectNumber: value)
        case .gitHubActions:
            let (name, host) = Self.split(value, at: "@")
            guard !name.isEmpty else { throw missingValue }
            let issuer = host ?? AccessTokenIssuer.gitHubIssuer
            return name.contains("/")
                ? .gitHubActions(repository: name, issuer: issuer) : .gitHubActions(owner: name, issuer: issuer)
        case .gitLab: return Self.gitLabProject(value)
        case .keycloak: return .keycloak(issuer: value)
        case .kubernetes:
            let (account, issuer) = Self.split(value, at: "@")
            guard account.contains("/"), let issuer else { throw missingValue }
            return .kubernetes(issuer: issuer, serviceAccounts: [account])
        case .microsoft:
            let (tenant, host) = Self.split(value, at: "@")
            guard let host else { return .microsoft(try Provider.microsoft(tenant: tenant)) }
            return try .microsoft(tenantID: tenant, host: host)
        case .microsoftB2C:
            let (place, host) = Self.split(value, at: "@")
            let (tenant, userFlow) = Self.split(place, at: "/")
            guard let userFlow, let host else { throw missingValue }
            return try .microsoftB2C(tenantID: tenant, userFlow: userFlow, host: host)
        case .microsoftV1:
            let (tenant, host) = Self.split(value, at: "@")
            return try .microsoftV1(tenantID: tenant, host: host ?? Provider.microsoftHost)
        case .okta:
            let (domain, server) = Self.split(value, at: "/")
            return try .okta(domain: domain, authorizationServer: server ?? "default")
        case .supabase:
            return try value.hasPrefix("https://") ? .supabase(issuer: value) : .supabase(projectID: value)
        }
    }

    /// The error for a missing or incomplete value.
    private var missingValue: PolicyError { PolicyError("\(rawValue): needs a value: \(value)") }

    private static func gitLabProject(_ value: String) -> AccessTokenIssuer {
        let scheme = "https://"
        guard value.hasPrefix(scheme) else { return .gitLab(project: value) }
        let (host, project) = split(String(value.dropFirst(scheme.count)), at: "/")
        return .gitLab(url: scheme + host, project: project ?? "")
    }

    /// Returns the text before and after the first separator; the second is nil if there is none.
    private static func split(_ text: String, at separator: Character) -> (String, String?) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count == 2 ? parts[1] : nil)
    }
}
