// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// OpenID Connect Core §2: the subject.
@Suite struct SubjectTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(.rule("T-110"))
    func `a token without a subject is refused`() {
        let refusal = expectRefusal(.missingClaim) { try bench.verify { $0.claims["sub"] = nil } }
        #expect(refusal?.member == "sub")
    }

    @Test(.rule("T-110"))
    func `an empty subject is refused and one of a single character is accepted`() throws {
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = "" } }
        #expect(try bench.verify { $0.claims["sub"] = "0" }.subject == "0")
    }

    @Test(.rule("T-110"), arguments: [1_000_000_000_000_001, true, ["1"], ["id": "1"]] as [TestJSON])
    func `a subject that is not a string is refused`(subject: TestJSON) {
        expectRefusal(.claimType) { try bench.verify { $0.claims["sub"] = subject } }
    }

    @Test(.rule("T-111"))
    func `a subject has at most 255 characters`() throws {
        let longest = String(repeating: "s", count: 255)
        #expect(try bench.verify { $0.claims["sub"] = .string(longest) }.subject == longest)
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = .string(longest + "s") } }
    }

    @Test(.rule("T-111"), arguments: ["\u{E9}", "e\u{301}", "\u{80}", "\u{FF11}", "1\u{200B}", "\u{1F600}"])
    func `a subject that is not ASCII is refused`(subject: String) {
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = .string(subject) } }
    }

    @Test(.rule("T-111"), arguments: ["\u{7F}", "a b", "a\0b", "\u{1}", "~!@#$%^&*()", "a\nb"])
    func `any ASCII text is accepted as the subject and returned unchanged`(subject: String) throws {
        #expect(try bench.verify { $0.claims["sub"] = .string(subject) }.subject == subject)
    }

    @Test(.rule("T-112"), arguments: ["abc", "ab", "abcde", "abcD", "", " abcd", "abcd\0"])
    func `a subject other than the expected one is refused`(subject: String) throws {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], subject: "abcd")
        let bench = try Bench(issuer: issuer, policy: policy)
        try bench.verify { $0.claims["sub"] = "abcd" }
        expectRefusal(.subject) { try bench.verify { $0.claims["sub"] = .string(subject) } }
    }
}
