// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// OpenID Connect Core §3.1.3.6, §3.2.2.9, §3.3.2.10 and §3.3.2.11: `at_hash` and `c_hash` bind a token or a code.
@Suite struct TokenHashTests {
    /// The two claims, which differ only in the value they are a hash of.
    enum HashClaim: String, CaseIterable, Sendable {
        case accessToken = "at_hash"
        case code = "c_hash"

        var refusal: VerificationCode { self == .accessToken ? .accessTokenHash : .codeHash }
        var check: Check { self == .accessToken ? .accessTokenHash : .codeHash }
        var other: HashClaim { self == .accessToken ? .code : .accessToken }
    }

    /// The access token of the examples of OpenID Connect Core, A.3 and A.6, and the left half of each digest.
    ///
    /// The first half is in the specification; the others were computed with Python's hashlib.
    private static let value = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
    private static let halves: [Digest: String] = [
        .sha256: "77QmUPtjPfzWtF2AnpK9RQ", .sha384: "jtAeDp945y1dDqU3nkIVGNZP1HjH_MFs",
        .sha512: "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM",
    ]
    private static let half = "77QmUPtjPfzWtF2AnpK9RQ"

    private static let keys: [TestKey] =
        [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512].map(TestKey.shared.using)
        + [.es256, .es384, .es512, .edDSA, .ed25519].map { TestKey($0) }

    private static let digests: [SignatureAlgorithm: Digest] = [
        .rs256: .sha256, .rs384: .sha384, .rs512: .sha512, .ps256: .sha256, .ps384: .sha384, .ps512: .sha512,
        .es256: .sha256, .es384: .sha384, .es512: .sha512, .edDSA: .sha512, .ed25519: .sha512,
    ]

    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    /// Verifies a token whose claim is `hash` against an expectation.
    @discardableResult
    private func verify(
        _ claim: HashClaim,
        _ hash: TestJSON?,
        _ expected: HashExpectation?,
        bench: Bench? = nil
    ) throws -> VerifiedToken {
        try (bench ?? self.bench).verify(
            accessToken: claim == .accessToken ? expected : nil,
            code: claim == .code ? expected : nil
        ) { $0.claims[claim.rawValue] = hash }
    }

