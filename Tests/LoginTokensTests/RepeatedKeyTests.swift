// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7638: the same key in several entries of a set is one key, and several keys may have one ID.
@Suite struct RepeatedKeyTests {
    private let issuer = TestIssuer()

    private func bench(_ keys: [TestJSON]) throws -> Bench {
        try Bench(issuer: issuer, keys: KeyFixture.snapshot(keys, for: issuer))
    }

    /// The issuer's key with other members.
    private func entry(_ changes: [(String, TestJSON?)] = []) -> TestJSON {
        changes.reduce(issuer.key.json) { $0.with($1.0, $1.1) }
    }

    /// The issuer's key, whose modulus is spelled in another way.
    private func respelled() throws -> TestJSON {
        entry([("n", .string(Data([0] + (try issuer.key.json.decoded("n"))).base64EncodedString() + "\n"))])
    }

    /// Returns another key with an ID.
    private static func key(_ number: Int, as keyID: String) -> (key: TestKey, json: TestJSON) {
        (others[number], others[number].json.with("kid", .string(keyID)))
    }

    private static let others = [TestKey.another] + (0..<4).map { _ in TestKey() }

    // MARK: The same key

    @Test(.rule("T-042"), arguments: [nil, "RS256"] as [TestJSON?])
    func `the same key twice is one key, whatever its spelling`(algorithm: TestJSON?) throws {
        let twice = try bench([entry(), try respelled().with("alg", algorithm)])
        try twice.verify()
        try twice.verify { $0.header["kid"] = nil }
    }

    @Test(.rule("T-041"))
    func `the same key under two IDs is one key for a token that names none`() throws {
        let renamed = try bench([entry(), try respelled().with("kid", "other"), entry([("kid", nil)])])
        for keyID in [.string(issuer.key.keyID), "other", nil] as [TestJSON?] {
            try renamed.verify { $0.header["kid"] = keyID }
        }
        expectRefusal(.keyNotFound) { try renamed.verify { $0.header["kid"] = "third" } }
        let different = try bench([entry(), TestKey.another.json])
        expectRefusal(.keyAmbiguous) { try different.verify { $0.header["kid"] = nil } }
    }

    @Test(
        .rule("T-029", "T-042"),
        arguments: [("use", "enc"), ("alg", "RS512"), ("key_ops", ["sign"]), ("kid", "other")] as [(String, TestJSON)]
    )
    func `what an entry says about its use holds for that entry`(name: String, value: TestJSON) throws {
        try bench([entry([(name, value)]), entry()]).verify()
        try bench([entry(), entry([(name, value)])]).verify()
        let alone = try bench([entry([(name, value)]), entry([("kid", "third"), ("use", "enc")])])
        expectRefusal(name == "kid" ? .keyNotFound : .keyUnusable) { try alone.verify() }
    }

    @Test(.rule("T-058"))
    func `a key that an entry publishes with its private members is unusable in every entry`() throws {
        let leaked = try respelled().with("kid", "leaked").with("d", "AQAB")
        for keys in [[leaked, entry()], [entry(), leaked]] {
            let bench = try bench(keys + [TestKey.another.json])
            let refusal = expectRefusal(.keyUnusable) { try bench.verify() }
            #expect(refusal?.description.contains("private-key: another entry of the set") == true)
            try bench.verify { token in
                token.header["kid"] = .string(TestKey.another.keyID)
                token.signing = .key(.another)
            }
        }
        // A private member of another key type, or without a key, leaks nothing of this one.
        let keyID = TestJSON.string(issuer.key.keyID)
        try bench([entry(), ["kty": "RSA", "d": "AQAB"], ["kty": "oct", "k": "AQAB", "kid": keyID]]).verify()
    }

    @Test(
        .rule("T-058"),
        arguments: [
            ("kid", 1), ("kid", .string(String(repeating: "k", count: 257))), ("kty", 1), ("kty", nil), ("kty", "EC"),
            ("e", nil), ("e", "Ag"), ("alg", 1), ("alg", "none"), ("use", []), ("key_ops", "verify"), ("x5c", 1),
        ] as [(String, TestJSON?)]
    )
    func `a leak counts whatever else is malformed in its entry`(name: String, value: TestJSON?) throws {
        let leaked = try respelled().with("kid", "leaked").with("d", "AQAB").with(name, value)
        for keys in [[leaked, entry()], [entry(), leaked]] {
            let bench = try bench(keys + [TestKey.another.json])
            let refusal = expectRefusal(.keyUnusable) { try bench.verify() }
            #expect(refusal?.description.contains("private-key: another entry of the set") == true)
        }
    }

    @Test(.rule("T-058"), arguments: [.es256, .edDSA] as [SignatureAlgorithm], ["kty", "crv", "y", "kid"])
    func `a leaked point is known by its x`(algorithm: SignatureAlgorithm, name: String) throws {
        let key = KeyFixture.key(algorithm)
        let leaked = key.json.with("kid", "leaked").with("d", "AQAB").with(name, 1)
        let keys: TestJSON = ["keys": [leaked, key.json, TestKey.shared.json]]
        let set = try JSONWebKeySet(json: keys.text)
        #expect(set.keys.map(\.keyID) == [TestKey.shared.keyID])
        #expect(set.unusableKeys.map(\.reason) == [.privateKey, .privateKey])
    }

