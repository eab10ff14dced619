// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// One violation of each rule about tokens, and the code of its refusal.
///
/// The tests of each rule have more cases; this table is what clients may rely on.
@Suite struct RuleCodeTests {
    /// A violation of a rule.
    enum Breach: Sendable {
        /// Changes the token before it is signed.
        case token(@Sendable (inout TestToken) -> Void)
        /// Changes the text of the signed token.
        case text(@Sendable (String) -> String)
        /// Changes the published key.
        case key(@Sendable (inout TestJSON) -> Void)
        /// Expects another nonce.
        case nonce(NonceExpectation)
        /// Expects hashes of an access token or a code.
        case hashes(accessToken: HashExpectation?, code: HashExpectation?)
        /// Changes the token that is being replaced.
        case original(@Sendable (inout TestToken) -> Void)
        /// Requires a claim of the provider's tokens, and sets it to a value.
        case requiring(String, TestJSON)
        /// Uses another policy.
        case policy(@Sendable (TestIssuer) throws -> TokenPolicy)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let code: VerificationCode
        let breach: Breach

        var testDescription: String { "\(rule): \(code)" }
    }

    private static func claim(_ rule: String, _ code: VerificationCode, _ name: String, _ value: TestJSON?) -> Row {
        Row(rule: rule, code: code, breach: .token { $0.claims[name] = value })
    }

    private static func header(_ rule: String, _ code: VerificationCode, _ name: String, _ value: TestJSON?) -> Row {
        Row(rule: rule, code: code, breach: .token { $0.header[name] = value })
    }

    private static func text(
        _ rule: String,
        _ code: VerificationCode,
        _ change: @escaping @Sendable (String) -> String
    ) -> Row {
        Row(rule: rule, code: code, breach: .text(change))
    }

    private static func key(_ rule: String, _ name: String, _ value: TestJSON?) -> Row {
        Row(rule: rule, code: .keyUnusable, breach: .key { $0[name] = value })
    }

    private static let form: [Row] = [
        text("T-001", .segments) { $0 + ".AAAA" },
        text("T-001", .encryptedToken) { $0 + ".AAAA.AAAA" },
        text("T-002", .segments) { "." + $0.split(separator: ".").dropFirst().joined(separator: ".") },
        text("T-003", .encoding) { $0 + "\n" },
        text("T-004", .segments) { "{\"payload\":\"\($0.prefix(9))\"}" },
        text("T-005", .encoding) { "Bearer " + $0 },
        text("T-006", .segments) { "{\"signatures\":[{\"signature\":\"\($0.suffix(9))\"}]}" },
        text("T-007", .payload) { text in
            let parts = text.split(separator: ".")
            return "\(parts[0])..\(parts[2])"
        },
        text("T-008", .segments) { $0.replacing(".", with: "\u{3002}") },
        text("T-009", .header) { _ in TestToken.compact(header: Array("[]".utf8), payload: Array("{}".utf8)) },
        text("T-080", .tooLarge) { $0 + String(repeating: "A", count: Limits.tokenBytes) },
        text("T-084", .segments) { _ in String(repeating: ".", count: Limits.tokenBytes) },
        text("T-088", .payload) { _ in
            TestToken.compact(header: Array("{\"alg\":\"RS256\"}".utf8), payload: [0x22, 0xC0, 0x80, 0x22])
        },
        Row(
            rule: "T-081",
            code: .tooLarge,
            breach: .token { $0.header["x"] = .string(String(repeating: "x", count: 4096)) }
        ),
    ]

