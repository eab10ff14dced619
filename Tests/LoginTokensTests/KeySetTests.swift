// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7517 §5: key sets with valid keys, unusable keys, and both.
@Suite struct KeySetTests {
    private func read(_ keys: [TestJSON]) throws(KeySetError) -> JSONWebKeySet {
        try JSONWebKeySet(json: (["keys": .array(keys)] as TestJSON).text)
    }

    private func key(_ keyID: String, _ change: (inout TestJSON) -> Void = { _ in }) -> TestJSON {
        var key = TestKey.shared.json
        key["kid"] = .string(keyID)
        change(&key)
        return key
    }

    /// One key for each reason that makes a key unusable.
    private var unusable: [TestJSON] {
        [
            key("malformed") { $0["n"] = nil }, key("key-type") { $0["kty"] = "oct" }, key("use") { $0["use"] = "enc" },
            key("algorithm") { $0["alg"] = "ES521" }, key("weak") { $0["e"] = "AQ" },
            key("private-key") { $0 = TestKey.another.json.with("kid", "private-key").with("d", "AQ") },
            key("published") { $0["n"] = PublishedKeyTests.rsaExample["n"] },
        ]
    }

    @Test(.rule("T-033", "T-169"))
    func `an unusable key is skipped with its reason, and the others stay usable`() throws {
        let set = try read([key("first")] + unusable + [key("last")])
        #expect(set.keys.map(\.keyID) == ["first", "last"])
        #expect(set.unusableKeys.map { $0.keyID } == set.unusableKeys.map { $0.reason.rawValue })
        #expect(set.unusableKeys.count == unusable.count)
        for key in set.unusableKeys {
            #expect(key.description.hasPrefix("key \"\(key.keyID ?? "")\" is unusable: \(key.reason.rawValue): "))
        }
    }

    @Test(.rule("T-169"))
    func `tokens of the usable keys in a mixed set are accepted, and the refusal of others states the reason`() throws {
        let issuer = TestIssuer()
        let set = try read(unusable + [key("good")])
        let bench = try Bench(issuer: issuer, keys: KeySnapshot(provider: issuer.provider, keys: set))
        try bench.verify { $0.header["kid"] = "good" }
        for reason in set.unusableKeys.map(\.reason.rawValue) {
            let refusal = expectRefusal(.keyUnusable) { try bench.verify { $0.header["kid"] = .string(reason) } }
            #expect(refusal?.description.contains("is unusable: \(reason): ") == true)
            #expect(refusal?.member == "kid")
        }
        expectRefusal(.keyNotFound) { try bench.verify { $0.header["kid"] = "nobody" } }
    }

    @Test(.rule("T-169"), arguments: [.null, 1, "RSA", [], true, [:]] as [TestJSON])
    func `an element that is not a key is skipped`(element: TestJSON) throws {
        let set = try read([element, key("good")])
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(set.unusableKeys.map(\.reason) == [.malformed])
        #expect(set.unusableKeys.allSatisfy { $0.keyID == nil })
    }

    @Test(.rule("T-169"))
    func `a set with only unusable keys is valid and verifies nothing`() throws {
        let set = try read(unusable)
        #expect(set.keys.isEmpty)
        let issuer = TestIssuer()
        let bench = try Bench(issuer: issuer, keys: KeySnapshot(provider: issuer.provider, keys: set))
        expectRefusal(.keyNotFound) { try bench.verify() }
        expectRefusal(.keyNotFound) { try bench.verify { $0.header["kid"] = nil } }
    }

    @Test(.rule("T-170"))
    func `a key set has 1 to 100 keys`() throws {
        let one = key("one")
        #expect(try read([one]).keys.count == 1)
        #expect(try read(Array(repeating: one, count: 100)).keys.count == 100)
        #expect(throws: KeySetError.self) { try read(Array(repeating: one, count: 101)) }
        #expect(throws: KeySetError.self) { try read(Array(repeating: .null, count: 101)) }
        let empty = #expect(throws: KeySetError.self) { try read([]) }
        #expect(empty?.description.hasPrefix("not a key set: ") == true)
    }

    @Test(.rule("T-170"))
    func `with the largest limit, a key set has 1 to 1000 keys`() throws {
        let text = { (count: Int) in
            (["keys": .array((0..<count).map { key("\($0)") { $0["e"] = "Ag" } })] as TestJSON).text
        }
        let limits = try KeySetLimits(keys: 1000)
        #expect(try JSONWebKeySet(json: text(1000), limits: limits).unusableKeys.count == 1000)
        let many = #expect(throws: KeySetError.self) { try JSONWebKeySet(json: text(1001), limits: limits) }
        #expect(many?.description == "not a key set: 1001 keys, not 1 to 1000")
    }

