// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The code of the article "Introspect tokens".
@Suite struct IntrospectTokensArticleTests {
    /// The response of an API.
    enum Answer: Equatable {
        case orders(of: String)
        case status(Int)
    }

    func makeIntrospector(
        secret: String,
        transport: any HTTPTransport,
        clock: any WallClock = .system
    ) throws -> TokenIntrospector {
        let policy = try IntrospectionPolicy(
            issuers: ["https://login.example"],
            audiences: ["https://orders.example"],
            requiredScopes: ["orders:read"]
        )
        let introspector = try TokenIntrospector(
            endpoint: EndpointURL("https://login.example/introspect"),
            clientID: "orders-api",
            clientSecret: secret,
            policy: policy,
            transport: transport,
            clock: clock
        )
        return introspector
    }

    func orders(_ bearer: String, _ introspector: TokenIntrospector) async throws -> Answer {
        do throws(VerificationError) {
            let token = try await introspector.verify(bearer)
            guard !token.confirmation.isBound else { return .status(401) }
            return .orders(of: token.subject ?? "")
        } catch {
            switch error {
            case .refused(let refusal) where refusal.code == .insufficientScope: return .status(403)
            case .refused: return .status(401)
            case .undecided: return .status(503)
            }
        }
    }

    @Test func `an API answers by the outcome of the introspection`() async throws {
        let bench = try IntrospectionBench()
        let expected: [(StubTransport.Answer, Answer)] = [
            (.json(bench.members), .orders(of: "user-1")), (.json(["active": false]), .status(401)),
            (.failure(.deadline), .status(503)),
        ]
        for (answer, result) in expected {
            bench.transport.answer(.post, IntrospectionBench.endpoint, with: answer)
            let introspector = try makeIntrospector(secret: "s", transport: bench.transport, clock: bench.clock)
            #expect(try await orders(IntrospectionBench.token, introspector) == result)
        }
        bench.answer { $0["scope"] = "profile" }
        let introspector = try makeIntrospector(secret: "s", transport: bench.transport, clock: bench.clock)
        #expect(try await orders(IntrospectionBench.token, introspector) == .status(403))
    }
}
