// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What a token must say to be accepted.
///
/// Issuers and audiences have no default, because a verifier that does not ask for them accepts tokens that were made
/// for somebody else. A policy cannot be changed after it was made, so it is always whole.
public struct TokenPolicy: Sendable {
    /// The provider whose tokens are accepted.
    public let provider: Provider

    /// Your client IDs at the provider (with Facebook: app IDs).
    ///
    /// A token must be for one of them.
    public let audiences: [String]

    /// Further audiences a token may also name (OpenID Connect Core §3.1.3.7, step 3).
    public let trustedAudiences: [String]

    /// Parties other than your audiences that a token may have been issued to, `azp`.
    public let authorizedParties: [String]

    /// The one subject a token must be about; nil for anybody.
    public let subject: String?

    /// The algorithms a token may be signed with.
    public let algorithms: Set<SignatureAlgorithm>

    /// How far the clocks of the issuer and of this machine may disagree.
    public let leeway: Duration

    /// The leeway in the unit of times in claims.
    let leewaySeconds: Double

    /// The maximum age in that unit.
    let maximumAgeSeconds: Double?

    /// The algorithms as a list, which is sooner looked through than a set.
    let algorithmList: [SignatureAlgorithm]

    /// How long ago a token may have been issued; nil for as long as it has not expired.
    ///
    /// What OpenID Connect calls `max_age` is ``maximumAuthenticationAge``.
    public let maximumAge: Duration?

    /// How long ago the person may have been authenticated, `auth_time`; nil where that does not matter.
    ///
    /// Ask the provider for the same with `max_age`, or it may leave the claim out.
    public let maximumAuthenticationAge: Duration?

    /// The classes of authentication to accept, `acr`; empty where any will do.
    public let acceptedACRs: [String]

    /// The organization that the account must belong to, `hd`: with Google its domain in lower case, as `example.com`.
    public let hostedDomain: String?

    /// Whether the header must say `typ`.
    public let requiresType: Bool

    /// A policy for tokens of one provider.
    ///
    /// - Parameters:
    ///   - provider: Whose tokens are accepted.
    ///   - audiences: Your client IDs at the provider; at least one.
    ///   - trustedAudiences: Further audiences that a token may also name.
    ///   - authorizedParties: Parties other than your audiences that may stand in `azp`.
    ///   - subject: The one subject to accept; nil for anybody.
    ///   - algorithms: The algorithms to accept; at least one.
    ///   - leeway: 0 … 300 seconds, for `exp`, `nbf`, `iat`, `auth_time` and the ages.
    ///   - maximumAge: How long ago the token may have been issued, more than zero; nil for no bound but its expiry.
    ///   - maximumAuthenticationAge: How long ago the person may have been authenticated, zero or more; nil not to ask.
    ///   - acceptedACRs: The classes of authentication to accept; empty not to ask.
    ///   - hostedDomain: The organization that the account must belong to, a domain in lower case; nil not to ask.
    ///   - requiresType: Whether a token without `typ` is refused.
    /// - Throws: ``PolicyError`` if a list is empty or holds an empty string, a duration is out of range, or no token of
    ///   the provider can name the hosted domain.
    public init(
        provider: Provider,
        audiences: [String],
        trustedAudiences: [String] = [],
        authorizedParties: [String] = [],
        subject: String? = nil,
        algorithms: Set<SignatureAlgorithm> = [.rs256],
        leeway: Duration = .seconds(30),
        maximumAge: Duration? = nil,
        maximumAuthenticationAge: Duration? = nil,
        acceptedACRs: [String] = [],
        hostedDomain: String? = nil,
        requiresType: Bool = false
    ) throws(PolicyError) {
        for (name, values) in [("issuers", provider.issuers), ("audiences", audiences)] where values.isEmpty {
            throw PolicyError("\(name): there must be at least one")
        }
        for (name, values) in [
            ("issuers", provider.issuers), ("audiences", audiences), ("trusted audiences", trustedAudiences),
            ("authorized parties", authorizedParties), ("subject", subject.map { [$0] } ?? []),
            ("accepted ACRs", acceptedACRs), ("hosted domain", hostedDomain.map { [$0] } ?? []),
        ] where values.contains("") {
            throw PolicyError("\(name): an empty string is not a value")
        }
        guard !algorithms.isEmpty else { throw PolicyError("algorithms: there must be at least one") }
        guard Limits.leeway.contains(leeway) else {
            throw PolicyError(
                "leeway: \(leeway) is not between \(Limits.leeway.lowerBound) and \(Limits.leeway.upperBound)"
            )
        }
        if let maximumAge, maximumAge <= .zero { throw PolicyError("maximum age: \(maximumAge) is not more than zero") }
        if let age = maximumAuthenticationAge, age < .zero {
            throw PolicyError("maximum authentication age: \(age) is less than zero")
        }
        if let hostedDomain { try Self.check(hostedDomain, of: provider) }
        self.provider = provider
        self.audiences = audiences
        self.trustedAudiences = trustedAudiences
        self.authorizedParties = authorizedParties
        self.subject = subject
        self.algorithms = algorithms
        self.leeway = leeway
        self.leewaySeconds = leeway.seconds
        self.algorithmList = algorithms.sorted { $0.rawValue < $1.rawValue }
        self.maximumAge = maximumAge
        self.maximumAgeSeconds = maximumAge?.seconds
        self.maximumAuthenticationAge = maximumAuthenticationAge
        self.acceptedACRs = acceptedACRs
        self.hostedDomain = hostedDomain
        self.requiresType = requiresType
    }

    /// A domain that no token can carry would lock everybody out.
    private static func check(_ hostedDomain: String, of provider: Provider) throws(PolicyError) {
        guard provider.hostedDomainClaim != nil else {
            throw PolicyError("hosted domain: the tokens of \(quoted(provider.name)) name no organization")
        }
        let labels = hostedDomain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isDomain =
            labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            }
        guard isDomain else {
            throw PolicyError("hosted domain: \(quoted(hostedDomain)) is not a domain in lower case, as example.com")
        }
    }

    /// A policy for tokens of any provider that follows OpenID Connect Core.
    ///
    /// - Parameters:
    ///   - issuers: Each spelling of its one issuer to accept, compared byte for byte; at least one.
    ///   - audiences: Your client IDs at the provider; at least one.
    /// - Throws: ``PolicyError`` if a list is empty or holds an empty string.
    public init(issuers: [String], audiences: [String]) throws(PolicyError) {
        try self.init(provider: .openID(issuers: issuers), audiences: audiences)
    }
}

extension TokenPolicy: Redacted {
    /// The issuers and the audiences, without the expected user.
    public var description: String { "policy for tokens of \(quoted(provider.issuers)) for \(quoted(audiences))" }
}

/// Why a policy would be no policy.
public struct PolicyError: Error, Sendable, CustomStringConvertible {
    private let detail: String

    init(_ detail: String) {
        self.detail = detail
    }

    /// Which setting is wrong, and what it may be.
    public var description: String { "not a policy: \(detail)" }
}

extension Duration {
    /// The duration in seconds, as times in claims are reckoned.
    ///
    /// Its components would trap where it is longer than they can say.
    var seconds: Double { self / .seconds(1) }
}
