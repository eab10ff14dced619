// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLoginTesting
internal import LoginTesting
internal import Testing

/// Vectors for access tokens and DPoP proofs whose outcome differs from the stated one, or whose policy is invalid.
@Suite struct VectorRequestTests {
    let bench = VectorBench()

    // MARK: - Access tokens

    @Test(
        arguments: [
            ("claims", ["jti": "token-2"]), ("client", "client-2"), ("client", .null), ("scopes", []),
            ("scopes", ["write", "read"]), ("roles", ["admin"]), ("groups", ["staff"]), ("entitlements", ["all"]),
        ] as [(String, TestJSON)]
    )
    func `a vector with another result of an access token fails`(member: String, value: TestJSON) async throws {
        let failure = try await VectorBench.failure(bench.group("access-token") { $0[member] = value })
        #expect(failure?.contains(member == "claims" ? "claim" : member) == true)
    }

    @Test(
        arguments: [
            ("now", nil), ("issuers", nil), ("issuers", []), ("audiences", nil), ("leeway", 301), ("maxAge", 0),
            ("requiredScopes", ["a b"]), ("requiredScopes", "a"), ("allowedClients", [1]), ("requiredValues", []),
            ("requiredValues", ["tenant": "t1"]), ("requiredValues", ["tenant": []]),
            ("preset", ["name": "auth0", "domain": "issuer.example"]),
        ] as [(String, TestJSON?)]
    )
    func `an access token with an invalid policy does not pass, even if it expects a refusal`(
        member: String,
        value: TestJSON?
    ) async throws {
        var group = bench.group("access-token") { $0["result"] = "refused" }
        group["policy"]?[member] = value
        try await expectNotPassed(group)
    }

    @Test(
        arguments: [
            ["name": "facebook"], ["name": "Auth0"], [:], "auth0", ["name": "auth0"], ["name": "auth0", "domain": 1],
            ["name": "auth0", "domain": "https://issuer.example"],
            ["name": "auth0", "domain": "issuer.example", "region": "eu"], ["name": "microsoft", "tenantID": "x"],
            ["name": "github-actions"], ["name": "github-actions", "owner": "a", "repository": "a/b"],
            ["name": "gitlab"], ["name": "kubernetes", "issuer": "https://cluster.example"], ["name": "okta"],
            ["name": "cognito", "region": "eu-central-1"], ["name": "firebase-app-check", "projectNumber": "x"],
        ] as [TestJSON]
    )
    func `an access token with an invalid preset does not pass, even if it expects a refusal`(preset: TestJSON)
        async throws
    {
        var group = bench.group("access-token") { $0["result"] = "refused" }
        group["policy"]?["issuers"] = nil
        group["policy"]?["preset"] = preset
        try await expectNotPassed(group)
    }

    // MARK: - Proofs

    @Test(arguments: [.null, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I", nil] as [TestJSON?])
    func `a vector with another key of the proof, or none, fails`(thumbprint: TestJSON?) async throws {
        let failure = try await VectorBench.failure(bench.group("dpop") { $0["jkt"] = thumbprint })
        #expect(failure?.contains("jkt") == true)
    }

    @Test(
        arguments: [
            ("now", nil), ("algorithms", nil), ("algorithms", []), ("maxAge", nil), ("maxAge", 0), ("leeway", 301),
            ("requireBoundTokens", 1), ("nonces", [:]), ("nonces", ["secret": "00", "lifetime": 60]),
            ("nonces", ["secret": .string(String(repeating: "00", count: 32))]),
            ("nonces", ["secret": .string(String(repeating: "00", count: 32)), "lifetime": 9]),
        ] as [(String, TestJSON?)]
    )
    func `a proof with an invalid policy does not pass, even if it expects a refusal`(member: String, value: TestJSON?)
        async throws
    {
        var group = bench.group("dpop") { $0["result"] = "refused" }
        group["policy"]?[member] = value
        try await expectNotPassed(group)
    }

    @Test(
        arguments: [
            ("certificate", [:]), ("certificate", ["clientCert": "x", "der": "00"]), ("certificate", ["pem": "x"]),
            ("certificate", ["der": "0"]), ("certificate", ["escapedPEM": 1]), ("token", 1), ("now", "1"),
            ("before", "x"), ("before", [["proofs": []]]), ("before", [["result": "refused"]]),
            ("before", [["proofs": [], "result": "accepted"]]), ("jkt", 1),
        ] as [(String, TestJSON)]
    )
    func `a proof with an invalid member does not pass, even if it expects a refusal`(member: String, value: TestJSON)
        async throws
    {
        try await expectNotPassed(
            bench.group("dpop") {
                $0["result"] = "refused"
                $0[member] = value
            }
        )
    }

    @Test func `a malformed certificate is refused with its code`() async throws {
        let failure = try await VectorBench.failure(
            bench.group("dpop") {
                $0["certificate"] = ["clientCert": "x"]
                $0["jkt"] = nil
                $0["result"] = "refused"
                $0["codes"] = ["certificate-malformed"]
            }
        )
        #expect(failure == nil)
    }

    @Test func `a proof that a request before used is refused`() async throws {
        let proof = TestJSON.string(bench.proof)
        func failure(_ result: TestJSON, _ codes: TestJSON?) async throws -> String? {
            try await VectorBench.failure(
                bench.group("dpop") {
                    $0["proofs"] = [proof]
                    $0["before"] = [["proofs": [proof], "result": "verified"]]
                    $0["result"] = result
                    $0["codes"] = codes
                }
            )
        }
        #expect(try await failure("refused", ["proof-replayed"]) == nil)
        #expect(try await failure("verified", nil)?.contains("proof-replayed") == true)
    }

    @Test func `the time and the method of a request before override those of the test`() async throws {
        let proof = TestJSON.string(bench.proof)
        for (member, value) in [("method", "POST"), ("now", 1)] as [(String, TestJSON)] {
            let failure = try await VectorBench.failure(
                bench.group("dpop") {
                    $0["proofs"] = [proof]
                    var earlier: TestJSON = ["proofs": [proof], "result": "refused"]
                    earlier[member] = value
                    $0["before"] = [earlier]
                }
            )
            #expect(failure == nil)
        }
    }

    @Test(arguments: [true, false])
    func `a vector fails if a request before has another result`(isAccepted: Bool) async throws {
        let failure = try await VectorBench.failure(
            bench.group("dpop") {
                $0["before"] = [
                    [
                        "proofs": [.string(isAccepted ? bench.proof : "x")],
                        "result": isAccepted ? "refused" : "verified",
                    ]
                ]
            }
        )
        #expect(failure?.contains("request 1 before it") == true)
    }

    /// Expects that the vector fails or its whole file is refused.
    private func expectNotPassed(_ group: TestJSON, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let failure: String?
        do {
            failure = try await VectorBench.failure(group)
        } catch let error as VectorFileError {
            failure = error.description
        }
        #expect(failure != nil, sourceLocation: sourceLocation)
    }
}
