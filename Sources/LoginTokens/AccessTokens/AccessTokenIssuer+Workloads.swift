// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Platforms that issue tokens to workloads: jobs of continuous integration, and pods.
///
/// A job requests its token for any audience it likes. Issuer and audience therefore prove nothing but the platform, and
/// each preset requires the caller to state which workloads are accepted.
extension AccessTokenIssuer {
    /// Returns GitHub Actions, for workflows in any repository of one owner.
    ///
    /// The tokens have no mark. Everybody can have a workflow at the same issuer, so the owner is required. A name can be
    /// reused after an owner was renamed: prefer to require `repository_owner_id` too, with `requiredValues`.
    ///
    /// Source: "OpenID Connect reference" (docs.github.com/actions/reference/security/oidc); the key set is the one that the
    /// issuer's discovery document names.
    ///
    /// - Parameters:
    ///   - owner: The name of the organization or user.
    ///   - url: The issuer, which GitHub Enterprise has of its own: `https://HOST/_services/token` of a server,
    ///     `https://token.actions.SUBDOMAIN.ghe.com`, or ``gitHubIssuer`` with a slash and the name of the enterprise.
    /// - Returns: The issuer.
    public static func gitHubActions(owner: String, issuer url: String = Self.gitHubIssuer) -> AccessTokenIssuer {
        gitHubActions(["repository_owner": [owner]], url)
    }

    /// Returns GitHub Actions, for workflows in one repository.
    ///
    /// This includes workflows of pull requests and of all branches; `requiredValues` can also require `ref`,
    /// `environment` or `job_workflow_ref`.
    ///
    /// - Parameters:
    ///   - repository: The name of the repository with its owner, for example `octo-org/octo-repo`.
    ///   - url: The issuer, as for ``gitHubActions(owner:issuer:)``.
    /// - Returns: The issuer.
    public static func gitHubActions(repository: String, issuer url: String = Self.gitHubIssuer) -> AccessTokenIssuer {
        gitHubActions(["repository": [repository]], url)
    }

    /// The issuer of GitHub Actions at github.com.
    public static let gitHubIssuer = "https://token.actions.githubusercontent.com"

    private static func gitHubActions(_ requiredValues: [String: [String]], _ url: String) -> AccessTokenIssuer {
        // The key sets of other issuers are found by discovery.
        let keys = url == gitHubIssuer ? url + "/.well-known/jwks" : nil
        var issuer = AccessTokenIssuer(cloud("github-actions", url, keys: keys))
        issuer.requiredClaims = ["jti", "repository", "repository_owner"]
        issuer.requiredValues = requiredValues
        return issuer.unmarked()
    }

    /// Returns the ID tokens of jobs at GitLab, in one project.
    ///
    /// The tokens have no mark, but `project_path` and `job_id`, which the tokens of users who sign in with GitLab lack.
    /// Everybody can have a project at the same issuer, so the project is required. A path can be reused after a project
    /// was renamed: prefer to require `project_id` too, with `requiredValues`; and `ref_protected`, because in a pipeline
    /// of a merge request the author of the branch determines the job. If the branch is in a fork, these claims name the
    /// fork; before version 18.2.2 they named the project that ran the pipeline.
    ///
    /// Sources: "OpenID Connect (OIDC) Authentication Using ID Tokens" (docs.gitlab.com/ci/secrets/id_token_authentication),
    /// and issue 563038 of gitlab-org/gitlab; the key set is the one that the instance's discovery document names.
    ///
    /// - Parameters:
    ///   - url: The URL of the GitLab instance.
    ///   - project: The path of the project, for example `group/project`.
    /// - Returns: The issuer.
    public static func gitLab(url: String = "https://gitlab.com", project: String) -> AccessTokenIssuer {
        var issuer = AccessTokenIssuer(cloud("gitlab", url, keys: url + "/oauth/discovery/keys"))
        issuer.requiredClaims = ["jti", "project_path", "job_id"]
        issuer.requiredValues = ["project_path": [project]]
        return issuer.unmarked()
    }

    /// Returns the service accounts of a Kubernetes cluster, with tokens that expire (TokenRequest API).
    ///
    /// The tokens have no `typ` and no mark, but the claim `kubernetes.io`. Every pod can have a token for any audience, so
    /// the service accounts are required. Tokens in secrets, which never expire, are refused.
    ///
    /// Sources: "Managing Service Accounts" (kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin), and
    /// KEP-1205 "Bound Service Account Tokens" (kubernetes.dev/resources/keps/1205).
    ///
    /// - Parameters:
    ///   - url: The issuer of the cluster, for example `https://kubernetes.default.svc.cluster.local`.
    ///   - serviceAccounts: The accepted service accounts, each as its namespace, a slash and its name.
    ///   - keySetURL: The URL of the key set; nil to find it by discovery.
    /// - Returns: The issuer.
    public static func kubernetes(
        issuer url: String,
        serviceAccounts: [String],
        keySetURL: String? = nil
    ) -> AccessTokenIssuer {
        var issuer = AccessTokenIssuer(cloud("kubernetes", url, keys: keySetURL))
        issuer.requiredClaims = ["kubernetes.io"]
        issuer.requiredValues = [
            "sub": serviceAccounts.map { "system:serviceaccount:" + $0.split(separator: "/").joined(separator: ":") }
        ]
        return issuer.unmarked()
    }
}

extension AccessTokenIssuer {
    /// Returns a provider with one issuer, whose tokens always have a key ID.
    static func cloud(_ name: String, _ issuer: String, keys: String?) -> Provider {
        Provider(name: name, issuers: [issuer], keySetURL: keys, requiresKeyID: true)
    }

    /// Returns the issuer for tokens that OAuth does not define: without client, scopes and attributes, and with `typ`
    /// `JWT` or none.
    func unmarked() -> AccessTokenIssuer {
        var issuer = self
        issuer.types = ["jwt"]
        issuer.requiresType = false
        issuer.clientClaims = []
        issuer.requiresClient = false
        issuer.scopes = nil
        issuer.rolesClaim = nil
        issuer.groupsClaim = nil
        issuer.entitlementsClaim = nil
        return issuer
    }

    /// Returns a host name in lower case, optionally with a port.
    ///
    /// - Throws: ``PolicyError`` for anything else, such as a URL.
    static func host(_ name: String) throws(PolicyError) -> String {
        let isHost = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-.:".utf8.contains($0)
        }
        guard isHost, name.utf8.contains(UInt8(ascii: ".")) else {
            throw PolicyError("domain: \(quoted(name)) is not a host name in lower case, without https://")
        }
        return name
    }

    /// Returns a part of an issuer: letters, digits, hyphens and underscores.
    ///
    /// - Throws: ``PolicyError`` for anything else, which could change the rest of the issuer.
    static func label(_ text: String, _ setting: String) throws(PolicyError) -> String {
        let isLabel = text.utf8.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || "-_".utf8.contains($0)
        }
        guard isLabel, !text.isEmpty else { throw PolicyError("\(setting): \(quoted(text)) is not valid in a URL") }
        return text
    }
}
