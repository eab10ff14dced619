// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
internal import LoginTesting
public import LoginTokens

/// Access tokens and DPoP proofs as an API receives them, and everything needed to verify them.
///
/// The tokens follow RFC 9068, are signed with RS256 and a key of 2,048 bits, and have about 1,200 bytes. The proofs are
/// signed with ES256.
public struct BearerCase: Sendable {
    /// The URL of the requests.
    public static let resource = "https://api.example/v1/orders"

    /// The policy of the API.
    public let policy: AccessTokenPolicy

    /// The issuer's keys.
    public let keys: KeySnapshot

    /// Valid tokens that differ by their `jti`.
    public let tokens: [String]

    /// A valid token that is bound to the key of the proofs.
    public let boundToken: String

    private let issuer: TestIssuer
    private let prover: TestProver

    /// Creates the tokens.
    public init() throws {
        let clock = ManualClock(Date())
        let prover = TestProver(clock: clock)
        let form = AccessTokenIssuer.rfc9068(issuers: ["https://login.example"])
        let issuer = TestIssuer(accessTokensOf: form, audience: "https://api.example", clock: clock)
        let token = { (number: Int, confirmation: TestJSON?) in
            issuer.accessToken(form, scopes: Self.scopes, client: "0oa2f6m1x9TestClient5d7") { token in
                Self.addClaims(&token)
                token.claims["jti"] = .string("AT.TestMadeUp." + String(10_000_000 + number))
                token.claims["cnf"] = confirmation
            }
        }
        policy = try AccessTokenPolicy(issuer: form, audiences: [issuer.audience], requiredScopes: ["orders:read"])
        keys = issuer.keys
        tokens = (0..<256).map { token($0, nil) }
        boundToken = token(256, prover.confirmation)
        self.issuer = issuer
        self.prover = prover
    }

    /// Returns valid proofs for the bound token, made now, each with its own ID.
    ///
    /// - Parameter count: The number of proofs.
    /// - Returns: The proofs, in their compact serialization.
    public func proofs(_ count: Int) -> [String] {
        (0..<count).map { _ in prover.proof(method: "GET", url: Self.resource, token: boundToken) }
    }

    /// Creates the floor for a token: one for each thread.
    public func floor() throws -> Floor {
        try Floor(of: tokens[0], signedBy: issuer.key)
    }

    /// Creates the floor for a proof: one for each thread.
    public func proofFloor() throws -> Floor {
        try Floor(of: proofs(1)[0], signedBy: prover.key)
    }

    private static let scopes = ["openid", "profile", "email", "orders:read", "orders:write", "customers:read"]

    /// Adds the claims about a made-up user that authorization servers usually add.
    private static func addClaims(_ token: inout TestToken) {
        token.claims["auth_time"] = token.claims["iat"]
        token.claims["acr"] = "urn:example:loa:2"
        token.claims["amr"] = ["pwd", "otp"]
        token.claims["name"] = "Quilla Testperson"
        token.claims["email"] = "quilla@person.invalid"
        token.claims["roles"] = ["buyer", "approver"]
        token.claims["groups"] = ["5f0c7a36-made-up-group-1", "5f0c7a36-made-up-group-2"]
        token.claims["entitlements"] = ["orders:approve:5000", "reports:read"]
        token.claims["tenant"] = "00000000-0000-4000-8000-000000000001"
    }
}