    private static let headers: [Row] = [
        header("T-010", .criticalHeader, "crit", ["exp2"]), header("T-011", .criticalHeader, "crit", []),
        header("T-012", .criticalHeader, "crit", ["alg"]), header("T-013", .criticalHeader, "crit", ["absent"]),
        header("T-014", .criticalHeader, "b64", false), header("T-016", .header, "zip", "DEF"),
        header("T-020", .algorithm, "alg", "RS512"), header("T-021", .algorithm, "alg", "none"),
        header("T-023", .algorithm, "alg", nil), header("T-025", .algorithm, "alg", "rs256"),
        header("T-026", .algorithm, "alg", "ES256"), header("T-030", .algorithm, "alg", "PS256"),
        header("T-034", .algorithm, "alg", "RSA-OAEP"), header("T-038", .keyNotFound, "kid", "../../dev/null"),
        header("T-039", .keyID, "kid", 1), header("T-040", .keyNotFound, "kid", "nobody"),
        header("T-044", .tokenType, "typ", 1), header("T-045", .tokenType, "typ", "at+jwt"),
        header("T-046", .tokenType, "cty", "JWT"), header("T-091", .header, "x", .raw(#""\ud800""#)),
        header("T-092", .header, "x", .raw(String(repeating: "[", count: 17) + String(repeating: "]", count: 17))),
        Row(
            rule: "T-027",
            code: .algorithm,
            breach: .token {
                $0.header["alg"] = "HS256"
                $0.signing = .hmac(secret: Array(TestKey.shared.json.text.utf8))
            }
        ),
    ]

    private static let keys: [Row] = [
        key("T-029", "alg", "RS512"), key("T-033", "alg", "ES521"), key("T-050", "n", "gQ"), key("T-051", "e", "AQ"),
        key("T-053", "e", "AQAAAAE"), key("T-054", "e", TestKey.shared.json["n"]), key("T-055", "n", "AA"),
        key("T-056", "n", .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 2048)))), key("T-057", "e", "AQAB="),
        key("T-058", "d", "AQ"), key("T-065", "use", "enc"), key("T-066", "key_ops", ["sign"]),
        key("T-061", "alg", "ES256"), key("T-067", "kty", "rsa"),
        key("T-060", point: [2, 1], of: "P-256"), key("T-064", point: [1], of: "Ed25519"),
    ]

    /// A row with a key whose coordinates are these small numbers, little-endian as in Ed25519.
    private static func key(_ rule: String, point: [UInt8], of curve: String) -> Row {
        let numbers = point.map { TestJSON.encoded([$0] + [UInt8](repeating: 0, count: 31)) }
        let type = point.count == 2 ? "EC" : "OKP"
        return Row(
            rule: rule,
            code: .keyUnusable,
            breach: .key { key in
                key = ["kid": key["kid"] ?? .null, "kty": .string(type), "crv": .string(curve)]
                for (name, number) in zip(["x", "y"], numbers) { key[name] = number }
            }
        )
    }

    private static let signatures: [Row] = [
        Row(
            rule: "T-035",
            code: .signature,
            breach: .token {
                $0.header["jwk"] = TestKey.another.json
                $0.signing = .key(.another)
            }
        ),
        Row(rule: "T-071", code: .signature, breach: .token { $0.signing = .key(.another) }),
        Row(
            rule: "T-072",
            code: .signature,
            breach: .token { $0.signing = .bytes([UInt8](repeating: 0xFF, count: 256)) }
        ),
        Row(rule: "T-073", code: .signature, breach: .token { $0.signing = .bytes([UInt8](repeating: 1, count: 255)) }),
    ]

    private static let claims: [Row] = [
        claim("T-094", .payload, "x", .raw(#"{"a":1,"\u0061":2}"#)), claim("T-096", .payload, "x", .raw("NaN")),
        claim("T-100", .missingClaim, "iss", nil), claim("T-100", .claimType, "iss", 1),
        claim("T-101", .issuer, "iss", "https://issuer.example/"),
        claim("T-102", .issuer, "iss", "https://issuer.exampl"),
        claim("T-103", .claimType, "iss", ["https://issuer.example"]),
        claim("T-105", .issuer, "iss", "https://b.example"),
        claim("T-110", .missingClaim, "sub", nil), claim("T-110", .subject, "sub", ""),
        claim("T-111", .subject, "sub", "\u{E9}"), claim("T-113", .missingClaim, "aud", nil),
        claim("T-114", .audience, "aud", "client-2"), claim("T-115", .audience, "aud", []),
        claim("T-116", .claimType, "aud", ["client-1", 5]), claim("T-117", .audience, "aud", ["client-1", "evil"]),
        claim("T-118", .audience, "aud", "client-1-evil"), claim("T-119", .audience, "aud", "CLIENT-1"),
        claim("T-120", .authorizedParty, "azp", "evil"), claim("T-122", .missingClaim, "exp", nil),
        claim("T-123", .expired, "exp", 1_760_000_000), claim("T-124", .claimType, "exp", "1760000060"),
        claim("T-126", .claimType, "exp", .raw("1e300")), claim("T-127", .expired, "exp", 1_759_999_940),
        claim("T-128", .notYetValid, "nbf", 1_760_000_001), claim("T-129", .missingClaim, "iat", nil),
        claim("T-129", .issuedInFuture, "iat", 1_760_000_001), claim("T-133", .nonce, "nonce", "n-1"),
        Row(rule: "T-132", code: .nonce, breach: .nonce(.exactly("n-1"))),
        Row(rule: "T-134", code: .nonce, breach: .nonce(.exactly(""))),
        Row(
            rule: "T-112",
            code: .subject,
            breach: .policy {
                try TokenPolicy(provider: $0.provider, audiences: [$0.audience], subject: "somebody else")
            }
        ),
        Row(
            rule: "T-129",
            code: .tooOld,
            breach: .policy {
                try TokenPolicy(
                    provider: $0.provider,
                    audiences: [$0.audience],
                    leeway: .zero,
                    maximumAge: .seconds(59)
                )
            }
        ),
    ]

    private static func policy(
        _ rule: String,
        _ code: VerificationCode,
        provider: Provider? = nil,
        maximumAuthenticationAge: Duration? = nil,
        acrs: [String] = [],
        hostedDomain: String? = nil
    ) -> Row {
        Row(
            rule: rule,
            code: code,
            breach: .policy {
                try TokenPolicy(
                    provider: provider ?? $0.provider,
                    audiences: [$0.audience],
                    maximumAuthenticationAge: maximumAuthenticationAge,
                    acceptedACRs: acrs,
                    hostedDomain: hostedDomain
                )
            }
        )
    }

    private static func refreshed(_ code: VerificationCode, _ name: String, _ value: TestJSON?) -> Row {
        Row(rule: "T-144", code: code, breach: .original { $0.claims[name] = value })
    }

    private static let authentication: [Row] = [
        Row(rule: "T-136", code: .accessTokenHash, breach: .hashes(accessToken: .required("token"), code: nil)),
        Row(rule: "T-137", code: .codeHash, breach: .hashes(accessToken: nil, code: .required("code"))),
        policy("T-138", .authTime, maximumAuthenticationAge: .zero), policy("T-139", .acr, acrs: ["2"]),
        Row(rule: "T-140", code: .claimType, breach: .requiring("amr", "pwd")),
        policy("T-141", .hostedDomain, hostedDomain: "good.example"),
        claim("T-143", .tokenType, "events", [:]), claim("T-143", .tokenType, "token_use", "access"),
        policy("T-104", .issuer, provider: .google), policy("T-106", .issuer, provider: .microsoftAnyTenant),
        refreshed(.subject, "sub", "1000000000000002"), refreshed(.authorizedParty, "azp", "client-1"),
        refreshed(.tooOld, "iat", 1_759_999_941),
    ]

    static let rows = form + headers + keys + signatures + claims + authentication

    @Test(.rule("T-145"), arguments: rows)
    func `a token that violates a rule is refused with the code in the rule table`(row: Row) throws {
        let issuer = TestIssuer()
        var bench = try Bench(issuer: issuer)
        let good = issuer.token()
        try bench.verify(text: good)
        switch row.breach {
        case .token(let change):
            expectRefusal(row.code) { try bench.verify(change) }
        case .text(let change):
            expectRefusal(row.code) { try bench.verify(text: change(good)) }
        case .key(let change):
            var key = issuer.key.json
            change(&key)
            let keys = try JSONWebKeySet(json: (["keys": [key]] as TestJSON).text)
            bench = try Bench(issuer: issuer, keys: KeySnapshot(provider: issuer.provider, keys: keys))
            expectRefusal(row.code) { try bench.verify(text: good) }
        case .nonce(let expected):
            expectRefusal(row.code) { try bench.verify(text: good, nonce: expected) }
        case .hashes(let accessToken, let code):
            expectRefusal(row.code) { try bench.verify(text: good, accessToken: accessToken, code: code) }
        case .original(let change):
            let first = try bench.verify(change)
            expectRefusal(row.code) {
                try bench.verifier.verifyRefreshed(good, of: OriginalAuthentication(first), with: bench.keys)
            }
        case .requiring(let name, let value):
            let provider = Provider(name: "p", issuers: issuer.provider.issuers, requiredClaims: [name])
            bench = try Bench(issuer: TestIssuer(provider: provider))
            expectRefusal(row.code) { try bench.verify { $0.claims[name] = value } }
        case .policy(let policy):
            bench = try Bench(issuer: issuer, policy: policy(issuer))
            expectRefusal(row.code) { try bench.verify(text: good) }
        }
    }

    @Test(.rule("T-041", "T-042", "T-145"))
    func `a token that two keys fit is refused as ambiguous`() throws {
        let issuer = TestIssuer()
        let keys = JSONWebKeySet([try TestKey.shared.publicKey(), try TestKey.another.publicKey()])
        let bench = try Bench(issuer: issuer, keys: KeySnapshot(provider: issuer.provider, keys: keys))
        try bench.verify()
        expectRefusal(.keyAmbiguous) { try bench.verify { $0.header["kid"] = nil } }
    }

    @Test(.rule("T-145"))
    func `a token with a used nonce is refused as replayed`() async throws {
        let bench = try Bench()
        let text = bench.issuer.token(nonce: "n-1")
        try await bench.verifier.verify(text, askingOnce: SpyNonceStore(.consumed))
        await expectRefused(.replayed) { () async throws(VerificationError) in
            try await bench.verifier.verify(text, askingOnce: SpyNonceStore(.replayed))
        }
    }

    @Test(.rule("T-145"))
    func `every code is in the rule table exactly once`() {
        let names = VerificationCode.refusals.map(\.rawValue)
        #expect(Set(names).count == names.count)
        // Only access tokens are refused for the last two.
        let others: Set<VerificationCode> = [.keyAmbiguous, .replayed, .claimValue, .insufficientScope]
        #expect(Set(Self.rows.map(\.code)).union(others) == Set(VerificationCode.refusals))
        // Codes are identifiers for programs: they are stable, and need no quoting anywhere.
        #expect(names.allSatisfy { $0.allSatisfy { $0 == "-" || ("a"..."z").contains($0) } })
        #expect(VerificationCode.refusals.allSatisfy { $0.description == $0.rawValue && $0.explanation.hasSuffix(".") })
    }
}
