// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens

/// An introspection endpoint without a network, so that a test only sets what is special about its answer.
struct IntrospectionBench {
    static let endpoint = "https://login.example/introspect"
    static let issuer = "https://login.example"
    static let audience = "https://orders.example"
    static let token = "2YotnFZFEjr1zCsicMWpAA-opaque"
    static let secret = "made-up-client-secret-0123456789"

    let clock = ManualClock()
    let transport = StubTransport()
    let policy: IntrospectionPolicy

    init(
        requiredScopes: [String] = [],
        allowedClients: [String] = [],
        requiredValues: [String: [String]] = [:],
        optionalMembers: Set<IntrospectionPolicy.Member> = [],
        subjectMembers: [String] = ["sub"],
        tokenTypes: [String] = ["Bearer", "DPoP"],
        leeway: Duration = .zero,
        maximumAge: Duration? = nil,
        limits: TokenLimits = .standard
    ) throws {
        policy = try IntrospectionPolicy(
            issuers: [Self.issuer],
            audiences: [Self.audience],
            requiredScopes: requiredScopes,
            allowedClients: allowedClients,
            requiredValues: requiredValues,
            optionalMembers: optionalMembers,
            subjectMembers: subjectMembers,
            tokenTypes: tokenTypes,
            leeway: leeway,
            maximumAge: maximumAge,
            limits: limits
        )
        answer()
    }

    /// The members of a valid answer: issued a minute ago, valid for an hour in total.
    var members: TestJSON {
        [
            "active": true, "iss": .string(Self.issuer), "aud": .string(Self.audience), "sub": "user-1",
            "client_id": "client-app", "scope": "orders:read", "token_type": "Bearer", "iat": time(-60),
            "exp": time(3540),
        ]
    }

    /// Returns a time that many seconds from now.
    func time(_ seconds: Int) -> TestJSON {
        .number(String(Int(clock.now.timeIntervalSince1970) + seconds))
    }

    /// Sets the answer of the endpoint.
    func answer(_ change: (inout TestJSON) -> Void = { _ in }) {
        var members = members
        change(&members)
        transport.answer(.post, Self.endpoint, with: .json(members))
    }

    func introspector(
        responseKeys: (any KeySource)? = nil,
        cacheLifetime: Duration = .seconds(60)
    ) throws -> TokenIntrospector {
        try TokenIntrospector(
            endpoint: EndpointURL(Self.endpoint),
            clientID: "orders-api",
            clientSecret: Self.secret,
            policy: policy,
            responseKeys: responseKeys,
            transport: transport,
            clock: clock,
            cacheLifetime: cacheLifetime
        )
    }

    /// The number of requests so far.
    var requests: Int { transport.requests.count }
}
