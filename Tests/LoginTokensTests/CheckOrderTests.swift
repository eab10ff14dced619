// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The order of the checks.
///
/// The order is part of the interface: the code of a refusal tells a support desk that all earlier checks passed.
@Suite struct CheckOrderTests {
    let bench: FaultBench

    init() throws {
        bench = try FaultBench()
    }

    /// All pairs of faults that one token can have, the one that is found first in front.
    static let pairs: [(TokenFault, TokenFault)] = TokenFault.allCases.indices.flatMap { first in
        TokenFault.allCases[(first + 1)...].map { (TokenFault.allCases[first], $0) }
    }.filter { !$0.excludes($1) }

    @Test(.rule("T-146"))
    func `each check of a token has a test fault, in the order of the checks`() throws {
        #expect(TokenFault.allCases.map(\.found.check) + [.singleUse] == Check.inOrder)
        #expect(Self.pairs.count == 26 * 25 / 2 - 1)
        try bench.verify([])
    }

    @Test(.rule("T-146"), arguments: pairs)
    func `a token with two faults is refused by the earlier check`(first: TokenFault, second: TokenFault) {
        expectRefusal(first.found.code) { try bench.verify([first, second]) }
    }

    @Test(.rule("T-146"))
    func `a token with all faults is refused by the first check, then by the next as faults are removed`() {
        for first in TokenFault.allCases.indices {
            let faults = Array(TokenFault.allCases[first...]).filter { !TokenFault.allCases[first].excludes($0) }
            // Of the two faults that exclude each other, the later one would undo the earlier.
            let possible = faults.filter { $0 != .age || first == TokenFault.allCases.firstIndex(of: .age) }
            expectRefusal(possible[0].found.code) { try bench.verify(possible) }
        }
    }

    @Test(.rule("T-146", "T-182"), arguments: TokenFault.allCases)
    func `each check is reported once in order, and no check passes after a failed one`(fault: TokenFault) {
        var reports: [CheckReport] = []
        let refusal = expectRefusal(fault.found.code) { try bench.verify([fault]) { reports.append($0) } }
        #expect(reports.map(\.check) == Check.inOrder)
        let outcomes = Dictionary(grouping: reports, by: \.outcome).mapValues { $0.map(\.check) }
        let parts = Check.inOrder.split(separator: fault.found.check, omittingEmptySubsequences: false)
        #expect(outcomes[.pass, default: []] == Array(parts[0]))
        #expect(outcomes[.fail] == [fault.found.check])
        #expect(outcomes[.skipped, default: []] == Array(parts[1]))
        let failed = reports.first { $0.outcome == .fail }
        #expect(failed?.detail.hasPrefix(refusal?.code.rawValue ?? "no refusal") == true)
    }

