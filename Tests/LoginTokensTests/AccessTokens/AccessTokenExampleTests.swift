// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The examples of the article "Verify access tokens", and policies for the issuers in its table.
@Suite struct AccessTokenExampleTests {
    /// The response of an API.
    enum Answer: Equatable {
        case orders(of: String)
        case status(Int, String)
    }

    func orders(_ bearer: String, keys: any KeySource, clock: any WallClock = .system) async throws -> Answer {
        let policy = try AccessTokenPolicy(
            issuer: .auth0(domain: "example.eu.auth0.com"),
            audiences: ["https://orders.example"],
            requiredScopes: ["orders:read"]
        )
        let verifier = AccessTokenVerifier(policy: policy, keys: keys, clock: clock, cache: VerifiedTokenCache())
        do throws(VerificationError) {
            let token = try await verifier.verify(bearer)
            guard !token.confirmation.isBound else { return .status(401, "a proof of possession is required") }
            return .orders(of: token.subject)
        } catch {
            switch error {
            case .refused(let refusal) where refusal.code == .insufficientScope:
                return .status(403, refusal.publicMessage)
            case .refused(let refusal): return .status(401, refusal.publicMessage)
            case .undecided(let unavailable): return .status(503, unavailable.publicMessage)
            }
        }
    }

    func makePolicies() throws -> [AccessTokenPolicy] {
        [
            // Any server that follows RFC 9068.
            try AccessTokenPolicy(issuers: ["https://login.example"], audiences: ["https://orders.example"]),
            // Services that call the API without a user have roles instead of scopes.
            try AccessTokenPolicy(
                issuer: .microsoft(tenantID: "6f1c2f0e-7d43-4a55-9a3e-2b7d0c1e5f88"),
                audiences: ["a5b0c9d2-41f6-4e0e-8a62-d0b2b1f3c7e4"],
                requiredValues: ["roles": ["Orders.Read.All"]]
            ),
            // Deployments from one branch of one repository.
            try AccessTokenPolicy(
                issuer: .gitHubActions(repository: "octo-org/octo-repo"),
                audiences: ["https://deploy.example"],
                requiredValues: ["ref": ["refs/heads/main"]],
                maximumAge: .seconds(300)
            ),
        ]
    }

    func makeGeneralIssuers() throws -> [AccessTokenIssuer] {
        let hydra = try AccessTokenIssuer.jwt(
            issuers: ["https://login.example"],
            mark: .claim("scp"),
            clientClaim: "client_id",
            scopeClaim: "scp"
        )
        let marked = try AccessTokenIssuer.jwt(
            issuers: ["https://id.example"],
            mark: .value(claim: "token_use", ["access"])
        )
        return [hydra, marked]
    }

    func makeIssuer() -> AccessTokenIssuer {
        var issuer = AccessTokenIssuer(.openID(issuers: ["https://login.example"]))
        issuer.types = ["at+jwt", "jwt"]
        issuer.marks = ["token_type": ["access"]]
        issuer.clientClaims = ["azp"]
        issuer.scopes = .array("scp")
        return issuer
    }

    @Test func `an API answers by the outcome of the verification`() async throws {
        let auth0 = try AccessTokenIssuer.auth0(domain: "example.eu.auth0.com")
        let issuer = TestIssuer(accessTokensOf: auth0, audience: "https://orders.example")
        let good = issuer.accessToken(auth0, scopes: ["orders:read"])
        let bound = issuer.accessToken(auth0, scopes: ["orders:read"]) { $0.claims["cnf"] = ["jkt": "x"] }
        let expected: [(String, Int?)] = [(good, nil), (issuer.accessToken(auth0), 403), ("x", 401), (bound, 401)]
        for (text, status) in expected {
            switch try await orders(text, keys: issuer.keys, clock: issuer.clock) {
            case .orders: #expect(status == nil)
            case .status(let seen, _): #expect(status == seen)
            }
        }
    }

    @Test func `the policies and the issuer of the article are valid`() throws {
        #expect(try makePolicies().count == 3)
        _ = try AccessTokenBench(makeIssuer()).verify()
        for issuer in try makeGeneralIssuers() { _ = try AccessTokenBench(issuer).verify() }
    }
}
