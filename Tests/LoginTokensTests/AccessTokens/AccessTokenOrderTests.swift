// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The order of the checks of an access token, and their reports.
@Suite struct AccessTokenOrderTests {
    /// A check, its code, and the change of a token that fails it.
    typealias Step = (check: Check, code: VerificationCode, change: @Sendable (inout TestToken) -> Void)

    /// The steps after parsing, which ID tokens share, in the order of the checks.
    static let steps: [Step] = [
        (.criticalHeader, .criticalHeader, { $0.header["crit"] = ["exp"] }),
        (.tokenType, .tokenType, { $0.header["typ"] = "JWT" }),
        (.algorithm, .algorithm, { $0.header["alg"] = "HS256" }),
        (.payload, .tokenType, { $0.claims["events"] = [:] }),
        (.issuer, .issuer, { $0.claims["iss"] = "https://other.example" }),
        (.audience, .audience, { $0.claims["aud"] = "other" }),
        (.key, .keyNotFound, { $0.header["kid"] = "other" }),
        (.signature, .signature, { $0.signing = .bytes([UInt8](repeating: 0, count: 256)) }),
        (.requiredClaims, .missingClaim, { $0.claims["jti"] = nil }),
        (.claimTypes, .claimType, { $0.claims["nbf"] = "soon" }),
        (.claimValues, .claimValue, { $0.claims["plan"] = "silver" }),
        (.authorizedParty, .authorizedParty, { $0.claims["client_id"] = "other" }),
        (.subject, .subject, { $0.claims["sub"] = "" }),
        (.expiry, .expired, { $0.claims["exp"] = 1 }),
        (.notBefore, .notYetValid, { $0.claims["nbf"] = $0.claims["nbf"] ?? 253_402_300_799 }),
        (.age, .tooOld, { $0.claims["iat"] = 0 }),
        (.scope, .insufficientScope, { $0.claims["scope"] = "other" }),
    ]

    let bench: AccessTokenBench

    init() throws {
        bench = try AccessTokenBench(
            requiredScopes: ["orders:read"],
            allowedClients: ["client-app"],
            requiredValues: ["plan": ["gold"]],
            maximumAge: .seconds(600)
        )
    }

    private func reports(_ changes: [Step]) -> (reports: [CheckReport], code: VerificationCode?) {
        bench.reports { token in
            token.claims["plan"] = "gold"
            for step in changes { step.change(&token) }
        }
    }

    @Test(.rule("T-228"))
    func `a valid token passes every check`() {
        let (reports, code) = reports([])
        #expect(code == nil)
        #expect(reports.map(\.check) == Check.inAccessTokenOrder)
        #expect(reports.allSatisfy { $0.outcome == .pass && !$0.detail.isEmpty })
    }

    @Test(.rule("T-228"), arguments: steps.indices)
    func `each check is reported once in order, and no check passes after a failed one`(index: Int) {
        let step = Self.steps[index]
        let (reports, code) = reports([step])
        #expect(code == step.code)
        #expect(reports.map(\.check) == Check.inAccessTokenOrder)
        #expect(reports.first { $0.outcome == .fail }?.check == step.check)
        let parts = reports.split(omittingEmptySubsequences: false) { $0.outcome == .fail }
        #expect(parts.count == 2 && parts[0].allSatisfy { $0.outcome == .pass })
        #expect(parts.last?.allSatisfy { $0.outcome == .skipped } == true)
    }

    @Test(
        .rule("T-228"),
        arguments: steps.indices.flatMap { first in steps.indices[(first + 1)...].map { (first, $0) } }
    )
    func `a token with two faults is refused by the earlier check`(first: Int, second: Int) {
        #expect(reports([Self.steps[first], Self.steps[second]]).code == Self.steps[first].code)
    }

    @Test(.rule("T-228"))
    func `a check that is not requested is reported as skipped`() throws {
        let (reports, _) = try AccessTokenBench().reports()
        #expect(
            reports.filter { $0.outcome == .skipped }.map { "\($0.check): \($0.detail)" } == [
                "claim-values: not required", "age: no maximum age is set", "scope: not required",
            ]
        )
    }
}
