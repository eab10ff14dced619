// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// A fault of a request with a proof, for each check.
enum ProofFault: CaseIterable {
    case proof, size, segments, encoding, header, criticalHeader, tokenType, algorithm, payload
    case requiredClaims, claimTypes, httpMethod, httpURL, nonce, issuedAt, age, accessTokenHash
    case key, binding, signature, singleUse

    /// The check that finds the fault, and the code.
    var found: (check: Check, code: VerificationCode) {
        switch self {
        case .proof: (.proof, .proofMalformed)
        case .size: (.size, .proofMalformed)
        case .segments: (.segments, .proofMalformed)
        case .encoding: (.encoding, .proofMalformed)
        case .header: (.header, .proofMalformed)
        case .criticalHeader: (.criticalHeader, .proofMalformed)
        case .tokenType: (.tokenType, .proofType)
        case .algorithm: (.algorithm, .proofAlgorithm)
        case .payload: (.payload, .proofMalformed)
        case .requiredClaims: (.requiredClaims, .proofClaim)
        case .claimTypes: (.claimTypes, .proofClaim)
        case .httpMethod: (.httpMethod, .proofMethod)
        case .httpURL: (.httpURL, .proofURL)
        case .nonce: (.nonce, .proofNonce)
        case .issuedAt: (.issuedAt, .proofInFuture)
        case .age: (.age, .proofTooOld)
        case .accessTokenHash: (.accessTokenHash, .proofTokenHash)
        case .key: (.key, .proofKey)
        case .binding: (.binding, .proofBinding)
        case .signature: (.signature, .proofSignature)
        case .singleUse: (.singleUse, .proofReplayed)
        }
    }

    /// Changes a proof before it is signed.
    func change(_ proof: inout TestToken) {
        switch self {
        case .header: proof.header["zip"] = "DEF"
        case .criticalHeader: proof.header["crit"] = ["exp"]
        case .tokenType: proof.header["typ"] = "JWT"
        case .algorithm: proof.header["alg"] = "none"
        case .payload: proof.claims = .raw("[\(proof.claims.text)]")
        case .requiredClaims: proof.claims["htm"] = nil
        case .claimTypes: proof.claims["jti"] = ""
        case .httpMethod: proof.claims["htm"] = "POST"
        case .httpURL: proof.claims["htu"] = "https://other.example/"
        case .nonce: proof.claims["nonce"] = "another"
        case .issuedAt: proof.claims["iat"] = 1_760_001_000
        case .age: proof.claims["iat"] = 1_759_000_000
        case .accessTokenHash: proof.claims["ath"] = "another"
        case .key: proof.header["jwk"]?["d"] = "AAAA"
        case .binding: proof.header["jwk"] = TestProver(key: KeyFixture.p256).jwk
        case .signature: proof.signing = .bytes([UInt8](repeating: 1, count: 64))
        case .proof, .size, .segments, .encoding, .singleUse: break
        }
    }

    /// Changes the text of a proof.
    func changed(_ text: String) -> String {
        switch self {
        case .size: text + String(repeating: "A", count: Limits.tokenBytes)
        case .segments: String(text.prefix { $0 != "." })
        case .encoding: text + "="
        default: text
        }
    }
}

/// The order of the checks of a proof, which is part of the interface.
@Suite struct ProofOrderTests {
    private let bench = ProofBench()

    /// Verifies a proof with these faults; the nonce is checked only if its fault is among them.
    private func verify(_ faults: [ProofFault], explain: ((CheckReport) -> Void)? = nil) async throws(VerificationError)
    {
        var bench = bench
        if faults.contains(.nonce), let nonces = try? DPoPNonces(secret: [UInt8](repeating: 7, count: 32)),
            let policy = try? DPoPPolicy(nonces: nonces)
        {
            bench.policy = policy
        }
        if faults.contains(.singleUse) { bench.ledger = StubLedger(.replayed) }
        // The change of the payload comes last, because it removes the members.
        let ordered = faults.filter { $0 != .payload } + faults.filter { $0 == .payload }
        var text = bench.proof { proof in ordered.forEach { $0.change(&proof) } }
        for fault in faults { text = fault.changed(text) }
        if faults.contains(.proof) {
            try await bench.verify(text, text, explain: explain)
        } else {
            try await bench.verify(text, explain: explain)
        }
    }

