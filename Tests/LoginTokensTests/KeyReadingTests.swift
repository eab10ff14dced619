// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7517 and RFC 7518 §6.3: the validity of published RSA keys.
///
/// OpenSSL would accept most of those refused here.
@Suite struct KeyReadingTests {
    /// Changes the members of a valid key, reads it, and returns the reason why it is unusable; nil if it is usable.
    private func reason(_ change: (inout TestJSON) -> Void) -> UnusableKey.Reason? {
        var json = TestKey.shared.json
        change(&json)
        do throws(UnusableKey) {
            _ = try JSONWebKey(json: json.text)
            return nil
        } catch {
            return error.reason
        }
    }

    private func number(_ bytes: [UInt8]) -> TestJSON { .string(Base64URL.encode(bytes)) }

    /// Returns an odd modulus of this length, with all bits set.
    private func modulus(bits: Int) -> [UInt8] {
        let whole = [UInt8](repeating: 0xFF, count: bits / 8)
        return bits % 8 == 0 ? whole : [UInt8((1 << (bits % 8)) - 1)] + whole
    }

    @Test(.rule("T-050"))
    func `a usable key reports its ID, size and algorithm`() throws {
        let key = try TestKey.shared.publicKey()
        #expect(key.keyID == TestKey.shared.keyID && key.bits == 2048 && key.algorithms == [.rs256])
    }

    // MARK: The modulus

    @Test(.rule("T-050", "T-056"), arguments: [2048, 2049, 3072, 4096, 8191, 8192])
    func `a modulus of 2048 to 8192 bits is accepted`(bits: Int) throws {
        var json = TestKey.shared.json
        json["n"] = number(modulus(bits: bits))
        #expect(try JSONWebKey(json: json.text).bits == bits)
    }

    @Test(.rule("T-050", "T-056"), arguments: [1, 8, 512, 1024, 2047, 8193, 8200, 16_384, 65_536])
    func `a modulus of any other size is refused`(bits: Int) {
        #expect(reason { $0["n"] = number(modulus(bits: bits)) } == .weak)
    }

