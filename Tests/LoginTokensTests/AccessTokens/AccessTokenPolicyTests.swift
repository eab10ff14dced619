// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Testing

/// The settings of a policy for access tokens that are refused, with the setting in the message.
@Suite struct AccessTokenPolicyTests {
    private static let issuer = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])

    private func expectError(
        _ setting: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ policy: () throws -> AccessTokenPolicy
    ) {
        let error = #expect(throws: PolicyError.self, sourceLocation: sourceLocation) { try policy() }
        #expect(error?.description.contains(setting) == true, sourceLocation: sourceLocation)
    }

    @Test func `issuers and audiences are required, and no value is empty`() {
        expectError("issuers") { try AccessTokenPolicy(issuers: [], audiences: ["a"]) }
        expectError("issuers") { try AccessTokenPolicy(issuers: [""], audiences: ["a"]) }
        expectError("audiences") { try AccessTokenPolicy(issuers: ["i"], audiences: []) }
        expectError("audiences") { try AccessTokenPolicy(issuers: ["i"], audiences: ["a", ""]) }
        expectError("allowed clients") {
            try AccessTokenPolicy(issuer: Self.issuer, audiences: ["a"], allowedClients: [""])
        }
        expectError("algorithms") { try AccessTokenPolicy(issuer: Self.issuer, audiences: ["a"], algorithms: []) }
    }

    @Test(arguments: ["", "two scopes", "a\"b", "a\\b", "caf\u{E9}", "a\n"])
    func `a required scope that no token can contain is refused`(scope: String) {
        expectError("required scopes") {
            try AccessTokenPolicy(issuers: ["i"], audiences: ["a"], requiredScopes: [scope])
        }
    }

    @Test func `a required value that no token can have is refused`() {
        for values in [[], [""], ["gold", ""]] {
            expectError("required values") {
                try AccessTokenPolicy(issuer: Self.issuer, audiences: ["a"], requiredValues: ["plan": values])
            }
        }
        let workflows = AccessTokenIssuer.gitHubActions(owner: "octo-org")
        expectError("required values") {
            try AccessTokenPolicy(issuer: workflows, audiences: ["a"], requiredValues: ["repository_owner": ["other"]])
        }
        expectError("required values") {
            try AccessTokenPolicy(issuer: .kubernetes(issuer: "i", serviceAccounts: []), audiences: ["a"])
        }
    }

    @Test func `required values of the caller narrow those of the issuer`() throws {
        var issuer = Self.issuer
        issuer.requiredValues = ["plan": ["gold", "silver"]]
        let policy = try AccessTokenPolicy(
            issuer: issuer,
            audiences: ["a"],
            requiredValues: ["plan": ["silver", "free"], "region": ["eu"]]
        )
        #expect(policy.requiredValues == ["plan": ["silver"], "region": ["eu"]])
    }

    @Test func `scopes and clients cannot be required of tokens that contain none`() {
        let workflows = AccessTokenIssuer.gitHubActions(owner: "octo-org")
        expectError("required scopes") {
            try AccessTokenPolicy(issuer: workflows, audiences: ["a"], requiredScopes: ["x"])
        }
        expectError("allowed clients") {
            try AccessTokenPolicy(issuer: workflows, audiences: ["a"], allowedClients: ["x"])
        }
    }

    @Test(arguments: ["JWT", "application/at+jwt", "AT+jwt"])
    func `a type in another form than types are compared in is refused`(type: String) {
        var issuer = Self.issuer
        issuer.types = ["at+jwt", type]
        expectError("types") { try AccessTokenPolicy(issuer: issuer, audiences: ["a"]) }
    }

    @Test func `an issuer whose tokens no policy could accept is refused`() {
        var issuers = [Self.issuer, Self.issuer, Self.issuer]
        issuers[0].types = []
        issuers[1].audienceClaims = []
        issuers[2].clientClaims = []
        for (issuer, setting) in zip(issuers, ["types", "audience claims", "client claims"]) {
            expectError(setting) { try AccessTokenPolicy(issuer: issuer, audiences: ["a"]) }
        }
    }

    @Test func `durations out of range are refused`() {
        expectError("leeway") { try AccessTokenPolicy(issuer: Self.issuer, audiences: ["a"], leeway: .seconds(301)) }
        expectError("leeway") { try AccessTokenPolicy(issuer: Self.issuer, audiences: ["a"], leeway: .seconds(-1)) }
        expectError("maximum age") { try AccessTokenPolicy(issuer: Self.issuer, audiences: ["a"], maximumAge: .zero) }
    }

    @Test func `a policy describes its issuers and audiences`() throws {
        let policy = try AccessTokenPolicy(issuers: ["https://i.example"], audiences: ["api"])
        #expect(policy.description == "policy for access tokens of \"https://i.example\" for \"api\"")
        #expect(policy.algorithms == [.rs256] && policy.leeway == .seconds(30))
    }
}
