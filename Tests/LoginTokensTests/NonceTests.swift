// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// OpenID Connect Core §3.1.3.7, step 11: a token belongs to one attempt to sign in.
@Suite struct NonceTests {
    private let bench: Bench
    private static let nonce = "n-0S6_WzA2Mj"
    private static let hash = hexadecimal(Digest.sha256.hash(nonce.utf8))

    init() throws {
        bench = try Bench()
    }

    @discardableResult
    private func verify(_ claim: TestJSON?, _ expected: NonceExpectation) throws -> VerifiedToken {
        try bench.verify(nonce: expected) { $0.claims["nonce"] = claim }
    }

    @Test(.rule("T-132"))
    func `the expected nonce is accepted`() throws {
        let token = try verify(.string(Self.nonce), .exactly(Self.nonce))
        #expect(token.nonceCheck == .exactly)
        #expect(token.claims.nonce == Self.nonce)
    }

    @Test(.rule("T-132"))
    func `a token without a nonce is refused if one is expected`() {
        for claim: TestJSON? in [nil, ""] {
            expectRefusal(.nonce) { try verify(claim, .exactly(Self.nonce)) }
            expectRefusal(.nonce) { try verify(claim, .sha256(of: Self.nonce)) }
        }
    }

    @Test(
        .rule("T-132", "T-135"),
        arguments: [
            "n-0s6_WzA2Mj", "N-0S6_WZA2MJ", "n-0S6_WzA2M", "n-0S6_WzA2Mjj", "-0S6_WzA2Mj", " n-0S6_WzA2Mj",
            "n-0S6_WzA2Mj\n", "n-0S6_WzA2Mj\0", "x",
        ]
    )
    func `another nonce is refused, however similar`(claim: String) {
        let refusal = expectRefusal(.nonce) { try verify(.string(claim), .exactly(Self.nonce)) }
        #expect(refusal?.member == "nonce")
        expectRefusal(.nonce) { try verify(.string(claim), .sha256(of: Self.nonce)) }
    }

    @Test(.rule("T-132", "T-290"))
    func `a nonce that may be absent is compared if it is there`() throws {
        #expect(try verify(.string(Self.nonce), .ifPresent(Self.nonce)).nonceCheck == .exactly)
        #expect(try verify(nil, .ifPresent(Self.nonce)).nonceCheck == .absent)
        for claim in ["n-0s6_WzA2Mj", "", Self.hash] {
            expectRefusal(.nonce) { try verify(.string(claim), .ifPresent(Self.nonce)) }
        }
        expectRefusal(.nonce) { try verify("", .ifPresent("")) }
    }

    @Test(.rule("T-135"))
    func `nonces that differ only in Unicode normalization are different`() throws {
        try verify("caf\u{E9}", .exactly("caf\u{E9}"))
        expectRefusal(.nonce) { try verify("cafe\u{301}", .exactly("caf\u{E9}")) }
    }

    @Test(
        .rule("T-132", "T-124"),
        arguments: [.null, 1, true, ["n-0S6_WzA2Mj"], ["nonce": "n-0S6_WzA2Mj"]] as [TestJSON]
    )
    func `a nonce that is not a string is refused under any expectation`(claim: TestJSON) {
        for expected in [.exactly(Self.nonce), .sha256(of: Self.nonce), .mustBeAbsent, .notChecked(because: "a test")]
            as [NonceExpectation]
        {
            expectRefusal(.claimType) { try verify(claim, expected) }
        }
    }

    @Test(.rule("T-133"))
    func `any nonce is refused if none is allowed`() throws {
        #expect(try verify(nil, .mustBeAbsent).nonceCheck == .absent)
        for claim in [Self.nonce, "", " "] {
            expectRefusal(.nonce) { try verify(.string(claim), .mustBeAbsent) }
        }
    }

    @Test(.rule("T-134"))
    func `an empty expected nonce matches nothing, not even an empty nonce`() {
        let hashOfNothing = TestJSON.string(hexadecimal(Digest.sha256.hash([])))
        for claim: TestJSON? in ["", nil, .string(Self.nonce), hashOfNothing] {
            expectRefusal(.nonce) { try verify(claim, .exactly("")) }
            expectRefusal(.nonce) { try verify(claim, .sha256(of: "")) }
        }
    }

    @Test(.rule("T-132"))
    func `the lower-case SHA-256 of the nonce is accepted if it is expected`() throws {
        #expect(try verify(.string(Self.hash), .sha256(of: Self.nonce)).nonceCheck == .sha256)
        expectRefusal(.nonce) { try verify(.string(Self.hash.uppercased()), .sha256(of: Self.nonce)) }
        expectRefusal(.nonce) { try verify(.string(String(Self.hash.dropLast())), .sha256(of: Self.nonce)) }
    }

    @Test(.rule("T-132"))
    func `the SHA-256 examples of FIPS 180 are reproduced`() throws {
        // FIPS 180-4, example "abc".
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        try verify(.string(hash), .sha256(of: "abc"))
    }

    @Test(.rule("T-132"))
    func `a refusal explains that a nonce was hashed or not hashed unexpectedly`() {
        let hashed = expectRefusal(.nonce) { try verify(.string(Self.hash), .exactly(Self.nonce)) }
        #expect(hashed?.description.contains("expect the hash") == true)
        let plain = expectRefusal(.nonce) { try verify(.string(Self.nonce), .sha256(of: Self.nonce)) }
        #expect(plain?.description.contains("expect it as it is") == true)
        let other = expectRefusal(.nonce) { try verify("x", .exactly(Self.nonce)) }
        #expect(other?.description.contains("expect .") == false)
    }

    @Test(.rule("T-132", "T-182"), arguments: [nil, "n-0S6_WzA2Mj", ""] as [String?])
    func `an unchecked nonce is reported as such, with the reason`(claim: String?) throws {
        let text = bench.issuer.token(nonce: claim)
        var reports: [CheckReport] = []
        let expected = NonceExpectation.notChecked(because: "the app is \"old\"\n")
        let token = try bench.verifier.verify(text, nonce: expected, with: bench.keys) { reports.append($0) }
        #expect(token.nonceCheck == .notChecked(because: "the app is \"old\"\n"))
        let report = reports.first { $0.check == .nonce }
        #expect(report?.outcome == .skipped)
        #expect(report?.detail == #"NOT CHECKED; reason: "the app is \u{22}old\u{22}\u{a}""#)
    }

    @Test(.rule("T-135"))
    func `the nonce is compared in full length`() {
        // The tests of `constantTimeEquals` in LoginCrypto cover the timing; this test shows that the comparison is
        // complete.
        for position in Self.nonce.indices {
            var other = Self.nonce
            other.replaceSubrange(position...position, with: "!")
            expectRefusal(.nonce) { try verify(.string(other), .exactly(Self.nonce)) }
        }
    }

    @Test
    func `a random nonce has 128 bits, is plain text, and is unique`() throws {
        let nonces = (0..<1000).map { _ in Nonce.random() }
        #expect(Set(nonces).count == 1000)
        for nonce in nonces {
            #expect(nonce.utf8.count == 22)
            #expect(Base64URL.decode(nonce.utf8)?.count == 16)
        }
        let issuer = TestIssuer()
        let bench = try Bench(issuer: issuer)
        try bench.verify(text: issuer.token(nonce: nonces[0]), nonce: .exactly(nonces[0]))
    }
}
