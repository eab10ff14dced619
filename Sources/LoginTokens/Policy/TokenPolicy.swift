// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The requirements that a token must meet to be accepted.
///
/// Issuers and audiences have no default, because a verifier that does not check them accepts tokens issued for others.
/// A policy is immutable, so it is always complete.
public struct TokenPolicy: Sendable {
    /// The provider whose tokens are accepted.
    public let provider: Provider

    /// Your client IDs at the provider (at Facebook: app IDs).
    ///
    /// A token must be issued for one of them.
    public let audiences: [String]

    /// The other audiences that a token may name beside one of ``audiences`` (OpenID Connect Core §3.1.3.7, step 3).
    public let trustedAudiences: TrustedAudiences

    /// The accepted values of `azp`, in addition to ``audiences``.
    public let authorizedParties: [String]

    /// The only accepted subject; nil to accept any.
    public let subject: String?

    /// The accepted signature algorithms of the issuer's keys.
    ///
    /// They mean nothing to a verifier with a ``SharedSecret``, which accepts the algorithm of the secret alone.
    public let algorithms: Set<SignatureAlgorithm>

    /// The leeway for clock skew between the issuer and this machine.
    public let leeway: Duration

    /// The leeway and the maximum age in seconds.
    let times: TimeRules

    /// The accepted signatures, which the initializer of a verifier decides: of keys, or with its secret.
    var signatures: AcceptedSignatures

    /// The maximum time since the token was issued, `iat`; nil for no limit before the token expires.
    ///
    /// The `max_age` of OpenID Connect is ``maximumAuthenticationAge``.
    public let maximumAge: Duration?

    /// The maximum time since the user was authenticated, `auth_time`; nil for no limit.
    ///
    /// Send the provider the same value as `max_age`; otherwise it may omit the claim.
    public let maximumAuthenticationAge: Duration?

    /// The accepted authentication context classes, `acr`; empty to accept any.
    public let acceptedACRs: [String]

    /// The organization that the account must belong to, `hd`: at Google its domain in lower case, for example
    /// `example.com`.
    public let hostedDomain: String?

    /// Whether the header must contain `typ`.
    public let requiresType: Bool

    /// The maximum sizes of a token.
    public let limits: TokenLimits

    /// Creates a policy for the tokens of one provider.
    ///
    /// - Parameters:
    ///   - provider: The provider whose tokens are accepted.
    ///   - audiences: Your client IDs at the provider; at least one.
    ///   - trustedAudiences: The other audiences that a token may name beside one of `audiences`; none by default.
    ///   - authorizedParties: The accepted values of `azp`, in addition to the audiences.
    ///   - subject: The only accepted subject; nil to accept any.
    ///   - algorithms: The accepted algorithms of the issuer's keys; at least one.
    ///   - leeway: The leeway for `exp`, `nbf`, `iat`, `auth_time` and the ages; 0 to 300 seconds.
    ///   - maximumAge: The maximum time since the token was issued, more than zero; nil for no limit before it expires.
    ///   - maximumAuthenticationAge: The maximum time since the user was authenticated, zero or more; nil for no limit.
    ///   - acceptedACRs: The accepted authentication context classes; empty to accept any.
    ///   - hostedDomain: The organization that the account must belong to, a domain in lower case; nil to accept any.
    ///   - requiresType: Whether a token without `typ` is refused.
    ///   - limits: The maximum sizes of a token.
    /// - Throws: ``PolicyError`` if a list is empty that must not be, a value is an empty string, a duration is out of
    ///   range, or the hosted domain is malformed or not supported by the provider.
    public init(
        provider: Provider,
        audiences: [String],
        trustedAudiences: TrustedAudiences = [],
        authorizedParties: [String] = [],
        subject: String? = nil,
        algorithms: Set<SignatureAlgorithm> = [.rs256],
        leeway: Duration = .seconds(30),
        maximumAge: Duration? = nil,
        maximumAuthenticationAge: Duration? = nil,
        acceptedACRs: [String] = [],
        hostedDomain: String? = nil,
        requiresType: Bool = false,
        limits: TokenLimits = .standard
    ) throws(PolicyError) {
        try PolicyError.check(
            required: ["issuers": provider.issuers, "audiences": audiences],
            optional: [
                "trusted audiences": trustedAudiences.names, "authorized parties": authorizedParties,
                "subject": subject.map { [$0] } ?? [], "accepted ACRs": acceptedACRs,
                "hosted domain": hostedDomain.map { [$0] } ?? [],
            ]
        )
        guard !algorithms.isEmpty else { throw PolicyError("algorithms: at least one is required") }
        times = try TimeRules(leeway: leeway, maximumAge: maximumAge)
        if let age = maximumAuthenticationAge, age < .zero {
            throw PolicyError("maximum authentication age: \(age) is negative")
        }
        if let hostedDomain { try Self.check(hostedDomain, of: provider) }
        self.provider = provider
        self.audiences = audiences
        self.trustedAudiences = trustedAudiences
        self.authorizedParties = authorizedParties
        self.subject = subject
        self.algorithms = algorithms
        self.leeway = leeway
        self.signatures = AcceptedSignatures(algorithms)
        self.maximumAge = maximumAge
        self.maximumAuthenticationAge = maximumAuthenticationAge
        self.acceptedACRs = acceptedACRs
        self.hostedDomain = hostedDomain
        self.requiresType = requiresType
        self.limits = limits
    }