    /// Pairs of faults of one proof: not two changes of the same member, nor the time when the nonce is checked.
    static let pairs: [(ProofFault, ProofFault)] = ProofFault.allCases.indices.flatMap { first in
        ProofFault.allCases[(first + 1)...].map { (ProofFault.allCases[first], $0) }
    }.filter { first, second in
        let excluded: [Set<ProofFault>] = [
            [.requiredClaims, .httpMethod], [.issuedAt, .age], [.nonce, .issuedAt], [.nonce, .age], [.key, .binding],
        ]
        return !excluded.contains([first, second])
    }

    @Test(.rule("T-198"))
    func `each check of a proof has a test fault, in the order of the checks`() async throws {
        #expect(ProofFault.allCases.map(\.found.check) == Check.inProofOrder)
        try await verify([])
    }

    @Test(.rule("T-198"), arguments: pairs)
    func `a proof with two faults is refused by the earlier check`(first: ProofFault, second: ProofFault) async {
        await expectRefused(first.found.code) { () async throws(VerificationError) in
            try await verify([first, second])
        }
    }

    @Test(.rule("T-198"), arguments: ProofFault.allCases)
    func `each check of a proof is reported once in order, and none passes after a failed one`(
        fault: ProofFault
    ) async {
        var reports: [CheckReport] = []
        await expectRefused(fault.found.code) { () async throws(VerificationError) in
            try await verify([fault]) { reports.append($0) }
        }
        #expect(reports.map(\.check) == Check.inProofOrder)
        #expect(reports.filter { $0.outcome == .fail }.map(\.check) == [fault.found.check])
        let after = reports.drop { $0.outcome != .fail }.dropFirst()
        #expect(after.allSatisfy { $0.outcome == .skipped && $0.detail == "not reached" })
    }

    @Test(.rule("T-198"))
    func `the reports of a verified proof state what was checked`() async throws {
        var details: [Check: String] = [:]
        try await verify([]) { details[$0.check] = $0.detail }
        #expect(details[.proof] == "one" && details[.algorithm] == "ES256" && details[.httpMethod] == "\"GET\"")
        #expect(details[.httpURL] == "\"https://api.example/v1/me\"" && details[.nonce] == "not required")
        #expect(details[.age] == "at most 60 s" && details[.accessTokenHash] == "ath matches")
        #expect(details[.binding] == "bound to a key" && details[.signature] == "valid")
    }

    @Test(.rule("T-198"))
    func `all checks but the binding are skipped for a request without a proof`() async throws {
        var bench = bench
        bench.confirmation = .unbound
        var reports: [CheckReport] = []
        try await bench.verify { reports.append($0) }
        #expect(reports.map(\.check) == Check.inProofOrder)
        #expect(reports.filter { $0.outcome == .pass }.map(\.check) == [.binding])

        reports = []
        bench.confirmation = self.bench.confirmation
        await expectRefused(.proofRequired) { () async throws(VerificationError) in
            try await bench.verify { reports.append($0) }
        }
        #expect(reports.filter { $0.outcome == .fail }.map(\.check) == [.binding])
    }

    @Test(.rule("T-198"), arguments: ProofFault.allCases.filter { $0 != .singleUse })
    func `a refused proof is not recorded`(fault: ProofFault) async {
        let ledger = StubLedger(.first)
        var bench = bench
        bench.ledger = ledger
        guard fault != .nonce, fault != .proof else { return }
        let text = fault.changed(bench.proof { fault.change(&$0) })
        await expectRefused(fault.found.code) { () async throws(VerificationError) in try await bench.verify(text) }
        #expect(ledger.uses == 0)
    }
}
