// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Asks the authorization server whether an access token is active (RFC 7662), and verifies the answer.
///
/// It is for access tokens that are not JWTs, and for JWTs whose revocation must take effect within seconds.
///
/// ```swift
/// let policy = try IntrospectionPolicy(
///     issuers: ["https://login.example"],
///     audiences: ["https://orders.example"],
///     requiredScopes: ["orders:read"]
/// )
/// let introspector = try TokenIntrospector(
///     endpoint: EndpointURL("https://login.example/introspect"),
///     clientID: "orders-api",
///     clientSecret: secret,
///     policy: policy,
///     transport: transport
/// )
/// let token = try await introspector.verify(bearer)
/// ```
///
/// - **Undecided, not accepted**: if the endpoint does not respond properly, the token is undecided.
/// - **Cached for a bounded time**: an answer is used for at most the cache lifetime, and never after the token's `exp`.
///   An inactive token is remembered for at most ten seconds. A failure of the endpoint is not cached. The policy is
///   checked on each use.
/// - **One request at a time for a token**, however many tasks present it. Cancelling a task does not end a request that
///   others may wait for.
/// - **Without tokens in memory**: the cache stores an HMAC of the token with a random key.
///
/// Copies of an introspector share one cache. Any number of tasks may use it. A made-up token costs one request to the
/// endpoint: limit the requests of one client.
public struct TokenIntrospector: Sendable {
    /// The policy that answers must meet.
    public let policy: IntrospectionPolicy

    /// A closure called with the result of each verification, for metrics: the error, or nil if the token was accepted.
    ///
    /// It is called synchronously before the result is returned, and must not block.
    public var onVerdict: (@Sendable (VerificationError?) -> Void)?

    /// The clock used for time checks and for the cache.
    public let clock: any WallClock

    private let answers: IntrospectionAnswers

    /// Creates an introspector for one endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the introspection endpoint.
    ///   - clientID: The ID by which this API authenticates at the endpoint (`client_secret_basic`, RFC 6749 §2.3.1).
    ///   - clientSecret: The secret of this client ID.
    ///   - policy: The policy that answers must meet.
    ///   - responseKeys: The source of the issuer's keys, to require signed responses (RFC 9701), for example a
    ///     `KeyCache`; nil for plain JSON responses, which rest on TLS alone.
    ///   - responseAlgorithms: The accepted algorithms of signed responses; at least one.
    ///   - transport: The transport for requests to the endpoint. It must enforce the deadline of a request.
    ///   - clock: The clock used for time checks and for the cache.
    ///   - cacheLifetime: The maximum time for which an answer is used again: 0 to 300 seconds. It is also the time for
    ///     which a revoked token may still be accepted.
    /// - Throws: ``PolicyError`` if the client ID or the secret is empty, there is no algorithm, or the lifetime is out of
    ///   range.
    public init(
        endpoint: EndpointURL,
        clientID: String,
        clientSecret: String,
        policy: IntrospectionPolicy,
        responseKeys: (any KeySource)? = nil,
        responseAlgorithms: Set<SignatureAlgorithm> = [.rs256],
        transport: any HTTPTransport,
        clock: any WallClock = .system,
        cacheLifetime: Duration = .seconds(60)
    ) throws(PolicyError) {
        try PolicyError.check(required: ["client ID": [clientID], "client secret": [clientSecret]], optional: [:])
        guard !responseAlgorithms.isEmpty else { throw PolicyError("response algorithms: at least one is required") }
        let range = Limits.introspectionLifetime
        guard range.contains(cacheLifetime) else {
            throw PolicyError("cache lifetime: \(cacheLifetime) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        let rules = SignedIntrospectionRules(
            policy: policy,
            clientID: clientID,
            algorithms: responseAlgorithms.sorted { $0.rawValue < $1.rawValue }
        )
        let server = IntrospectionEndpoint(
            url: endpoint,
            authorization: basicCredentials(clientID: clientID, secret: clientSecret),
            responseBytes: policy.limits.tokenBytes,
            signed: responseKeys.map { TokenPipeline(rules: rules, keys: $0, clock: clock, cache: nil) },
            transport: transport
        )
        self.policy = policy
        self.clock = clock
        answers = IntrospectionAnswers(endpoint: server, lifetime: cacheLifetime.seconds)
    }

    /// Verifies an access token, asking the endpoint unless its answer is cached.
    ///
    /// - Parameter text: The token, without the scheme `Bearer` or `DPoP`.
    /// - Returns: The accepted token. If it has a ``AcceptedAccessToken/confirmation``, it is bound to a key or a
    ///   certificate, and the caller must check that the client possesses it.
    /// - Throws: ``VerificationError/refused(_:)`` with the code `inactive`, or the code of the failed check as for an
    ///   access token in JWT form; ``VerificationError/undecided(_:)`` with the code `introspection-unavailable`, or
    ///   `keys-unavailable` if the keys for signed responses are.
    public func verify(_ text: String) async throws(VerificationError) -> AcceptedAccessToken {
        try await verdict(on: text) { $0 }
    }

    /// Verifies a token, and reports the verdict once.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - convert: A closure that returns the result, or refuses the token for lack of what the result needs.
    /// - Returns: The result.
    /// - Throws: ``VerificationError``, as ``verify(_:)``.
    func verdict<Result>(
        on text: String,
        _ convert: (AcceptedAccessToken) throws(TokenRefusal) -> Result
    ) async throws(VerificationError) -> Result {
        do throws(VerificationError) {
            let token = try await judge(text)
            let result: Result
            do throws(TokenRefusal) { result = try convert(token) } catch { throw .refused(error.ofAccessToken) }
            onVerdict?(nil)
            return result
        } catch {
            onVerdict?(error)
            throw error
        }
    }

    private func judge(_ text: String) async throws(VerificationError) -> AcceptedAccessToken {
        if let refusal = faultOfForm(text) { throw .refused(refusal.ofAccessToken) }
        switch await answers.answer(about: text, now: clock.now.timeIntervalSince1970) {
        case .active(let claims):
            do throws(TokenRefusal) {
                return try policy.accepted(claims, now: clock.now.timeIntervalSince1970)
            } catch {
                throw .refused(error.ofAccessToken)
            }
        case .inactive:
            let detail = "the introspection endpoint answered that the token is not active"
            throw .refused(TokenRefusal(.inactive, detail, member: "active").ofAccessToken)
        case .unavailable(let reason): throw .undecided(reason)
        }
    }

    /// Returns the refusal of a text that is no access token of any form (RFC 6749 A.12), before any request.
    private func faultOfForm(_ text: String) -> TokenRefusal? {
        do throws(TokenRefusal) { try policy.limits.checkToken(text.utf8.count) } catch { return error }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return TokenRefusal(.encoding, "the token is empty, or has other characters than printable ASCII")
        }
        return nil
    }
}

extension TokenIntrospector: Redacted {
    /// The issuers and the audiences, without credentials and tokens.
    public var description: String {
        "introspection of tokens of \(quoted(policy.issuers)) for \(quoted(policy.audiences))"
    }
}

extension TokenRefusal {
    /// The same refusal with the message for the sender of an access token.
    var ofAccessToken: TokenRefusal {
        var refusal = self
        refusal.kind = .accessToken
        return refusal
    }
}
