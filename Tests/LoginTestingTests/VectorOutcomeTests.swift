// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLoginTesting
internal import LoginTesting
internal import Testing

/// Vectors whose outcome differs from the stated one: each must fail, and none may be skipped.
@Suite struct VectorOutcomeTests {
    let bench = VectorBench()

    @Test(arguments: VectorBench.kinds)
    func `a vector that states its outcome passes`(kind: String) async throws {
        try await expectPassed(bench.group(kind))
    }

    @Test(arguments: VectorBench.kinds)
    func `a vector that expects a refusal fails if its input is accepted`(kind: String) async throws {
        try await expectFailed(bench.group(kind) { $0["result"] = VectorBench.refused(kind) }, saying: "accepted")
    }

    @Test(
        arguments: [
            ("id-token", "token", "x"), ("jws", "token", "x"), ("signature", "signature", "00"), ("key", "key", [:]),
            ("json", "text", "e30s"), ("access-token", "token", "x"), ("dpop", "proofs", ["x"]),
            ("secret", "secret", ["algorithm": "HS256", "octets": "AAAA"]),
        ] as [(String, String, TestJSON)]
    )
    func `a vector that expects acceptance fails if its input is refused`(kind: String, member: String, input: TestJSON)
        async throws
    {
        try await expectFailed(bench.group(kind) { $0[member] = input }, saying: "expected to be accepted")
        try await expectPassed(
            bench.group(kind) {
                $0[member] = input
                $0["result"] = VectorBench.refused(kind)
            }
        )
    }

    @Test(arguments: ["id-token", "jws", "access-token"])
    func `a vector that expects another code fails`(kind: String) async throws {
        func group(_ codes: TestJSON?) -> TestJSON {
            bench.group(kind) {
                $0["token"] = "a.b"
                $0["result"] = "refused"
                $0["codes"] = codes
            }
        }
        try await expectPassed(group(nil))
        try await expectPassed(group(["segments"]))
        try await expectPassed(group(["signature", "segments"]))
        try await expectFailed(group(["signature"]), saying: "segments")
        try await expectFailed(group([]), saying: "segments")
    }

    @Test func `a refused signature has the code signature`() async throws {
        func group(_ codes: TestJSON) -> TestJSON {
            bench.group("signature") {
                $0["signature"] = "00"
                $0["result"] = "refused"
                $0["codes"] = codes
            }
        }
        try await expectPassed(group(["signature"]))
        try await expectFailed(group(["key-not-found"]), saying: "signature")
    }

    /// Reading a key or JSON has no refusal code, so any expected code is wrong.
    @Test(
        arguments: [
            ("key", "key", [:]), ("json", "text", "e30s"), ("secret", "secret", ["algorithm": "HS256", "octets": ""]),
        ] as [(String, String, TestJSON)]
    )
    func `a vector of a kind without codes does not pass if it expects one`(
        kind: String,
        member: String,
        input: TestJSON
    ) async throws {
        try await expectNotPassed(
            bench.group(kind) {
                $0[member] = input
                $0["result"] = VectorBench.refused(kind)
                $0["codes"] = ["signature"]
            }
        )
    }

    @Test(arguments: [["name": "Eve"], ["name": .null], ["missing": .null], ["name": "Ada", "sub": 1]] as [TestJSON])
    func `a vector with different claims fails`(claims: TestJSON) async throws {
        try await expectFailed(bench.group("id-token") { $0["claims"] = claims }, saying: "claim")
    }

    @Test(
        arguments: [
            ["name": "Eve"], ["name": .null], ["email": "a@example.com"], ["birthday": ["year": 1990]],
            ["name": "Ada", "userID": "1"],
        ] as [TestJSON]
    )
    func `a vector with a different profile fails`(profile: TestJSON) async throws {
        try await expectFailed(bench.group("id-token") { $0["profile"] = profile }, saying: "profile")
    }

    @Test(arguments: [[], ["name"], ["email", "name"], nil] as [TestJSON?])
    func `a vector with different notes fails`(notes: TestJSON?) async throws {
        try await expectFailed(bench.group("id-token") { $0["notes"] = notes }, saying: "notes")
    }

    @Test(
        arguments: [
            ("claims", []), ("claims", "x"), ("profile", []), ("profile", "x"), ("notes", "email"), ("notes", [1]),
        ]
            as [(String, TestJSON)]
    )
    func `a vector with an expectation of the wrong type does not pass`(member: String, value: TestJSON) async throws {
        try await expectNotPassed(
            bench.group("id-token") {
                // A token without notes, so that only the type can be wrong.
                $0["token"] = .string(bench.issuer.token(nonce: "n-1"))
                $0["claims"] = nil
                $0["profile"] = nil
                $0["notes"] = nil
                $0[member] = value
            }
        )
    }

    @Test(arguments: ["friendIds", "emailVerified", "NAME"])
    func `a vector that expects an unknown profile member to be absent does not pass`(member: String) async throws {
        try await expectNotPassed(bench.group("id-token") { $0["profile"] = .object([(name: member, value: .null)]) })
    }

