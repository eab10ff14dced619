// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The policy of a group of access tokens.
extension VectorPolicy {
    func accessTokenPolicy() throws -> AccessTokenPolicy {
        try AccessTokenPolicy(
            issuer: accessTokenIssuer(),
            audiences: object.strings("audiences") ?? [],
            requiredScopes: object.strings("requiredScopes") ?? [],
            allowedClients: object.strings("allowedClients") ?? [],
            requiredValues: requiredValues(),
            algorithms: object.value["algorithms"] == nil ? nil : algorithms,
            leeway: .seconds(object.seconds("leeway") ?? 0),
            maximumAge: object.seconds("maxAge").map { .seconds($0) },
            limits: limits()
        )
    }

    private func requiredValues() throws -> [String: [String]] {
        guard let value = object.value["requiredValues"] else { return [:] }
        let names = try object.members("requiredValues").map(\.name)
        let lists = try VectorObject(value, "policy: requiredValues", members: Set(names))
        var values: [String: [String]] = [:]
        for name in names { values[name] = try lists.strings(name) }
        return values
    }

    /// Returns the issuer: the one that the preset describes, or one that follows RFC 9068.
    private func accessTokenIssuer() throws -> AccessTokenIssuer {
        guard let preset = object.value["preset"] else { return .rfc9068(issuers: try object.strings("issuers") ?? []) }
        guard object.value["issuers"] == nil else { throw VectorFileError("policy: a preset has its own issuers") }
        guard let name = preset["name"]?.string else { throw VectorFileError("policy: the preset has no name") }
        func parameters(_ names: Set<String>) throws -> VectorObject {
            try VectorObject(preset, "policy: preset \(quoted(name))", members: names.union(["name"]))
        }
        switch name {
        case "jwt": return try jwtIssuer(preset)
        case "microsoft", "microsoft-v1", "microsoft-b2c": return try microsoftIssuer(name, preset)
        case "cognito":
            let values = try parameters(["region", "userPoolID", "host"])
            return try .cognito(
                region: values.string("region"),
                userPoolID: values.string("userPoolID"),
                host: preset["host"].map { _ in try values.string("host") }
            )
        case "auth0":
            return try .auth0(domain: parameters(["domain"]).string("domain"))
        case "okta":
            let values = try parameters(["domain", "authorizationServer"])
            return try .okta(
                domain: values.string("domain"),
                authorizationServer: values.string("authorizationServer")
            )
        case "keycloak":
            return .keycloak(issuer: try parameters(["issuer"]).string("issuer"))
        case "supabase" where preset["issuer"] != nil:
            return .supabase(issuer: try parameters(["issuer"]).string("issuer"))
        case "supabase":
            return try .supabase(projectID: parameters(["projectID"]).string("projectID"))
        case "firebase":
            return try .firebase(projectID: parameters(["projectID"]).string("projectID"))
        case "firebase-app-check":
            return try .firebaseAppCheck(projectNumber: parameters(["projectNumber"]).string("projectNumber"))
        case "github-actions", "gitlab", "kubernetes":
            return try workloadIssuer(name, preset)
        default:
            throw VectorFileError("policy: preset \(quoted(name)) is not supported")
        }
    }

    private func jwtIssuer(_ preset: JSONValue) throws -> AccessTokenIssuer {
        let members: Set = ["name", "issuer", "mark", "clientClaim", "scopeClaim"]
        let values = try VectorObject(preset, "policy: preset jwt", members: members)
        return try .jwt(
            values.string("issuer"),
            mark: values.string("mark"),
            clientClaim: preset["clientClaim"].map { _ in try values.string("clientClaim") },
            scopeClaim: preset["scopeClaim"].map { _ in try values.string("scopeClaim") }
        )
    }

    private func microsoftIssuer(_ name: String, _ preset: JSONValue) throws -> AccessTokenIssuer {
        let flow: Set = name == "microsoft-b2c" ? ["userFlow"] : []
        let members = flow.union(["name", "tenantID", "host"])
        let values = try VectorObject(preset, "policy: preset \(quoted(name))", members: members)
        let host = try preset["host"].map { _ in try values.string("host") } ?? Provider.microsoftHost
        switch name {
        case "microsoft-b2c":
            return try .microsoftB2C(
                tenantID: values.string("tenantID"),
                userFlow: values.string("userFlow"),
                host: values.string("host")
            )
        case "microsoft-v1": return try .microsoftV1(tenantID: values.string("tenantID"), host: host)
        default:
            guard preset["tenantID"] != nil else { return .microsoft(.microsoftAnyTenant) }
            return try .microsoft(tenantID: values.string("tenantID"), host: host)
        }
    }

    private func workloadIssuer(_ name: String, _ preset: JSONValue) throws -> AccessTokenIssuer {
        let place = "policy: preset \(quoted(name))"
        switch name {
        case "github-actions" where preset["owner"] != nil:
            let values = try VectorObject(preset, place, members: ["name", "owner"])
            return .gitHubActions(owner: try values.string("owner"))
        case "github-actions":
            let values = try VectorObject(preset, place, members: ["name", "repository", "issuer"])
            let issuer = try preset["issuer"].map { _ in try values.string("issuer") }
            return .gitHubActions(
                repository: try values.string("repository"),
                issuer: issuer ?? AccessTokenIssuer.gitHubIssuer
            )
        case "gitlab":
            let values = try VectorObject(preset, place, members: ["name", "url", "project"])
            let project = try values.string("project")
            guard values.value["url"] != nil else { return .gitLab(project: project) }
            return .gitLab(url: try values.string("url"), project: project)
        default:
            let values = try VectorObject(preset, place, members: ["name", "issuer", "serviceAccounts"])
            return .kubernetes(
                issuer: try values.string("issuer"),
                serviceAccounts: try values.strings("serviceAccounts") ?? []
            )
        }
    }
}