    // MARK: Accepted

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases, SignatureAlgorithm.allCases)
    func `the hash is computed with the digest of the token's algorithm only`(
        claim: HashClaim,
        algorithm: SignatureAlgorithm
    ) throws {
        let key = try #require(Self.keys.first { $0.algorithm == algorithm })
        let bench = try Bench(issuer: TestIssuer(key: key))
        for (digest, half) in Self.halves {
            for expected in [HashExpectation.required(Self.value), .ifPresent(Self.value)] {
                if digest == Self.digests[algorithm] {
                    try verify(claim, .string(half), expected, bench: bench)
                } else {
                    expectRefusal(claim.refusal) { try verify(claim, .string(half), expected, bench: bench) }
                }
            }
        }
    }

    @Test(.rule("T-136", "T-137"))
    func `the examples of the standard are reproduced`() throws {
        // OpenID Connect Core A.3 and A.6, A.4 and A.6.
        let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
        try bench.verify(accessToken: .required(Self.value), code: .required(code)) {
            $0.claims["at_hash"] = "77QmUPtjPfzWtF2AnpK9RQ"
            $0.claims["c_hash"] = "LDktKdoQak3Pk0cnXxCltA"
        }
    }

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `a hash with JSON escapes is accepted`(claim: HashClaim) throws {
        try verify(claim, .raw(#""\u00377QmUPtjPfzWtF2AnpK9RQ""#), .required(Self.value))
    }

    // MARK: Refused

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `a missing hash is refused only if it is required`(claim: HashClaim) throws {
        let refusal = expectRefusal(claim.refusal) { try verify(claim, nil, .required(Self.value)) }
        #expect(refusal?.member == claim.rawValue)
        try verify(claim, nil, .ifPresent(Self.value))
    }

    static let wrongHashes = [
        // The hashes of another value and of the empty string, and an empty hash.
        "LDktKdoQak3Pk0cnXxCltA", "47DEQpj8HBSa-_TImW-5JA", "",
        // In other cases, truncated, extended.
        "77qmuptjpfzwtf2anpk9rq", "77QMUPTJPFZWTF2ANPK9RQ", "77qMupTJpFZwTf2aNPk9rq", "77QmUPtjPfzWtF2AnpK9R",
        "77QmUPtjPfzWtF2AnpK9", "77QmUPtjPfzWtF2AnpK9RQA", "77QmUPtjPfzWtF2AnpK9RQ\0", " 77QmUPtjPfzWtF2AnpK9RQ",
        "77QmUPtjPfzWtF2AnpK9RQ\n",
        // With padding, with other unused bits, in hexadecimal.
        "77QmUPtjPfzWtF2AnpK9RQ==", "77QmUPtjPfzWtF2AnpK9RQ=", "77QmUPtjPfzWtF2AnpK9RR",
        "efb42650fb633dfcd6b45d809e92bd45",
        // The whole digest, its right half, and the value itself.
        "77QmUPtjPfzWtF2AnpK9RWpXrWlrecdbLUyJDIb7S6Q", "aletaWt5x1stTIkMhvtLpA", value,
    ]

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases, wrongHashes)
    func `any other hash, or another encoding of the hash, is refused`(claim: HashClaim, hash: String) {
        for expected in [HashExpectation.required(Self.value), .ifPresent(Self.value)] {
            let refusal = expectRefusal(claim.refusal) { try verify(claim, .string(hash), expected) }
            #expect(refusal?.member == claim.rawValue)
        }
    }

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `the hash is encoded as base64url, not as base64`(claim: HashClaim) throws {
        // A hash with the two characters in which the alphabets differ; computed with Python's hashlib.
        let value = "token-102846"
        let hash = "-__17ftdphdcAbQtFvFz1g"
        try verify(claim, .string(hash), .required(value))
        let plain = hash.replacing("-", with: "+").replacing("_", with: "/")
        expectRefusal(claim.refusal) { try verify(claim, .string(plain), .required(value)) }
    }

    @Test(
        .rule("T-136", "T-137"),
        arguments: HashClaim.allCases,
        [.null, 1, true, [], [.string(half)], ["hash": .string(half)]] as [TestJSON]
    )
    func `a hash that is not a string is refused, and does not count as absent`(claim: HashClaim, hash: TestJSON) {
        for expected in [HashExpectation.required(Self.value), .ifPresent(Self.value)] {
            expectRefusal(claim.refusal) { try verify(claim, hash, expected) }
        }
    }

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `no hash matches an empty value`(claim: HashClaim) throws {
        let hashOfNothing = TestJSON.string(Base64URL.encode(Digest.sha256.hash([]).prefix(16)))
        for hash: TestJSON in [hashOfNothing, "", .string(Self.half)] {
            expectRefusal(claim.refusal) { try verify(claim, hash, .required("")) }
            expectRefusal(claim.refusal) { try verify(claim, hash, .ifPresent("")) }
        }
        for expected in [HashExpectation.required(""), .ifPresent("")] {
            let refusal = expectRefusal(claim.refusal) { try verify(claim, nil, expected) }
            #expect(refusal?.description.contains("is empty") == true)
        }
        try verify(claim, nil, .ifPresent(Self.value))
    }

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `the hash covers the bytes, so values that differ in Unicode normalization have different hashes`(
        claim: HashClaim
    ) throws {
        let hash = TestJSON.string(Base64URL.encode(Digest.sha256.hash([0xC3, 0xA9]).prefix(16)))
        try verify(claim, hash, .required("\u{E9}"))
        expectRefusal(claim.refusal) { try verify(claim, hash, .required("e\u{301}")) }
    }

    // MARK: Expectations

    @Test(
        .rule("T-136", "T-137"),
        arguments: HashClaim.allCases,
        ["wrong", "", .null, 1, true, [], ["hash": 1]] as [TestJSON]
    )
    func `the hash claim is ignored if no value is given to compare`(claim: HashClaim, hash: TestJSON) throws {
        try verify(claim, hash, nil)
    }

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `the hash of the access token is not accepted for the code, nor the reverse`(claim: HashClaim) throws {
        let hash = TestJSON.string(Self.half)
        expectRefusal(claim.refusal) {
            try bench.verify(
                accessToken: claim == .accessToken ? .required(Self.value) : nil,
                code: claim == .code ? .required(Self.value) : nil
            ) { $0.claims[claim.other.rawValue] = hash }
        }
        // A wrong hash is ignored where only the other claim is checked.
        try bench.verify(
            accessToken: claim == .accessToken ? .required(Self.value) : nil,
            code: claim == .code ? .required(Self.value) : nil
        ) {
            $0.claims[claim.rawValue] = hash
            $0.claims[claim.other.rawValue] = "wrong"
        }
    }

    @Test(.rule("T-136", "T-137", "T-182"), arguments: HashClaim.allCases)
    func `the report states whether a hash was compared`(claim: HashClaim) throws {
        for (hash, expected, outcome, detail) in [
            (.string(Self.half), .ifPresent(Self.value), .pass, "\(claim.rawValue) matches"),
            (nil, .ifPresent(Self.value), .pass, "\(claim.rawValue) is absent, and optional"),
            (.string(Self.half), nil, .skipped, "no value to compare with"),
        ] as [(TestJSON?, HashExpectation?, CheckReport.Outcome, String)] {
            let text = bench.issuer.token { $0.claims[claim.rawValue] = hash }
            var reports: [CheckReport] = []
            _ = try bench.verifier.verify(
                text,
                nonce: .mustBeAbsent,
                accessToken: claim == .accessToken ? expected : nil,
                code: claim == .code ? expected : nil,
                with: bench.keys
            ) { reports.append($0) }
            #expect(reports.contains(CheckReport(check: claim.check, outcome: outcome, detail: detail)))
        }
    }

    @Test(.rule("T-136", "T-137"), arguments: HashClaim.allCases)
    func `each verification method compares the hash`(claim: HashClaim) async throws {
        let text = bench.issuer.token(nonce: "n-1") { $0.claims[claim.rawValue] = .string(Self.half) }
        let verifier = bench.verifier
        for (value, code) in [(Self.value, nil), ("another", claim.refusal)] {
            let accessToken: HashExpectation? = claim == .accessToken ? .required(value) : nil
            let authorizationCode: HashExpectation? = claim == .code ? .required(value) : nil
            let store = SpyNonceStore(.consumed)
            guard let code else {
                _ = try await verifier.verify(
                    text,
                    nonce: .exactly("n-1"),
                    accessToken: accessToken,
                    code: authorizationCode
                )
                try await verifier.verify(text, askingOnce: store, accessToken: accessToken, code: authorizationCode)
                #expect(store.consumed.count == 1)
                continue
            }
            await expectRefused(code) { () async throws(VerificationError) in
                try await verifier.verify(
                    text,
                    nonce: .exactly("n-1"),
                    accessToken: accessToken,
                    code: authorizationCode
                )
            }
            await expectRefused(code) { () async throws(VerificationError) in
                try await verifier.verify(
                    text,
                    askingOnce: store,
                    accessToken: accessToken,
                    code: authorizationCode
                )
            }
            #expect(store.consumed.isEmpty)
        }
    }
}