    /// Checks that tokens of the provider can carry the hosted domain; otherwise the policy would refuse every token.
    private static func check(_ hostedDomain: String, of provider: Provider) throws(PolicyError) {
        guard provider.hostedDomainClaim != nil else {
            throw PolicyError("hosted domain: tokens of \(quoted(provider.name)) have no claim for an organization")
        }
        let labels = hostedDomain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isDomain =
            labels.count > 1
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            }
        guard isDomain else {
            throw PolicyError("hosted domain: \(quoted(hostedDomain)) is not a domain in lower case")
        }
    }

    /// Creates a policy for the tokens of any provider that follows OpenID Connect Core.
    ///
    /// - Parameters:
    ///   - issuers: The accepted spellings of the provider's one issuer, compared byte for byte; at least one.
    ///   - audiences: Your client IDs at the provider; at least one.
    /// - Throws: ``PolicyError`` if a list is empty or contains an empty string.
    public init(issuers: [String], audiences: [String]) throws(PolicyError) {
        try self.init(provider: .openID(issuers: issuers), audiences: audiences)
    }
}

extension TokenPolicy: Redacted {
    /// The issuers and the audiences, without the expected subject.
    public var description: String { "policy for tokens of \(quoted(provider.issuers)) for \(quoted(audiences))" }
}

/// An error for an invalid policy.
public struct PolicyError: Error, Sendable, CustomStringConvertible {
    /// The invalid setting, and its valid values, for a message that names an option or a key.
    package let detail: String

    package init(_ detail: String) {
        self.detail = detail
    }

    /// Throws if a required list is empty, or any list contains an empty string.
    static func check(
        required: KeyValuePairs<String, [String]>,
        optional: KeyValuePairs<String, [String]>
    ) throws(PolicyError) {
        for (name, values) in required where values.isEmpty {
            throw PolicyError("\(name): at least one is required")
        }
        for (name, values) in Array(required) + Array(optional) where values.contains("") {
            throw PolicyError("\(name): a value must not be empty")
        }
    }

    /// The error with the invalid setting, and its valid values.
    public var description: String { "invalid policy: \(detail)" }
}

extension Duration {
    /// The duration in seconds, the unit of times in claims.
    ///
    /// Using its components would trap for durations beyond their range.
    var seconds: Double { self / .seconds(1) }
}
