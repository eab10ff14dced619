// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8725 §3.10: a header may name a key of the issuer.
///
/// It can neither supply a key nor say where to fetch one.
@Suite struct HeaderKeyTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    // MARK: Keys in the header, and URLs of keys

    @Test(.rule("T-035"))
    func `a key in the header is ignored`() throws {
        try bench.verify { $0.header["jwk"] = TestKey.another.json }
        try bench.verify { $0.header["jwk"] = "no key" }
    }

    /// CVE-2018-0114.
    @Test(.rule("T-035"))
    func `a key in the header verifies nothing`() throws {
        expectRefusal(.signature) { try bench.verify { forge(&$0, with: "jwk", TestKey.another.json) } }
        expectRefusal(.keyNotFound) {
            try bench.verify { token in
                forge(&token, with: "jwk", TestKey.another.json)
                token.header["kid"] = .string(TestKey.another.keyID)
            }
        }
        expectRefusal(.signature) {
            try bench.verify { token in
                forge(&token, with: "jwk", TestKey.another.json)
                token.header["kid"] = nil
            }
        }
    }

    @Test(.rule("T-036"), arguments: ["jku", "x5u", "jwks_uri", "iss"])
    func `a URL in the header causes no request`(name: String) async throws {
        let keys = SpyKeySource(bench.keys)
        let asked = SpyKeySource.Call.snapshot(issuer: bench.issuer.provider.issuers[0])
        let address: TestJSON = "https://attacker.example/keys"
        _ = try await verify(bench.issuer.token { $0.header[name] = address }, keys)
        #expect(keys.calls == [asked])

        let forged = bench.issuer.token { forge(&$0, with: name, address) }
        await expectRefused(.signature) { () async throws(VerificationError) in try await verify(forged, keys) }
        // One refresh, as after every invalid signature.
        #expect(keys.calls == [asked, asked, .refreshed(issuer: bench.issuer.provider.issuers[0], unknownKeyID: nil)])
    }

    @Test(.rule("T-036"))
    func `a key source is asked only for issuers of the policy, and once more for a missing key`() async throws {
        let keys = SpyKeySource(bench.keys)
        let unknown = bench.issuer.token { token in
            token.header["kid"] = "unknown"
            token.header["jku"] = "https://attacker.example/keys"
        }
        await expectRefused(.keyNotFound) { () async throws(VerificationError) in try await verify(unknown, keys) }
        let issuer = bench.issuer.provider.issuers[0]
        #expect(keys.calls == [.snapshot(issuer: issuer), .refreshed(issuer: issuer, unknownKeyID: "unknown")])
    }

    @Test(.rule("T-020"), arguments: ["none", "RS512", "HS256"])
    func `an algorithm that is not allowed is refused before a key is requested`(name: String) async throws {
        let keys = SpyKeySource(bench.keys)
        let text = bench.issuer.token { $0.header["alg"] = .string(name) }
        await expectRefused(.algorithm) { () async throws(VerificationError) in try await verify(text, keys) }
        #expect(keys.calls.isEmpty)
    }

    @Test(.rule("T-037"), arguments: ["x5c", "x5t", "x5t#S256"])
    func `a certificate in the header is ignored, and verifies nothing`(name: String) throws {
        let chain: TestJSON = ["MIIBszCCARygAwIBAgIBATANBgkqhkiG9w0BAQsFADAA"]
        try bench.verify { $0.header[name] = chain }
        expectRefusal(.signature) { try bench.verify { forge(&$0, with: name, chain) } }
    }

    // MARK: The key ID

    static let opaque = [
        "../../../dev/null", "' OR 1=1 --", "\u{0}", "a\u{0}b", "🔑", "key\u{301}", " ", "\n", "%00", "$(id)",
        "https://attacker.example/", "__proto__", "0", "null",
    ]

    @Test(.rule("T-038"), arguments: opaque)
    func `a key ID is only compared, and never interpreted`(keyID: String) throws {
        expectRefusal(.keyNotFound) { try bench.verify { $0.header["kid"] = .string(keyID) } }
        try bench(keyIDs: [keyID]).verify { $0.header["kid"] = .string(keyID) }
    }

    /// Each pair is equal to a parser that normalizes, folds case, trims, or stops at a zero byte.
    @Test(
        .rule("T-038"),
        arguments: [
            ("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}"), ("key", "KEY"), ("key", "key "), ("key", "key\u{0}"),
            ("key", "ke"), ("ﬁ", "fi"),
        ]
    )
    func `similar key IDs are different`(keyID: String, other: String) throws {
        let bench = try bench(keyIDs: [keyID])
        try bench.verify { $0.header["kid"] = .string(keyID) }
        expectRefusal(.keyNotFound) { try bench.verify { $0.header["kid"] = .string(other) } }
        let reverse = try self.bench(keyIDs: [other])
        expectRefusal(.keyNotFound) { try reverse.verify { $0.header["kid"] = .string(keyID) } }
    }

    @Test(.rule("T-038"))
    func `a key ID has 1 to 256 bytes`() throws {
        let longest = String(repeating: "é", count: 128)
        try bench(keyIDs: [longest]).verify { $0.header["kid"] = .string(longest) }
        for keyID in ["", longest + "a", String(repeating: "k", count: 2000)] {
            expectRefusal(.keyID) { try bench.verify { $0.header["kid"] = .string(keyID) } }
        }
        let megabyte = String(repeating: "k", count: 1 << 20)
        expectRefusal(.tooLarge) { try bench.verify { $0.header["kid"] = .string(megabyte) } }
    }

    @Test(.rule("T-039"), arguments: [1, .null, true, ["k"], [:], []] as [TestJSON])
    func `a key ID that is not a string is refused`(keyID: TestJSON) throws {
        let refusal = expectRefusal(.keyID) { try bench.verify { $0.header["kid"] = keyID } }
        #expect(refusal?.member == "kid")
    }

    @Test(.rule("T-040"))
    func `no other key replaces a missing key`() throws {
        let refusal = expectRefusal(.keyNotFound) { try bench.verify { $0.header["kid"] = "unknown" } }
        #expect(refusal?.description.contains("\"unknown\"") == true)
        // A key without an ID matches no `kid`.
        let nameless = try bench(keyIDs: [nil])
        try nameless.verify { $0.header["kid"] = nil }
        expectRefusal(.keyNotFound) { try nameless.verify() }
    }

    @Test(.rule("T-041"))
    func `a token without a key ID is verified if one key is suitable`() throws {
        try bench.verify { $0.header["kid"] = nil }
        let elsewhere = try bench(set: ["keys": [key("a", use: "enc"), key("b", type: "EC"), TestKey.shared.json]])
        try elsewhere.verify { $0.header["kid"] = nil }
    }

    @Test(.rule("T-041"))
    func `a token without a key ID is refused if no key or several keys are suitable`() throws {
        let two = try bench(set: ["keys": [TestKey.shared.json, TestKey.another.json]])
        expectRefusal(.keyAmbiguous) { try two.verify { $0.header["kid"] = nil } }
        try two.verify()
        let none = try bench(set: ["keys": [key("a", use: "enc")]])
        expectRefusal(.keyNotFound) { try none.verify { $0.header["kid"] = nil } }
    }

    @Test(.rule("T-041"))
    func `a token without a key ID is refused if the provider always sends one`() throws {
        let facebook = try Bench(issuer: .facebook())
        try facebook.verify()
        expectRefusal(.keyID) { try facebook.verify { $0.header["kid"] = nil } }
    }

    @Test(.rule("T-042"))
    func `of several keys with the same key ID the suitable one is used`() throws {
        let bench = try bench(
            set: ["keys": [key("k", use: "enc"), key("k", type: "EC"), key("k", algorithm: "RS512"), key("k")]]
        )
        try bench.verify { $0.header["kid"] = "k" }
    }

    @Test(.rule("T-042"))
    func `a token is refused as unusable if no key with its key ID is suitable`() throws {
        let none = try bench(set: ["keys": [key("k", use: "enc"), key("k", type: "EC"), key("other")]])
        expectRefusal(.keyUnusable) { try none.verify { $0.header["kid"] = "k" } }
    }

    // MARK: Helpers

    private func verify(_ text: String, _ keys: SpyKeySource) async throws(VerificationError) -> VerifiedToken {
        let verifier = TokenVerifier(policy: bench.policy, keys: keys, clock: bench.issuer.clock)
        return try await verifier.verify(text, nonce: .mustBeAbsent)
    }

    /// Signs a token with the attacker's key, and names that key in the header.
    private func forge(_ token: inout TestToken, with name: String, _ value: TestJSON) {
        token.header[name] = value
        token.signing = .key(.another)
    }

    private func key(
        _ keyID: String,
        of key: TestKey = .shared,
        use: TestJSON = "sig",
        type: TestJSON = "RSA",
        algorithm: TestJSON = "RS256"
    ) -> TestJSON {
        var json = key.json
        for (name, value) in [("kid", .string(keyID)), ("use", use), ("kty", type), ("alg", algorithm)] {
            json[name] = value
        }
        return json
    }

    private func bench(set: TestJSON) throws -> Bench {
        let keys = try JSONWebKeySet(json: set.text)
        return try Bench(keys: KeySnapshot(provider: bench.issuer.provider, keys: keys))
    }

    /// Creates a bench with the shared key under each of these IDs.
    private func bench(keyIDs: [String?]) throws -> Bench {
        let keys = keyIDs.map { keyID in
            var json = TestKey.shared.json
            json["kid"] = keyID.map { .string($0) }
            return json
        }
        return try bench(set: ["keys": .array(keys)])
    }
}
