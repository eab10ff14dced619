// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
import LoginText
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// A known header is not parsed again, and the verdict on the token is the same.
@Suite struct KnownHeaderTests {
    private let bench: Bench
    private let good: String

    init() throws {
        bench = try Bench()
        good = bench.issuer.token()
    }

    /// Runs the checks before the signature, and returns whether the header was known; throws the refusal.
    private func isKnown(
        _ text: String,
        by known: KnownHeaders,
        policy: TokenPolicy? = nil
    ) throws(TokenRefusal) -> Bool {
        var log = CheckLog(observer: nil)
        let expectations = Expectations(nonce: .mustBeAbsent)
        return try (policy ?? bench.policy)
            .candidate(text, expectations: expectations, knownHeaders: known, log: &log).jws.hasKnownHeader
    }

    private func compact(header: String) -> String {
        let payload = good.split(separator: ".")[1]
        return TestToken.compact(
            header: Array(header.utf8),
            payload: Base64URL.decode(payload.utf8) ?? [],
            key: bench.issuer.key
        )
    }

    // MARK: What is remembered

    @Test(.rule("T-032", "T-068"))
    func `a header is remembered only after a signature over it was valid`() throws {
        let verifier = bench.verifier
        let known = try #require(Mirror(reflecting: verifier).descendant("pipeline", "knownHeaders") as? KnownHeaders)
        let forged = bench.issuer.token { $0.signing = .key(.another) }
        expectRefusal(.signature) { try verifier.verify(forged, nonce: .mustBeAbsent, with: bench.keys) }
        #expect(try !isKnown(good, by: known))
        // The token has expired, but its signature is valid, which proves that the header is the issuer's.
        let old = bench.issuer.token { $0.claims["exp"] = 1 }
        expectRefusal(.expired) { try verifier.verify(old, nonce: .mustBeAbsent, with: bench.keys) }
        #expect(try isKnown(good, by: known))
        expectRefusal(.signature) { try verifier.verify(forged, nonce: .mustBeAbsent, with: bench.keys) }
    }

    @Test(.rule("T-032"))
    func `the last four headers are remembered`() throws {
        let known = KnownHeaders()
        let tokens = (0..<6).map { number in bench.issuer.token { $0.header["n"] = .number(String(number)) } }
        for text in tokens { known.remember(try CompactJWS(text)) }
        #expect(try tokens.map { text in try isKnown(text, by: known) } == [false, false, true, true, true, true])
    }

    @Test(.rule("T-004"))
    func `a remembered header is matched by all its bytes`() throws {
        let known = KnownHeaders()
        let header = #"{"alg":"RS256","kid":"\#(bench.issuer.key.keyID)","x":0}"#
        known.remember(try CompactJWS(compact(header: header)))
        #expect(try isKnown(compact(header: header), by: known))
        for other in [
            " \(header)", "\(header) ", header.replacing(":0", with: ":1"), header.replacing(",\"x\":0", with: ""),
        ] {
            #expect(try !isKnown(compact(header: other), by: known))
        }
        // A non-canonical encoding of the same bytes is not a known header.
        let text = compact(header: header + " ")
        let end = try #require(text.firstIndex(of: "."))
        let respelled = "\(text[..<text.index(before: end)])h\(text[end...])"
        known.remember(try CompactJWS(text))
        #expect(text[..<end].utf8.count % 4 != 0)
        expectRefusal(.encoding) { try isKnown(respelled, by: known) }
    }

    // MARK: What is checked all the same

    @Test(.rule("T-068"))
    func `repeated verifications of a token have equal results and reports`() throws {
        let verifier = bench.verifier
        var reports: [[CheckReport]] = []
        var results: [String] = []
        for _ in 0..<3 {
            var report: [CheckReport] = []
            let token = try verifier.verify(good, nonce: .mustBeAbsent, with: bench.keys) { report.append($0) }
            reports.append(report)
            let header = token.jws.header
            results.append("\(token.subject) \(token.issuer) \(header.algorithm ?? "") \(header.names)")
        }
        #expect(reports[0].map(\.check) == Check.inOrder && Set(reports).count == 1)
        #expect(Set(results).count == 1)
    }

    @Test(.rule("T-032", "T-071"), arguments: TokenFault.allCases)
    func `faults are found with a remembered header as with a new one`(fault: TokenFault) throws {
        let bench = try FaultBench()
        func report(after warm: [String]) -> [CheckReport] {
            let verifier = bench.bench.verifier
            var report: [CheckReport] = []
            for text in warm + [bench.token([fault])] {
                report = []
                _ = try? verifier.verify(
                    text,
                    nonce: bench.nonce([fault]),
                    accessToken: .required(FaultBench.accessToken),
                    code: .required(FaultBench.code),
                    with: bench.bench.keys
                ) { report.append($0) }
            }
            return report
        }
        let new = report(after: [])
        #expect(new.contains { $0.outcome == .fail && $0.check == fault.found.check })
        #expect(report(after: [bench.token([]), bench.token([fault])]) == new)
    }

    /// Known headers do not override the policy of the verification.
    @Test(.rule("T-032"))
    func `a remembered header is checked against each policy`() throws {
        let known = KnownHeaders()
        let text = bench.issuer.token { $0.header["typ"] = nil }
        known.remember(try CompactJWS(text))
        #expect(try isKnown(text, by: known))
        let strict = try TokenPolicy(
            provider: bench.issuer.provider,
            audiences: [bench.issuer.audience],
            algorithms: [.es256]
        )
        expectRefusal(.algorithm) { try isKnown(text, by: known, policy: strict) }
        let typed = try TokenPolicy(
            provider: bench.issuer.provider,
            audiences: [bench.issuer.audience],
            requiresType: true
        )
        expectRefusal(.tokenType) { try isKnown(text, by: known, policy: typed) }
    }

    @Test(
        .rule("T-032"),
        arguments: [
            (#"{"alg":"RS256","typ":"at+jwt"}"#, VerificationCode.tokenType),
            (#"{"alg":"RS256","cty":"JWT"}"#, .tokenType),
            (#"{"alg":"none"}"#, .algorithm), (#"{"alg":"HS256"}"#, .algorithm), (#"{"typ":"JWT"}"#, .algorithm),
            (#"{"alg":"RS256","kid":7}"#, .keyID), (#"{"alg":"RS256","kid":""}"#, .keyID),
        ]
    )
    func `a remembered header can still be refused`(header: String, code: VerificationCode) throws {
        let text = compact(header: header)
        let known = KnownHeaders()
        expectRefusal(code) { try isKnown(text, by: known) }
        known.remember(try CompactJWS(text))
        expectRefusal(code) { try isKnown(text, by: known) }
    }

    /// These headers are refused while they are parsed, so they never become known.
    @Test(
        .rule("T-032"),
        arguments: [#""crit":["exp"]"#, #""crit":[]"#, #""b64":false"#, #""b64":false,"crit":["b64"]"#]
    )
    func `a header with a critical extension is refused after other headers were remembered`(member: String) throws {
        let verifier = bench.verifier
        for _ in 0..<2 { _ = try verifier.verify(good, nonce: .mustBeAbsent, with: bench.keys) }
        let text = compact(header: #"{"alg":"RS256","kid":"\#(bench.issuer.key.keyID)",\#(member)}"#)
        for _ in 0..<2 {
            expectRefusal(.criticalHeader) { try verifier.verify(text, nonce: .mustBeAbsent, with: bench.keys) }
            expectRefusal(.criticalHeader) { try CompactJWS(text) }
        }
        _ = try verifier.verify(good, nonce: .mustBeAbsent, with: bench.keys)
    }
}