    @Test(.rule("T-146"))
    func `a valid token passes every check without a request to a nonce store`() throws {
        var reports: [CheckReport] = []
        try bench.verify([]) { reports.append($0) }
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.dropLast().allSatisfy { $0.outcome == .pass && !$0.detail.isEmpty })
        #expect(reports.last?.outcome == .skipped && reports.last?.detail == "no nonce store is used")
    }

    @Test(.rule("T-146"))
    func `a check that is not requested is reported as skipped`() throws {
        let plain = try Bench()
        var reports: [CheckReport] = []
        let text = plain.issuer.token()
        _ = try plain.verifier.verify(text, nonce: .notChecked(because: "a test"), with: plain.keys) {
            reports.append($0)
        }
        #expect(reports.map(\.check) == Check.inOrder)
        let skipped = reports.filter { $0.outcome == .skipped }
        #expect(
            skipped.map { "\($0.check): \($0.detail)" } == [
                "age: no maximum age is set",
                "auth-time: no maximum age of the authentication is set",
                "acr: not required",
                "hosted-domain: not required",
                "access-token-hash: no value to compare with",
                "code-hash: no value to compare with",
                "nonce: NOT CHECKED; reason: \"a test\"",
                "single-use: no nonce store is used",
            ]
        )
    }

    @Test(.rule("T-146", "T-147"))
    func `reports of passed checks state the value and contain no secret`() throws {
        var details: [Check: String] = [:]
        try bench.verify([]) { details[$0.check] = $0.detail }
        #expect(details[.authTime] == "2025-10-09T08:43:20Z, 10 min ago")
        #expect(details[.acr] == "\"urn:issuer:strong\"" && details[.hostedDomain] == "\"organization.example\"")
        #expect(details[.accessTokenHash] == "at_hash matches" && details[.codeHash] == "c_hash matches")
    }

    // MARK: The last check

    @Test(.rule("T-146"), arguments: TokenFault.allCases.filter { $0 != .nonce })
    func `a token that is refused for another reason does not consume its nonce`(fault: TokenFault) async {
        let store = SpyNonceStore(.consumed)
        var reports: [CheckReport] = []
        await expectRefused(fault.found.code) { () async throws(VerificationError) in
            try await bench.verify([fault], askingOnce: store) { reports.append($0) }
        }
        #expect(store.consumed.isEmpty)
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.last?.outcome == .skipped && reports.last?.detail == "not reached")
    }

    @Test(.rule("T-146"))
    func `a token without a nonce is refused before the nonce store is asked`() async throws {
        let plain = try Bench()
        let store = SpyNonceStore(.consumed)
        for nonce: TestJSON? in [nil, ""] {
            let text = plain.issuer.token { $0.claims["nonce"] = nonce }
            await expectRefused(.nonce) { () async throws(VerificationError) in
                try await plain.verifier.verify(text, askingOnce: store)
            }
        }
        #expect(store.consumed.isEmpty)
    }

    @Test(.rule("T-146", "T-182"))
    func `the nonce store is asked once, last, and about the nonce of the token`() async throws {
        let store = SpyNonceStore(.consumed)
        var reports: [CheckReport] = []
        let token = try await bench.verify([], askingOnce: store) { reports.append($0) }
        #expect(token.nonceCheck == .singleUse)
        #expect(store.consumed == [NonceDigest(of: FaultBench.nonce)])
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.allSatisfy { $0.outcome == .pass && !$0.detail.isEmpty })
    }

    @Test(
        .rule("T-146", "T-182"),
        arguments: [
            (.replayed, .replayed), (.expired, .nonce), (.issuedElsewhere, .nonce), (.unknown, .nonce),
        ] as [(NonceUse, VerificationCode)]
    )
    func `the result of the nonce store decides the verdict`(answer: NonceUse, code: VerificationCode) async {
        var reports: [CheckReport] = []
        let refusal = await expectRefused(code) { () async throws(VerificationError) in
            try await bench.verify([], askingOnce: SpyNonceStore(answer)) { reports.append($0) }
        }
        #expect(refusal?.member == "nonce")
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.dropLast().allSatisfy { $0.outcome == .pass })
        #expect(reports.last?.outcome == .fail && reports.last?.detail.hasPrefix("\(code): ") == true)
    }

    // MARK: Precedence of single checks

    @Test(.rule("T-020"))
    func `the algorithm is checked before a key is requested`() async throws {
        let plain = try Bench()
        let keys = SpyKeySource(plain.keys)
        let verifier = TokenVerifier(policy: plain.policy, keys: keys, clock: plain.issuer.clock)
        let text = plain.issuer.token {
            $0.header["alg"] = "HS256"
            $0.header["kid"] = "nobody"
        }
        await expectRefused(.algorithm) { () async throws(VerificationError) in
            try await verifier.verify(text, nonce: .mustBeAbsent)
        }
        #expect(keys.calls.isEmpty)
    }

    @Test(.rule("T-146"), arguments: [TokenFault.issuer, .audience])
    func `no key is requested for a token with another audience, and no signature is checked`(fault: TokenFault)
        async throws
    {
        let keys = SpyKeySource(bench.bench.keys)
        let text = bench.token([fault, .signature])
        var reports: [CheckReport] = []
        await expectRefused(fault.found.code) { () async throws(VerificationError) in
            try await bench.verifyWaiting(text: text, nonce: bench.nonce([]), keys: keys) { reports.append($0) }
        }
        #expect(keys.calls.isEmpty)
        #expect(reports.first { $0.check == .key }?.outcome == .skipped)
        #expect(reports.first { $0.check == .signature }?.outcome == .skipped)
    }

    @Test(
        .rule("T-146"),
        arguments: [
            TokenFault.expiry, .notBefore, .issuedAt, .age, .subject, .authTime, .acr, .hostedDomain,
            .accessTokenHash, .codeHash, .nonce,
        ]
    )
    func `subject and time claims are checked only after the signature`(fault: TokenFault) {
        expectRefusal(fault.found.code) { try bench.verify([fault]) }
        expectRefusal(.signature) { try bench.verify([fault, .signature]) }
    }
}
