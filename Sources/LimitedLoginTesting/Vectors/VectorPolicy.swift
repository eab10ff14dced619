// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginText
internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The policy of a group of tests.
struct VectorPolicy: Sendable {
    let algorithms: Set<SignatureAlgorithm>
    /// The secret that tokens are signed with; nil if they are signed with keys.
    let secret: SharedSecret?
    let object: VectorObject

    init(
        _ value: JSONValue,
        kind: VectorGroup.Kind,
        mayHaveSecret: Bool,
        _ place: String
    ) throws(VectorFileError) {
        let withSecret: [VectorGroup.Kind] = mayHaveSecret ? [.idToken, .jws, .accessToken] : []
        let members = Self.members(of: kind).union(withSecret.contains(kind) ? ["secret"] : [])
        object = try VectorObject(value, "\(place): policy", members: members)
        secret = try object.value["secret"].map { secret throws(VectorFileError) in
            try Self.secret(secret, "\(place): policy")
        }
        guard secret == nil || object.value["algorithms"] == nil else {
            throw VectorFileError("\(place): a policy has either algorithms or a secret")
        }
        var algorithms: Set<SignatureAlgorithm> = []
        for name in try object.strings("algorithms") ?? ["RS256"] {
            guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                throw VectorFileError("\(place): algorithm \(quoted(name)) is not supported")
            }
            algorithms.insert(algorithm)
        }
        self.algorithms = algorithms
        try checkMembers()
    }

    private static func members(of kind: VectorGroup.Kind) -> Set<String> {
        switch kind {
        case .accessToken:
            [
                "preset", "issuers", "audiences", "now", "algorithms", "leeway", "maxAge", "requiredScopes",
                "allowedClients", "requiredValues", "tokenBytes", "headerBytes",
            ]
        case .dpop:
            ["now", "algorithms", "leeway", "maxAge", "nonces", "requireBoundTokens"]
        case .idToken, .jws, .signature, .key, .json, .secret:
            [
                "issuers", "audiences", "now", "nonce", "provider", "algorithms", "leeway", "maxAge",
                "trustedAudiences", "authorizedParties", "subject", "requireType", "acceptedACRs", "maxAuthAge",
                "hostedDomain", "tokenBytes", "headerBytes",
            ]
        }
    }

    private static func secret(_ value: JSONValue, _ place: String) throws(VectorFileError) -> SharedSecret {
        let (octets, algorithm) = try octets(of: value, place)
        do throws(PolicyError) {
            return try SharedSecret(octets: octets, algorithm: algorithm, allowPublishedTestSecrets: true)
        } catch {
            throw VectorFileError("\(place): \(error)")
        }
    }

    /// Returns the octets and the algorithm of a secret, usable or not.
    static func octets(
        of secret: JSONValue,
        _ place: String
    ) throws(VectorFileError) -> ([UInt8], SharedSecret.Algorithm) {
        let object = try VectorObject(secret, "\(place): secret", members: ["algorithm", "octets"])
        guard let algorithm = SharedSecret.Algorithm(rawValue: try object.string("algorithm")),
            let octets = Base64URL.decode(try object.string("octets").utf8)
        else { throw VectorFileError("\(place): the secret has another algorithm or encoding than the format knows") }
        return (octets, algorithm)
    }

    /// Returns the verifier of ID tokens for this policy.
    func verifier(keys: KeySnapshot) throws -> TokenVerifier {
        try TokenVerifier(policy: tokenPolicy(), secret: secret, otherwise: keys, clock: clock())
    }

    /// Returns the verifier of access tokens for this policy.
    func accessTokenVerifier(keys: KeySnapshot) throws -> AccessTokenVerifier {
        try AccessTokenVerifier(policy: accessTokenPolicy(), secret: secret, otherwise: keys, clock: clock())
    }

    /// Checks the types of all members, including those that a kind of test does not use.
    private func checkMembers() throws(VectorFileError) {
        for name in ["issuers", "audiences", "trustedAudiences", "authorizedParties", "acceptedACRs"] {
            _ = try object.strings(name)
        }
        for name in ["now", "leeway", "maxAge", "maxAuthAge", "tokenBytes", "headerBytes"] {
            _ = try object.seconds(name)
        }
        _ = try object.boolean("requireType")
        for name in ["subject", "provider", "hostedDomain"] where object.value[name] != nil {
            _ = try object.string(name)
        }
        if let nonce = object.value["nonce"] { _ = try self.nonce(nonce) }
    }

    /// Returns the provider: a known one, with the policy's issuers instead of its own if the policy names any.
    func provider() throws -> Provider {
        let issuers = try object.strings("issuers")
        guard object.value["provider"] != nil else { return .openID(issuers: issuers ?? []) }
        let name = try object.string("provider")
        let providers: [Provider] = [.facebook, .google, .apple, .microsoftAnyTenant]
        guard let provider = providers.first(where: { $0.name == name }) else {
            throw VectorFileError("provider \(quoted(name)) is not supported")
        }
        return issuers.map { provider.with(issuers: $0) } ?? provider
    }

    func tokenPolicy() throws -> TokenPolicy {
        try TokenPolicy(
            provider: provider(),
            audiences: object.strings("audiences") ?? [],
            trustedAudiences: .listed(object.strings("trustedAudiences") ?? []),
            authorizedParties: object.strings("authorizedParties") ?? [],
            subject: object.value["subject"] == nil ? nil : object.string("subject"),
            algorithms: algorithms,
            leeway: .seconds(object.seconds("leeway") ?? 0),
            maximumAge: object.seconds("maxAge").map { .seconds($0) },
            maximumAuthenticationAge: object.seconds("maxAuthAge").map { .seconds($0) },
            acceptedACRs: object.strings("acceptedACRs") ?? [],
            hostedDomain: object.value["hostedDomain"] == nil ? nil : object.string("hostedDomain"),
            requiresType: object.boolean("requireType") ?? false,
            limits: limits()
        )
    }

    /// Returns the maximum sizes of a token.
    func limits() throws -> TokenLimits {
        try TokenLimits(
            tokenBytes: object.value["tokenBytes"].map { $0.integer ?? 0 } ?? Limits.tokenBytes,
            headerBytes: object.value["headerBytes"].map { $0.integer ?? 0 } ?? Limits.headerBytes
        )
    }

    /// Returns a clock that shows the given time, or else that of the policy.
    func clock(at time: Double? = nil) throws -> ManualClock {
        guard let now = try time ?? object.seconds("now") else { throw VectorFileError("policy: now is missing") }
        return ManualClock(Date(timeIntervalSince1970: now))
    }

    /// Returns the expected nonce of the test, which overrides that of the policy.
    func nonce(_ override: JSONValue?) throws(VectorFileError) -> NonceExpectation {
        guard let nonce = override ?? object.value["nonce"] else { throw VectorFileError("policy: nonce is missing") }
        let members = nonce.members ?? []
        switch (nonce.string, members.first?.name, members.first?.value.string) {
        case ("absent", _, _): return .mustBeAbsent
        case ("not-checked", _, _): return .notChecked(because: "the vector says so")
        case (nil, "exactly", let value?) where members.count == 1: return .exactly(value)
        case (nil, "sha256", let value?) where members.count == 1: return .sha256(of: value)
        default: throw VectorFileError("policy: nonce has no form that the format knows")
        }
    }
}