    @Test func `a vector that expects the profile and notes of another provider fails`() async throws {
        var group = bench.group("id-token")
        group["policy"]?["provider"] = nil
        group["policy"]?["issuers"] = ["https://www.facebook.com"]
        try await expectFailed(group, saying: "provider")
    }

    @Test(arguments: ["_w", "", 1, .null] as [TestJSON])
    func `a vector with a different payload does not pass`(payload: TestJSON) async throws {
        try await expectNotPassed(bench.group("jws") { $0["payload"] = payload })
    }

    @Test func `a vector with the payload of its token passes`() async throws {
        let parts = bench.token.split(separator: ".")
        try #require(parts.count == 3)
        try await expectPassed(bench.group("jws") { $0["payload"] = .string(String(parts[1])) })
    }

    @Test(arguments: ["github", "Facebook", "", 1] as [TestJSON])
    func `a vector with an unsupported provider does not pass, even if it expects a refusal`(provider: TestJSON)
        async throws
    {
        for result: TestJSON in ["verified", "refused"] {
            var group = bench.group("id-token") { $0["result"] = result }
            group["policy"]?["provider"] = provider
            try await expectNotPassed(group)
        }
    }

    @Test(arguments: ["policy", "keys"])
    func `a vector without its policy or keys fails, even if it expects a refusal`(member: String) async throws {
        for kind in ["id-token", "jws", "signature", "access-token"] {
            var group = bench.group(kind) { $0["result"] = "refused" }
            group[member] = nil
            try await expectFailed(group, saying: "cannot be run")
        }
    }

    @Test(
        arguments: [
            ("now", nil), ("now", "1760000000"), ("nonce", nil), ("nonce", "any"), ("nonce", ["exact": "n-1"]),
            ("audiences", nil), ("audiences", []), ("audiences", "1234567890"), ("leeway", -1), ("leeway", 301),
            ("leeway", "1"), ("maxAge", 0), ("maxAge", .null), ("requireType", 1), ("subject", 1), ("issuers", []),
            ("trustedAudiences", [1]), ("authorizedParties", [""]),
        ] as [(String, TestJSON?)]
    )
    func `a vector with an invalid policy does not pass, even if it expects a refusal`(member: String, value: TestJSON?)
        async throws
    {
        var group = bench.group("id-token") { $0["result"] = "refused" }
        group["policy"]?[member] = value
        try await expectNotPassed(group)
    }

    @Test(
        arguments: [["exactly": "n-1", "sha256": "n-1"], ["exactly": "n-1", "comment": "x"]] as [TestJSON]
    )
    func `a vector whose nonce has an unknown member does not pass`(nonce: TestJSON) async throws {
        var group = bench.group("id-token")
        group["policy"]?["nonce"] = nonce
        try await expectNotPassed(group)
    }

    @Test(
        arguments: [
            ("signature", "message"), ("signature", "signature"), ("id-token", "token"), ("jws", "token"),
            ("json", "text"), ("key", "key"), ("access-token", "token"), ("dpop", "proofs"), ("dpop", "method"),
            ("dpop", "url"), ("secret", "secret"),
        ]
    )
    func `a vector without its input does not pass, even if it expects a refusal`(kind: String, member: String)
        async throws
    {
        try await expectNotPassed(
            bench.group(kind) {
                $0[member] = nil
                $0["result"] = VectorBench.refused(kind)
            }
        )
    }

    @Test(arguments: ["0", "0g", "+0", "-0", "0 ", "é", 1] as [TestJSON])
    func `a vector with invalid hexadecimal does not pass, even if it expects a refusal`(message: TestJSON) async throws
    {
        try await expectNotPassed(
            bench.group("signature") {
                $0["message"] = message
                $0["result"] = "refused"
            }
        )
    }

    @Test(arguments: ["e30", "e30=\n", "e3 0=", "*", 1] as [TestJSON])
    func `a vector with invalid base64 does not pass, even if it expects a refusal`(text: TestJSON) async throws {
        try await expectNotPassed(
            bench.group("json") {
                $0["text"] = text
                $0["result"] = "refused"
            }
        )
    }

    @Test func `a group of signatures with two keys does not pass`() async throws {
        var group = bench.group("signature")
        group["keys"] = ["keys": [bench.issuer.key.json, TestKey.another.json]]
        try await expectNotPassed(group)
    }

    @Test func `the nonce of a test overrides that of the policy`() async throws {
        try await expectPassed(bench.group("id-token") { $0["nonce"] = "not-checked" })
        try await expectPassed(
            bench.group("id-token") {
                $0["nonce"] = "absent"
                $0["result"] = "refused"
                $0["codes"] = ["nonce"]
            }
        )
    }

    private func expectPassed(_ group: TestJSON, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let failure = try await VectorBench.failure(group)
        #expect(failure == nil, sourceLocation: sourceLocation)
    }

    private func expectFailed(
        _ group: TestJSON,
        saying text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await VectorBench.failure(group)
        let failure = try #require(found, sourceLocation: sourceLocation)
        #expect(failure.contains(text), sourceLocation: sourceLocation)
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
