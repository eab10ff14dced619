// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Which check speaks first.
///
/// The order is a promise: a support desk reads the code, and learns that all before it passed.
@Suite struct CheckOrderTests {
    let bench: FaultBench

    init() throws {
        bench = try FaultBench()
    }

    /// Any two faults that one token can have, the one found first in front.
    static let pairs: [(TokenFault, TokenFault)] = TokenFault.allCases.indices.flatMap { first in
        TokenFault.allCases[(first + 1)...].map { (TokenFault.allCases[first], $0) }
    }.filter { !$0.excludes($1) }

    @Test(.rule("T-146"))
    func `there is a fault for every check, in the order of the checks`() throws {
        #expect(TokenFault.allCases.map(\.found.check) == Check.inOrder)
        #expect(Self.pairs.count == 21 * 20 / 2 - 1)
        try bench.verify([])
    }

    @Test(.rule("T-146"), arguments: pairs)
    func `a token with two faults is refused for the first`(first: TokenFault, second: TokenFault) {
        expectRefusal(first.found.code) { try bench.verify([first, second]) }
    }

    @Test(.rule("T-146"))
    func `a token with every fault is refused for the first, and so on as they are mended`() {
        for first in TokenFault.allCases.indices {
            let faults = Array(TokenFault.allCases[first...]).filter { !TokenFault.allCases[first].excludes($0) }
            // Of the two that exclude each other the later would undo the earlier.
            let possible = faults.filter { $0 != .age || first == TokenFault.allCases.firstIndex(of: .age) }
            expectRefusal(possible[0].found.code) { try bench.verify(possible) }
        }
    }

    @Test(.rule("T-146", "T-182"), arguments: TokenFault.allCases)
    func `every check reports once and in order, and none passes after the one that failed`(fault: TokenFault) {
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
    func `of a good token every check passes`() throws {
        var reports: [CheckReport] = []
        try bench.verify([]) { reports.append($0) }
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.allSatisfy { $0.outcome == .pass && !$0.detail.isEmpty })
    }

    @Test(.rule("T-146"))
    func `a check the policy does not ask for is skipped and says so`() throws {
        let plain = try Bench()
        var reports: [CheckReport] = []
        let text = plain.issuer.token()
        _ = try plain.verifier.verify(text, nonce: .notChecked(because: "a test"), with: plain.keys) {
            reports.append($0)
        }
        #expect(reports.map(\.check) == Check.inOrder)
        #expect(reports.filter { $0.outcome == .skipped }.map(\.check) == [.age, .nonce])
    }

    @Test(.rule("T-020"))
    func `the algorithm is judged before a key is looked for`() async throws {
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
    func `of a token that is not for us no key is looked for and no signature tried`(fault: TokenFault) async throws {
        let keys = SpyKeySource(bench.bench.keys)
        let verifier = TokenVerifier(policy: bench.bench.policy, keys: keys, clock: bench.bench.issuer.clock)
        var reports: [CheckReport] = []
        await expectRefused(fault.found.code) { () async throws(VerificationError) in
            try await verifier.verify(bench.token([fault, .signature]), nonce: bench.nonce([])) { reports.append($0) }
        }
        #expect(keys.calls.isEmpty)
        #expect(reports.first { $0.check == .key }?.outcome == .skipped)
        #expect(reports.first { $0.check == .signature }?.outcome == .skipped)
    }

    @Test(.rule("T-146"), arguments: [TokenFault.expiry, .notBefore, .issuedAt, .age, .subject, .nonce])
    func `what a token says of a person or a time is judged only if its signature is valid`(fault: TokenFault) {
        expectRefusal(fault.found.code) { try bench.verify([fault]) }
        expectRefusal(.signature) { try bench.verify([fault, .signature]) }
    }
}