    @Test(.rule("T-058")) func `a private member of a key that nothing names is a reason to replace all keys`() throws {
        let unknown = entry([("n", nil), ("kid", nil), ("d", "AQAB")])
        let words = "replace all keys of the set"
        let set = try JSONWebKeySet(json: (["keys": [entry(), unknown]] as TestJSON).text)
        #expect(set.keys.count == 1)
        #expect(set.unusableKeys.map { $0.reason == .privateKey && $0.description.contains(words) } == [true])
        for known in [unknown.with("kid", "old"), entry([("kid", nil), ("d", "AQAB")]), ["kty": "oct", "k": "AQAB"]]
            as [TestJSON]
        {
            let set = try JSONWebKeySet(json: (["keys": [TestKey.another.json, known]] as TestJSON).text)
            #expect(set.unusableKeys.map { $0.description.contains(words) } == [false])
        }
    }

    @Test(.rule("T-058"), arguments: [nil, 1, "!", "AQAB"] as [TestJSON?])
    func `a leaked key whose numbers are unreadable or no other entry's is known by its ID`(modulus: TestJSON?) throws {
        let leaked = entry([("n", modulus), ("d", "AQAB")])
        let refusal = expectRefusal(.keyUnusable) { try bench([entry(), leaked]).verify() }
        #expect(refusal?.description.contains("with this ID has the private members") == true)
        try bench([entry(), leaked.with("kid", "other")]).verify()
        try bench([entry(), leaked.with("kid", nil)]).verify()
    }

    // MARK: Several keys with one ID

    @Test(.rule("T-042"), arguments: 1...4)
    func `each of up to four different keys with one ID is tried`(count: Int) throws {
        let keyID = issuer.key.keyID
        let named = (0..<count).map { Self.key($0, as: keyID) }
        let bench = try bench((named + named).map { $0.json } + [Self.key(4, as: "other").json])
        for (key, _) in named { try bench.verify { $0.signing = .key(key) } }
        let refusal = expectRefusal(.signature) { try bench.verify { $0.signing = .key(Self.others[4]) } }
        let which = count == 1 ? "the key that the token names" : "any of the \(count) keys with the ID"
        #expect(refusal?.description.contains(which) == true)
    }

    @Test(.rule("T-042"))
    func `five different keys with one ID are ambiguous, and none is tried`() throws {
        let keyID = issuer.key.keyID
        let bench = try bench((0..<5).map { Self.key($0, as: keyID).json })
        for key in Self.others { expectRefusal(.keyAmbiguous) { try bench.verify { $0.signing = .key(key) } } }
    }

    @Test(.rule("T-042"))
    func `only keys that fit the algorithm count`() throws {
        let keyID = TestJSON.string(issuer.key.keyID)
        let curves = [.es256, .es384, .es512, .edDSA].map { KeyFixture.key($0).json.with("kid", keyID) }
        let unusable = (0..<4).map { Self.key($0, as: issuer.key.keyID).json.with("use", "enc") }
        try bench(curves + unusable + [entry()]).verify()
    }

    @Test(.rule("T-042"))
    func `a shorter signature is refused without the length of one of several keys`() throws {
        let bench = try bench([entry(), Self.key(0, as: issuer.key.keyID).json])
        let refusal = expectRefusal(.signature) { try bench.verify { $0.signing = .bytes([1, 2, 3]) } }
        #expect(refusal?.description.contains("bytes") == false)
    }

    @Test(.rule("T-177"))
    func `a cached token stays valid while its key is one of those with its ID`() throws {
        let (_, other) = Self.key(0, as: issuer.key.keyID)
        let verifier = TokenVerifier(
            policy: try Bench(issuer: issuer).policy,
            keys: try KeyFixture.snapshot([entry()], for: issuer),
            clock: issuer.clock,
            cache: VerifiedTokenCache()
        )
        let text = issuer.token()
        func verify(_ keys: [TestJSON]) throws {
            _ = try verifier.verify(text, nonce: .mustBeAbsent, with: KeyFixture.snapshot(keys, for: issuer))
        }
        try verify([entry()])
        try verify([other, entry()])
        expectRefusal(.signature) { try verify([other]) }
        expectRefusal(.keyAmbiguous) {
            try verify([entry()] + (0..<4).map { Self.key($0, as: issuer.key.keyID).json })
        }
    }

    // MARK: Notes

    @Test(
        .rule("T-069"),
        arguments: [
            ("x5c", ["MAA="]), ("x5c", []), ("x5c", "AAAA"), ("x5c", [1]), ("x5t", "AAAA"), ("x5t", 1),
            ("x5t#S256", "AAAA"), ("x5u", ["https://issuer.example"]),
        ] as [(String, TestJSON)]
    )
    func `a member about certificates that cannot be read is noted and ignored`(name: String, value: TestJSON) throws {
        let key = try JSONWebKey(json: entry([(name, value)]).text)
        #expect(key.notes.count == 1 && key.notes[0].hasPrefix("\(name) is ignored: "))
        try bench([entry([(name, value)])]).verify()
    }

    @Test(.rule("T-069"))
    func `thumbprints and URLs of certificates are not compared with anything`() throws {
        let thumbprints: [(String, TestJSON?)] = [
            ("x5t", .encoded([UInt8](repeating: 0, count: 20))),
            ("x5t#S256", .encoded([UInt8](repeating: 0, count: 32))),
            ("x5u", "https://attacker.example"),
        ]
        #expect(try JSONWebKey(json: entry(thumbprints).text).notes.isEmpty)
    }
}