    @Test(.rule("T-170"), arguments: [99, 1001, 0, -1, Int.max])
    func `a limit for keys out of range is refused`(keys: Int) {
        let error = #expect(throws: PolicyError.self) { try KeySetLimits(keys: keys) }
        #expect(error?.description == "invalid policy: keys in a set: \(keys) is not from 100 to 1000")
    }

    @Test(.rule("T-170"), .rule("T-154"))
    func `the error for a key set that is too large names the setting that raises the limit`() throws {
        let keys = #expect(throws: KeySetError.self) { try read(Array(repeating: .null, count: 101)) }
        #expect(keys?.description == "not a key set: 101 keys, not 1 to 100; KeySetLimits.keys can be up to 1000")
        let limits = KeySetLimits.standard.named(keys: "--max-keys")
        let text = String(repeating: " ", count: Limits.keySetBytes + 1)
        let bytes = #expect(throws: KeySetError.self) { try JSONWebKeySet(json: text, limits: limits) }
        #expect(bytes?.description == "not a key set: more than 262144 bytes; --max-keys can be up to 1000")
    }

    @Test(
        .rule("T-167"),
        arguments: ["", "{}", "[]", "null", "{\"keys\":{}}", "{\"keys\":null}", "{\"Keys\":[{}]}", "<html>"]
    )
    func `a document without an array of keys is not a key set`(text: String) {
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: text) }
    }

    @Test(.rule("T-094", "T-167"))
    func `an ambiguous JSON document is not a key set`() {
        let good = (["keys": [key("one")]] as TestJSON).text
        #expect(throws: Never.self) { try JSONWebKeySet(json: good) }
        #expect(throws: Never.self) { try JSONWebKeySet(json: (good + " \n")) }
        let twice = TestJSON.object([("keys", [key("one")]), ("keys", [key("two")])]).text
        let inside = (["keys": [key("one"), .raw(#"{"kid":"a","k\u0069d":"b"}"#)]] as TestJSON).text
        for text in [twice, inside, good + "x", String(good.dropLast())] {
            let error = #expect(throws: KeySetError.self) { try JSONWebKeySet(json: text) }
            #expect(error?.description.hasPrefix("not a key set: not strict JSON: ") == true)
        }
    }

    @Test(.rule("T-154"))
    func `a key set has at most 256 KiB`() throws {
        let good = (["keys": [key("one")]] as TestJSON).text
        let padding = String(repeating: " ", count: Limits.keySetBytes - good.utf8.count)
        #expect(try JSONWebKeySet(json: (good + padding)).keys.count == 1)
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: (good + padding + " ")) }
    }

    @Test(.rule("T-154"))
    func `a key set that may have more than 100 keys has at most 1 MiB`() throws {
        let good = (["keys": [key("one")]] as TestJSON).text
        let padding = String(repeating: " ", count: 1_048_576 - good.utf8.count)
        let limits = try KeySetLimits(keys: 101)
        #expect(try JSONWebKeySet(json: good + padding, limits: limits).keys.count == 1)
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: good + padding + " ", limits: limits) }
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: good + padding, limits: KeySetLimits(keys: 100)) }
    }

    @Test(.rule("T-170"))
    func `unknown members of a key set are ignored`() throws {
        let set = try JSONWebKeySet(json: (["next": 1, "keys": [key("one")], "x": .null] as TestJSON).text)
        #expect(set.keys.count == 1)
    }

    @Test(.rule("T-042"))
    func `a key set can be created from keys in memory`() throws {
        let set = JSONWebKeySet([try TestKey.shared.publicKey(), try TestKey.another.publicKey()])
        #expect(set.keys.map(\.keyID) == [TestKey.shared.keyID, TestKey.another.keyID] && set.unusableKeys.isEmpty)
    }

    @Test(.rule("T-058", "T-147"))
    func `errors about key sets and keys do not show the keys`() throws {
        let secret = "c2VjcmV0LXByaXZhdGUtZXhwb25lbnQ"
        let modulus = try #require(TestKey.shared.json["n"]?.text.dropFirst().dropLast())
        let set = try read([key("leaked") { $0["d"] = .string(secret) }, key("even") { $0["e"] = "Ag" }, key("twin")])
        let broken = "{\"keys\":[{\"d\":\"\(secret)\",\"n\":\"\(modulus)\"}],}"
        let error = #expect(throws: KeySetError.self) { try JSONWebKeySet(json: broken) }
        var shown = set.unusableKeys.flatMap { [$0.description, String(reflecting: $0)] } + [String(reflecting: error)]
        var dumped = ""
        dump(set, to: &dumped)
        shown.append(dumped)
        for text in shown {
            #expect(!text.contains(secret) && !text.contains(modulus.prefix(12)))
        }
    }
}
