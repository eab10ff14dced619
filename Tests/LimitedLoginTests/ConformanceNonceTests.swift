// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The binding of a Limited Login token to one attempt to sign in.
@Suite struct ConformanceNonceTests {
    let bench: FacebookBench

    /// The output of `printf raw-value | sha256sum`.
    private static let hashOfRawValue = "615e15ed2361daed57bba6516779853263b12581fcb19c29fdabeae88321711c"

    init() throws {
        bench = try FacebookBench()
    }

    @Test(.rule("T-132", "T-135"), arguments: [nil, "", "attempt-2", "ATTEMPT-1", "attempt-", "attempt-1 "])
    func `nonce missing, "" or other is refused: nonce`(nonce: String?) {
        expectRefusal(.nonce) { try bench.verify { $0.claims["nonce"] = nonce.map { .string($0) } } }
    }

    @Test(.rule("T-132"), arguments: [1, .null, ["attempt-1"]] as [TestJSON])
    func `nonce that is not a string is refused: claim-type`(nonce: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["nonce"] = nonce } }
    }

    @Test(.rule("T-132"))
    func `nonce equal is accepted`() throws {
        let token = try bench.verify { $0.claims["nonce"] = "attempt-1" }
        #expect(token.claims.nonce == "attempt-1")
        #expect(token.verified.nonceCheck == .exactly)
    }

    @Test(.rule("T-134"), arguments: [nil, "", "attempt-1"])
    func `an empty expected nonce matches nothing: nonce`(nonce: String?) {
        let text = bench.issuer.token(nonce: nonce)
        expectRefusal(.nonce) { try bench.verify(text: text, nonce: .exactly("")) }
        expectRefusal(.nonce) { try bench.verify(text: text, nonce: .sha256(of: "")) }
    }

    @Test(.rule("T-132"))
    func `nonce claim = sha256hex(expected raw) is accepted in hashed mode`() throws {
        let token = try bench.verify(nonce: .sha256(of: "raw-value")) {
            $0.claims["nonce"] = .string(Self.hashOfRawValue)
        }
        #expect(token.verified.nonceCheck == .sha256)
    }

    @Test(.rule("T-132"))
    func `nonce claim = sha256hex(expected raw) is refused in any other mode: nonce`() {
        let text = bench.issuer.token(nonce: Self.hashOfRawValue)
        expectRefusal(.nonce) { try bench.verify(text: text, nonce: .exactly("raw-value")) }
        expectRefusal(.nonce) { try bench.verify(text: text, nonce: .mustBeAbsent) }
    }

    @Test(.rule("T-132", "T-135"))
    func `nonce claim that is not the hash in lower case is refused in hashed mode: nonce`() {
        for nonce in ["raw-value", Self.hashOfRawValue.uppercased(), String(Self.hashOfRawValue.prefix(40))] {
            let text = bench.issuer.token(nonce: nonce)
            expectRefusal(.nonce) { try bench.verify(text: text, nonce: .sha256(of: "raw-value")) }
        }
    }

    /// The most common mistake, both ways: the refusal names the convention that the app follows.
    @Test(.rule("T-132"))
    func `a refusal states whether the app used the other nonce convention`() {
        let hashed = expectRefusal(.nonce) {
            try bench.verify(text: bench.issuer.token(nonce: Self.hashOfRawValue), nonce: .exactly("raw-value"))
        }
        #expect(hashed?.description.contains("expect the hash") == true)
        let raw = expectRefusal(.nonce) {
            try bench.verify(text: bench.issuer.token(nonce: "raw-value"), nonce: .sha256(of: "raw-value"))
        }
        #expect(raw?.description.contains("expect it as it is") == true)
    }

    @Test(.rule("T-133"))
    func `nonce present is refused if none is allowed: nonce`() throws {
        expectRefusal(.nonce) { try bench.verify(nonce: .mustBeAbsent) }
        let token = try bench.verify(nonce: .mustBeAbsent) { $0.claims["nonce"] = nil }
        #expect(token.claims.nonce == nil)
    }

    @Test(.rule("T-132"))
    func `nonce not checked: the token has the reason`() throws {
        let token = try bench.verify(nonce: .notChecked(because: "a test"))
        #expect(token.verified.nonceCheck == .notChecked(because: "a test"))
    }

    /// Single use of a nonce is the task of its issuer: a verifier has no memory.
    @Test(.rule("T-032"))
    func `same token is accepted twice without a nonce store`() throws {
        let text = bench.token()
        let first = try bench.verify(text: text)
        let second = try bench.verify(text: text)
        #expect(first.claims.jti == second.claims.jti)
    }
}
