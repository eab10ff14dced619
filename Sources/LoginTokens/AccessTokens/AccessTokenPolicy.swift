// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The requirements that an access token must meet to be accepted.
///
/// Issuer and audiences have no default, because an API that does not check them accepts tokens issued for others. A
/// policy is immutable, so it is always complete.
public struct AccessTokenPolicy: Sendable {
    /// The issuer whose tokens are accepted, and the form of its tokens.
    public let issuer: AccessTokenIssuer

    /// The identifiers of this API at the issuer.
    ///
    /// A token must be issued for one of them. It may name other audiences too (RFC 9068 §4).
    public let audiences: [String]

    /// The scopes that a token must contain, all of them.
    public let requiredScopes: [String]

    /// The client IDs of the clients that may call this API; empty to accept any client of the issuer.
    public let allowedClients: [String]

    /// The claims that must have one of the given values, by name: the issuer's and those of this policy.
    ///
    /// If a claim is an array of strings, one of its elements must be one of the values.
    public let requiredValues: [String: [String]]

    /// The accepted signature algorithms of the issuer's keys.
    ///
    /// They mean nothing to a verifier with a ``SharedSecret``, which accepts the algorithm of the secret alone.
    public let algorithms: Set<SignatureAlgorithm>

    /// The leeway for clock skew between the issuer and this machine.
    public let leeway: Duration

    /// The maximum time since the token was issued, `iat`; nil for no limit before the token expires.
    public let maximumAge: Duration?

    /// The maximum sizes of a token.
    public let limits: TokenLimits

    /// The leeway and the maximum age in seconds.
    let times: TimeRules

    /// The issuer's marks, in the order of the claims' names.
    let marks: [(name: String, accepted: [String])]

    /// The claims that a token must have, besides those that all access tokens have.
    let requiredClaims: [String]

    /// The required values, in the order of the claims' names.
    let values: [(name: String, accepted: [String])]

    /// The accepted signatures, which the initializer of a verifier decides: of keys, or with its secret.
    var signatures: AcceptedSignatures

    /// Creates a policy for the access tokens of one issuer.
    ///
    /// - Parameters:
    ///   - issuer: The issuer whose tokens are accepted.
    ///   - audiences: The identifiers of this API at the issuer; at least one.
    ///   - requiredScopes: The scopes that a token must contain, all of them.
    ///   - allowedClients: The client IDs of the clients that may call this API; empty to accept any.
    ///   - requiredValues: The accepted values of claims, by name, in addition to the issuer's.
    ///   - algorithms: The accepted algorithms of the issuer's keys, at least one; nil for those of the issuer.
    ///   - leeway: The leeway for `exp`, `nbf`, `iat` and the age; 0 to 300 seconds.
    ///   - maximumAge: The maximum time since the token was issued, more than zero; nil for no limit before it expires.
    ///   - limits: The maximum sizes of a token.
    /// - Throws: ``PolicyError`` if a list is empty that must not be, a value is an empty string, a duration is out of
    ///   range, a scope is not one of RFC 6749 §3.3, a type is not in lower case without `application/`, the issuer's
    ///   tokens do not contain scopes or clients although the policy requires them, or an audience is an allowed client
    ///   although ``AccessTokenIssuer/acceptsClientAsAudience`` is false.
    public init(
        issuer: AccessTokenIssuer,
        audiences: [String],
        requiredScopes: [String] = [],
        allowedClients: [String] = [],
        requiredValues: [String: [String]] = [:],
        algorithms: Set<SignatureAlgorithm>? = nil,
        leeway: Duration = .seconds(30),
        maximumAge: Duration? = nil,
        limits: TokenLimits = .standard
    ) throws(PolicyError) {
        try PolicyError.check(
            required: [
                "issuers": issuer.provider.issuers, "audiences": audiences, "types": issuer.types,
                "audience claims": issuer.audienceClaims,
            ],
            optional: ["required scopes": requiredScopes, "allowed clients": allowedClients]
        )
        if let scope = requiredScopes.first(where: { !ScopeList.isScope($0.utf8) }) {
            throw PolicyError("required scopes: \(quoted(scope)) is not one scope of printable ASCII characters")
        }
        if let type = issuer.types.first(where: { !isEqual(JOSEHeader.mediaType($0), $0) }) {
            throw PolicyError("types: \(quoted(type)) is not in lower case without application/")
        }
        guard !issuer.requiresClient || !issuer.clientClaims.isEmpty else {
            throw PolicyError("client claims: a client is required, but no claim names it")
        }
        let name = quoted(issuer.provider.name)
        guard requiredScopes.isEmpty || issuer.scopes != nil else {
            throw PolicyError("required scopes: tokens of \(name) contain no scopes")
        }
        guard allowedClients.isEmpty || !issuer.clientClaims.isEmpty else {
            throw PolicyError("allowed clients: tokens of \(name) name no client")
        }
        let clients = issuer.acceptsClientAsAudience ? [] : allowedClients
        if let client = clients.first(where: { client in audiences.contains { isEqual($0, client) } }) {
            throw PolicyError("audiences: \(quoted(client)) is the ID of a client, not of an API")
        }
        let values = issuer.requiredValues.merging(requiredValues) { inherited, own in
            own.filter { value in inherited.contains { $0.utf8.elementsEqual(value.utf8) } }
        }
        let sorted = { (values: [String: [String]]) in
            values.sorted { $0.key < $1.key }.map { (name: $0.key, accepted: $0.value) }
        }
        self.values = sorted(values)
        marks = sorted(issuer.marks)
        requiredClaims = issuer.provider.requiredClaims + issuer.requiredClaims
        for (claim, accepted) in self.values + marks where accepted.isEmpty || accepted.contains("") {
            throw PolicyError("required values: \(quoted(claim)) has no acceptable value")
        }
        times = try TimeRules(leeway: leeway, maximumAge: maximumAge)
        let algorithms = algorithms ?? issuer.algorithms
        guard !algorithms.isEmpty else { throw PolicyError("algorithms: at least one is required") }
        self.issuer = issuer
        self.audiences = audiences
        self.requiredScopes = requiredScopes
        self.allowedClients = allowedClients
        self.requiredValues = values
        self.algorithms = algorithms
        self.leeway = leeway
        self.maximumAge = maximumAge
        self.limits = limits
        signatures = AcceptedSignatures(algorithms)
    }

    /// Creates a policy for the access tokens of an authorization server that follows RFC 9068.
    ///
    /// - Parameters:
    ///   - issuers: The accepted spellings of the authorization server's one issuer, compared byte for byte; at least one.
    ///   - audiences: The identifiers of this API at the authorization server; at least one.
    ///   - requiredScopes: The scopes that a token must contain, all of them.
    /// - Throws: ``PolicyError`` if `issuers` or `audiences` is empty, or a list contains an invalid string.
    public init(issuers: [String], audiences: [String], requiredScopes: [String] = []) throws(PolicyError) {
        try self.init(issuer: .rfc9068(issuers: issuers), audiences: audiences, requiredScopes: requiredScopes)
    }
}

extension AccessTokenPolicy: Redacted {
    /// The issuers and the audiences.
    public var description: String {
        "policy for access tokens of \(quoted(issuer.provider.issuers)) for \(quoted(audiences))"
    }
}