    @Test(.rule("T-056"))
    func `a huge modulus is refused by its length without further work`() {
        // OpenSSL's own check takes more than a second for each such key.
        let modulus = number(modulus(bits: 16_384))
        let took = processorTime {
            for _ in 0..<16 { #expect(reason { $0["n"] = modulus } == .weak) }
        }
        #expect(took < .seconds(4))
    }

    @Test(.rule("T-055"))
    func `an even modulus is refused`() {
        var even = modulus(bits: 2048)
        even[255] = 0xFE
        #expect(reason { $0["n"] = number(even) } == .weak)
        even[255] = 0xFF
        #expect(reason { $0["n"] = number(even) } == nil)
    }

    // MARK: The exponent

    @Test(.rule("T-052"), arguments: [[3], [5], [17], [1, 1], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func `an odd exponent from 3 to 32 bits is accepted`(exponent: [UInt8]) {
        #expect(reason { $0["e"] = number(exponent) } == nil)
    }

    @Test(.rule("T-051"), arguments: [[1], [2], [4], [1, 0], [1, 0, 0], [0xFF, 0xFF, 0xFF, 0xFE]] as [[UInt8]])
    func `an exponent of 1 and an even exponent are refused`(exponent: [UInt8]) {
        #expect(reason { $0["e"] = number(exponent) } == .weak)
    }

    @Test(.rule("T-051"))
    func `a token that names a key with exponent 1 is refused, because anybody could sign with it`() throws {
        var json = TestKey.shared.json
        json["e"] = number([1])
        let issuer = TestIssuer()
        let keys = try JSONWebKeySet(json: (["keys": [json]] as TestJSON).text)
        let bench = try Bench(issuer: issuer, keys: KeySnapshot(provider: issuer.provider, keys: keys))
        let unsigned = issuer.token { $0.signing = .bytes([0]) }
        let input = Array(unsigned.utf8.prefix(unsigned.utf8.count - 3))
        #expect(unsigned == String(decoding: input, as: UTF8.self) + ".AA")
        let forged = String(decoding: input, as: UTF8.self) + "." + Base64URL.encode(PaddingTests.encoded(input))
        expectRefusal(.keyUnusable) { try bench.verify(text: forged) }
    }

    @Test(.rule("T-053"), arguments: [[1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
    func `an exponent of more than 32 bits is refused`(exponent: [UInt8]) {
        #expect(reason { $0["e"] = number(exponent) } == .weak)
    }

    @Test(.rule("T-054"))
    func `an exponent not below the modulus is refused`() throws {
        let modulus = try #require(TestKey.shared.json["n"])
        #expect(reason { $0["e"] = modulus } == .weak)
        #expect(reason { $0["e"] = number([1] + [UInt8](repeating: 0, count: 255) + [1]) } == .weak)
    }

    @Test(.rule("T-057"), arguments: ["n", "e", "kty"], [nil, .null, 65_537, ["AQAB"], true] as [TestJSON?])
    func `a key with a missing or non-string member is unusable`(name: String, value: TestJSON?) {
        #expect(reason { $0[name] = value } == .malformed)
    }

    // MARK: Use and operations

    @Test(.rule("T-067"), arguments: ["rsa", "Rsa", "RSA ", "ec", "Ec", "okp", "OKP ", "oct", "AKP", "\u{FF32}SA"])
    func `a key type other than RSA, EC or OKP is unsupported`(type: String) {
        #expect(reason { $0["kty"] = .string(type) } == .keyType)
    }

    /// RFC 7517 §4.1: a key is of one type, whatever other members it has.
    @Test(.rule("T-067"), arguments: ["EC", "OKP"])
    func `an RSA key with another key type is unusable`(type: String) {
        #expect(reason { $0["kty"] = .string(type) } == .malformed)
    }

    @Test(.rule("T-031", "T-061"), arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
    func `an RSA key can name any RSA algorithm, and is then only for that one`(name: String) throws {
        var json = TestKey.shared.json
        json["alg"] = .string(name)
        #expect(try JSONWebKey(json: json.text).algorithms.map(\.rawValue) == [name])
    }

    @Test(
        .rule("T-033", "T-061"),
        arguments: ["ES256", "ES521", "EdDSA", "Ed25519", "HS256", "none", "rs256", "RSA-OAEP"]
    )
    func `an algorithm that is unknown or not for RSA makes a key unusable`(algorithm: String) {
        #expect(reason { $0["alg"] = .string(algorithm) } == .algorithm)
    }

    @Test(.rule("T-033"), arguments: [1, ["RS256"]] as [TestJSON])
    func `an algorithm that is not a string makes a key unusable`(algorithm: TestJSON) {
        #expect(reason { $0["alg"] = algorithm } == .algorithm)
    }

    @Test(.rule("T-031", "T-065"))
    func `a key without use, key_ops and alg is usable for all algorithms of its type`() throws {
        var json = TestKey.shared.json
        for name in ["use", "alg", "kid"] { json[name] = nil }
        let key = try JSONWebKey(json: json.text)
        #expect(key.algorithms == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512] && key.keyID == nil)
    }

    @Test(.rule("T-065"), arguments: ["enc", "SIG", "sig ", 1, ["sig"]] as [TestJSON])
    func `a key with a use other than sig is refused`(use: TestJSON) {
        #expect(reason { $0["use"] = use } == .use)
    }

    @Test(.rule("T-066"), arguments: [["verify"], ["verify", "sign"], ["sign", "verify"]] as [TestJSON])
    func `key_ops that contain verify are accepted, with and without use`(operations: TestJSON) {
        #expect(reason { $0["key_ops"] = operations } == nil)
        #expect(
            reason {
                $0["key_ops"] = operations
                $0["use"] = nil
            } == nil
        )
    }

    @Test(
        .rule("T-066"),
        arguments: [
            [], ["sign"], ["Verify"], ["verify", "verify"], ["sign", "sign", "verify"], "verify", ["verify", 1],
            ["verify", .null], ["verify": true], ["encrypt", "decrypt"],
        ] as [TestJSON]
    )
    func `key_ops without verify, with duplicates, or with other types than strings are refused`(operations: TestJSON) {
        #expect(reason { $0["key_ops"] = operations } == .use)
    }

    @Test(.rule("T-066"))
    func `key_ops that contradict use are refused, and are accepted without use`() {
        #expect(reason { $0["key_ops"] = ["verify", "encrypt"] } == .use)
        #expect(
            reason {
                $0["key_ops"] = ["verify", "encrypt"]
                $0["use"] = nil
            } == nil
        )
    }

    @Test(.rule("T-058"), arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a key with a private member is refused, whatever its value`(name: String) {
        for value: TestJSON in ["AQAB", "!", 1, [], [:]] { #expect(reason { $0[name] = value } == .privateKey) }
        // Another defect hides nothing.
        for other in ["kid", "n", "alg", "use"] {
            let found = reason { json in
                json[name] = "AQAB"
                json[other] = 1
            }
            #expect(found == .privateKey, "\(other)")
        }
        #expect(reason { $0[name.uppercased()] = "AQAB" } == nil)
    }

    // MARK: The ID

    @Test(.rule("T-038"))
    func `a key ID has 1 to 256 bytes`() {
        #expect(reason { $0["kid"] = "k" } == nil)
        #expect(reason { $0["kid"] = .string(String(repeating: "k", count: 256)) } == nil)
        #expect(reason { $0["kid"] = .string(String(repeating: "\u{E9}", count: 128)) } == nil)
        #expect(reason { $0["kid"] = .string(String(repeating: "k", count: 257)) } == .malformed)
        #expect(reason { $0["kid"] = .string(String(repeating: "\u{E9}", count: 129)) } == .malformed)
    }

    @Test(.rule("T-039"), arguments: [1, ["k"], true] as [TestJSON])
    func `a key ID that is not a string makes a key unusable`(keyID: TestJSON) {
        #expect(reason { $0["kid"] = keyID } == .malformed)
    }

    @Test(.rule("T-094"), arguments: ["", "[]", "null", "\"RSA\"", "{", "{}{}", "{\"kty\":\"RSA\",\"kty\":\"RSA\"}"])
    func `a text that is not a strict JSON object is not a key`(text: String) {
        let error = #expect(throws: UnusableKey.self) { try JSONWebKey(json: text) }
        #expect(error?.reason == .malformed && error?.keyID == nil)
    }

    @Test(.rule("T-037"))
    func `unknown members of a key are ignored`() {
        #expect(
            reason {
                $0["x5u"] = "https://attacker.example/"
                $0["x5t"] = "AAAA"
                $0["x5t#S256"] = 1
                $0["crv"] = "P-256"
                $0["issuer"] = "https://issuer.example"
            } == nil
        )
    }
}
