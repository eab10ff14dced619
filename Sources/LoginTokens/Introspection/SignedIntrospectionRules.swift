// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The rules for a signed introspection response (RFC 9701 §5).
///
/// `typ` separates it from every other kind of token (§8.1). A response for another API, or an old one, is refused.
struct SignedIntrospectionRules: TokenRules {
    private let provider: Provider
    private let recipients: [String]
    private let algorithms: [SignatureAlgorithm]
    private let leeway: Double
    let limits: TokenLimits

    /// Creates the rules.
    ///
    /// - Parameters:
    ///   - policy: The policy, whose issuers sign, and whose audiences are recipients of responses.
    ///   - clientID: The client ID of this API, which is a recipient too.
    ///   - algorithms: The accepted algorithms.
    init(policy: IntrospectionPolicy, clientID: String, algorithms: [SignatureAlgorithm]) {
        provider = policy.tokens.issuer.provider
        recipients = policy.audiences + [clientID]
        self.algorithms = algorithms
        leeway = policy.tokens.times.leeway
        limits = policy.limits
    }

    static var kind: TokenKind { .accessToken }

    /// Returns false: a response is made for one request.
    func isCacheable(_: Void) -> Bool { false }

    /// Parses a response and makes the checks that precede the key lookup: type, algorithm, issuer and audience.
    func candidate(
        _ text: String,
        expectations _: Void,
        knownHeaders: KnownHeaders,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Candidate {
        let jws = try CompactJWS(text, limits: limits, knownHeaders: knownHeaders, log: &log)
        try jws.header.checkType(["token-introspection+jwt"], required: true)
        let algorithm = try jws.header.checkAlgorithm(allowed: algorithms)
        let claims = try Claims(jws.payload)
        let issuer = try provider.checkIssuer(claims)
        let seen = claims[.aud]?.strings ?? []
        guard let audience = recipients.first(where: { ours in seen.contains { $0.isString(ours) } }) else {
            throw TokenRefusal(.audience, "aud is not this API", member: "aud")
        }
        return try Candidate(
            jws,
            of: provider,
            method: .key(algorithm),
            claims: claims,
            issuer: issuer,
            audience: audience
        )
    }

    /// Checks the time of a response with a valid signature, and returns the members about the token.
    func verified(
        _ token: ProvenToken,
        expectations _: Void,
        clock: any WallClock,
        log: inout CheckLog
    ) throws(TokenRefusal) -> Claims {
        let claims = token.content.claims
        let now = clock.now.timeIntervalSince1970
        guard let issued = try claims.time(.iat) else { throw TokenRefusal.missing("iat") }
        guard issued <= now + leeway else {
            throw TokenRefusal(.issuedInFuture, "iat is \(timestamp(issued))", member: "iat")
        }
        guard now - issued <= Limits.signedIntrospectionAge.seconds + leeway else {
            throw TokenRefusal(.tooOld, "iat was \(timestamp(issued))", member: "iat")
        }
        let name = "token_introspection"
        guard let members = claims[name] else { throw TokenRefusal.missing(name) }
        guard members.kind == .object else { throw TokenRefusal(.claimType, "\(name) is not an object", member: name) }
        return try Claims(Array(members.source))
    }
}
