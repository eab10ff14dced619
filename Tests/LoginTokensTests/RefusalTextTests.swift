// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Texts about a token are helpful, contain no secrets, and cannot break a log.
@Suite struct RefusalTextTests {
    private let bench: FaultBench

    init() throws {
        bench = try FaultBench()
    }

    /// Returns every text that can be printed about an error.
    private func texts(of refusal: TokenRefusal) -> [String] {
        let error = VerificationError.refused(refusal)
        return [
            refusal.publicMessage, refusal.description, "\(refusal)", String(reflecting: refusal), dumped(refusal),
            error.publicMessage, error.description, String(reflecting: error), dumped(error),
        ]
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    /// Returns all substrings of 16 bytes, so that no significant part of a secret is missed.
    private func pieces(of text: String) -> Set<String> {
        let bytes = Array(text.utf8)
        guard bytes.count >= 16 else { return [] }
        return Set((0...bytes.count - 16).map { String(decoding: bytes[$0..<$0 + 16], as: UTF8.self) })
    }

    /// Returns the values that no text may contain: the token, nonces, accompanying credentials, the user, and the key.
    private func secrets(of token: String) throws -> [(value: String, pieces: Set<String>)] {
        let key = TestKey.shared.json
        let modulus = try #require(key["n"]?.text.dropFirst().dropLast())
        let hidden = [FaultBench.nonce, FaultBench.otherNonce, FaultBench.accessToken, FaultBench.code]
        let values =
            hidden + hidden.map { hexadecimal(Digest.sha256.hash($0.utf8)) } + hidden.map(FaultBench.hash)
            + [FaultBench.email, "1000000000000001", token, String(modulus)]
        return values.map { ($0, pieces(of: $0)) }
    }

    /// Returns the first secret of which a text contains a piece.
    private func first(of secrets: [(value: String, pieces: Set<String>)], in text: String) -> String? {
        let shown = pieces(of: text)
        return secrets.first { !$0.pieces.isDisjoint(with: shown) }?.value
    }

    @Test(.rule("T-147"), arguments: TokenFault.allCases)
    func `no text about a refusal shows the token, the nonce, the subject or the key`(fault: TokenFault) throws {
        let token = bench.token([fault])
        var reports: [CheckReport] = []
        let refusal = expectRefusal(fault.found.code) {
            try bench.verify(text: token, nonce: bench.nonce([fault])) { reports.append($0) }
        }
        let shown = texts(of: try #require(refusal)) + reports.flatMap { [$0.detail, dumped($0)] }
        let secrets = try secrets(of: token)
        for text in shown { #expect(first(of: secrets, in: text) == nil, "\(text)") }
    }

    @Test(.rule("T-147"))
    func `the search for secrets in texts finds them`() throws {
        let token = bench.token([])
        let secrets = try secrets(of: token)
        #expect(first(of: secrets, in: "x\(FaultBench.email)x") == FaultBench.email)
        #expect(first(of: secrets, in: "token: \(token.suffix(20))") == token)
        #expect(first(of: secrets, in: "nothing to see here") == nil)
    }

    @Test(.rule("T-147"))
    func `no text about a verified token shows more than its issuer and audience`() throws {
        let text = bench.token([])
        var reports: [CheckReport] = []
        let token = try bench.verify(text: text, nonce: bench.nonce([])) { reports.append($0) }
        let unverified = try UnverifiedToken(inspecting: text)
        let email = try #require(token.claims["email"])
        var shown = reports.flatMap { [$0.detail, dumped($0)] }
        for value in [token, token.claims, token.jws, token.jws.header, unverified, try CompactJWS(text), email]
            as [Any]
        {
            shown += ["\(value)", String(reflecting: value), dumped(value)]
        }
        shown += [dumped(bench.bench.keys), dumped(bench.bench.verifier)]
        let secrets = try secrets(of: text)
        for line in shown { #expect(first(of: secrets, in: line) == nil, "\(line)") }
        #expect(token.description == "ID token of \"https://www.facebook.com\" for \"1234567890\", verified")
    }

    @Test(.rule("T-147"))
    func `an expectation of a nonce does not show the nonce`() {
        for nonce in [NonceExpectation.exactly(FaultBench.nonce), .sha256(of: FaultBench.nonce)] {
            for text in ["\(nonce)", String(reflecting: nonce), dumped(nonce)] {
                #expect(!text.contains(FaultBench.nonce))
            }
        }
    }

    @Test(.rule("T-147"))
    func `an expectation of a hash does not show the hashed value`() {
        let shown: [(HashExpectation, String)] = [
            (.required(FaultBench.accessToken), "hash required"),
            (.ifPresent(FaultBench.accessToken), "hash compared if present"),
        ]
        for (expectation, description) in shown {
            #expect(expectation.description == description && expectation.debugDescription == description)
            for text in ["\(expectation)", String(reflecting: expectation), dumped(expectation), dumped([expectation])]
            {
                #expect(!text.contains("access-token") && text.contains("hash"))
            }
        }
    }

    @Test(.rule("T-147"))
    func `no text about a policy or a verifier shows the expected subject`() throws {
        let policy = try TokenPolicy(provider: .facebook, audiences: ["client-1"], subject: "1000000000000001")
        let verifier = TokenVerifier(policy: policy, keys: bench.bench.keys)
        for text in ["\(policy)", String(reflecting: policy), dumped(policy), "\(verifier)", dumped(verifier)] {
            #expect(!text.contains("1000000000000001"))
        }
    }

    @Test(
        .rule("T-147"),
        arguments: [NonceExpectation.exactly(FaultBench.otherNonce), .sha256(of: FaultBench.otherNonce)]
    )
    func `a digest of a refused nonce is shown to the operator only`(expected: NonceExpectation) throws {
        let token = bench.token([])
        let refusal = expectRefusal(.nonce) { try bench.verify(text: token, nonce: expected) }
        let seen = hexadecimal(Digest.sha256.hash(FaultBench.nonce.utf8).prefix(4))
        #expect(refusal?.description.contains("sha256:\(seen)") == true)
        #expect(refusal?.publicMessage.contains("sha256:") == false)
        let secrets = try secrets(of: token)
        for text in texts(of: try #require(refusal)) { #expect(first(of: secrets, in: text) == nil) }
    }

    @Test(.rule("T-147"), arguments: TokenFault.allCases)
    func `the public message contains nothing of the configuration and nothing of the token`(fault: TokenFault) throws {
        let refusal = try #require(expectRefusal(fault.found.code) { try bench.verify([fault]) })
        let explanation = refusal.recognizedAs?.explanation ?? refusal.code.explanation
        #expect(refusal.publicMessage == "\(refusal.code.rawValue): \(explanation)")
        for value in Provider.facebook.issuers + [
            "1234567890", "RS256", TestKey.shared.keyID, "nobody", "somebody-else", FaultBench.acr,
            FaultBench.hostedDomain,
        ] {
            #expect(!refusal.publicMessage.contains(value))
        }
    }

    // MARK: Foreign text

    /// The places where a token can hold text that a refusal quotes.
    static let places: [(name: String, code: VerificationCode, put: @Sendable (inout TestToken, String) -> Void)] = [
        ("kid", .keyNotFound, { $0.header["kid"] = .string($1) }),
        ("typ", .tokenType, { $0.header["typ"] = .string($1) }),
        ("alg", .algorithm, { $0.header["alg"] = .string($1) }),
        ("crit", .criticalHeader, { $0.header["crit"] = .array(Array(repeating: .string($1), count: 9)) }),
        ("iss", .issuer, { $0.claims["iss"] = .string($1) }),
        ("aud", .audience, { $0.claims["aud"] = .string($1) }),
        ("aud, several", .audience, { $0.claims["aud"] = .array(Array(repeating: .string($1), count: 9)) }),
        ("aud, further", .audience, { $0.claims["aud"] = ["1234567890", .string($1)] }),
        ("azp", .authorizedParty, { $0.claims["azp"] = .string($1) }),
        ("acr", .acr, { $0.claims["acr"] = .string($1) }),
        ("hd", .hostedDomain, { $0.claims["hd"] = .string($1) }),
        ("token_use", .tokenType, { $0.claims["token_use"] = .string($1) }),
    ]

    @Test(.rule("T-085"), arguments: places.indices)
    func `quoted text has no control characters, line breaks or bidirectional controls`(place: Int) throws {
        let hostile =
            "evil\r\n\t\0\u{1B}[31m\u{7F}\u{85}\u{9B}\u{2028}\u{2029}\u{202E}\u{2066}\u{200B}\u{FEFF}\u{E9}\"\\"
        let (name, code, put) = Self.places[place]
        var reports: [CheckReport] = []
        let token = bench.token([]) { put(&$0, hostile) }
        let refusal = expectRefusal(code) {
            try bench.verify(text: token, nonce: bench.nonce([])) { reports.append($0) }
        }
        let description = try #require(refusal?.description)
        #expect(description.contains(#""evil\u{d}\u{a}\u{9}\u{0}\u{1b}[31m\u{7f}\u{85}"#), "\(name)")
        for text in [description, refusal?.publicMessage ?? ""] + reports.map(\.detail) {
            #expect(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }, "\(name): \(text)")
        }
    }

    @Test(.rule("T-085"), arguments: places.indices)
    func `long text is truncated visibly`(place: Int) throws {
        let (name, code, put) = Self.places[place]
        let most = Limits.quotedCharacters
        for (count, shown, cut) in [
            (most - 1, most - 1, false), (most, most, false), (most + 1, most, true), (250, most, true),
        ] {
            let refusal = expectRefusal(code) {
                try bench.verify(
                    text: bench.token([]) { put(&$0, String(repeating: "~", count: count)) },
                    nonce: bench.nonce([])
                )
            }
            let description = try #require(refusal?.description)
            #expect(
                description.contains(
                    "\"" + String(repeating: "~", count: shown) + (cut ? "...\" of \(count) characters" : "\"")
                ),
                "\(name)"
            )
            #expect(!description.contains(String(repeating: "~", count: most + 1)), "\(name)")
            #expect(description.utf8.count < 1000)
        }
    }

    @Test(.rule("T-085"))
    func `the longest text of a token makes a short message`() throws {
        let long = String(repeating: "\u{10FFFF}", count: 900)
        for (name, code, put) in Self.places where name != "kid" && !name.contains("several") && name != "crit" {
            let refusal = expectRefusal(code) {
                let count = name == "typ" || name == "alg" ? 700 : 900
                return try bench.verify(
                    text: bench.token([]) { put(&$0, String(long.unicodeScalars.prefix(count))) },
                    nonce: bench.nonce([])
                )
            }
            #expect(try #require(refusal).description.utf8.count < 1500, "\(name)")
        }
    }

    @Test(.rule("T-085"))
    func `the description of a malformed token states the position and quotes nothing`() throws {
        let broken: [(VerificationCode, String)] = [
            (.header, TestToken.compact(header: Array("{\"secret-header\":}".utf8), payload: Array("{}".utf8))),
            (
                .payload,
                TestToken.compact(
                    header: Array("{\"alg\":\"RS256\"}".utf8),
                    payload: Array("{\"a\":\"secret\n\"}".utf8)
                )
            ),
            (.segments, "secret-secret-secret"), (.segments, "secret-secret.secret"),
            (.encoding, "sécret.secret.secret"),
        ]
        for (code, text) in broken {
            let refusal = try #require(expectRefusal(code) { try bench.bench.verify(text: text) })
            for text in texts(of: refusal) { #expect(!text.contains("secret")) }
        }
    }
}
