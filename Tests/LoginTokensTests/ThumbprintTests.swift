// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7638: the thumbprint identifies a key, regardless of its ID.
@Suite struct ThumbprintTests {
    private func thumbprint(_ json: TestJSON) throws -> String {
        try JSONWebKey(json: json.text, allowPublishedTestKeys: true).thumbprint
    }

    @Test func `the example of RFC 7638 is reproduced`() throws {
        #expect(try thumbprint(PublishedKeyTests.rsaExample) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test func `the example of RFC 8037 A_3 is reproduced`() throws {
        let key: TestJSON = [
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ]
        #expect(try thumbprint(key) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    /// RFC 7638 §3.2: the required members of the key type, sorted by name, without white space.
    @Test(arguments: [.rs256, .es256, .es384, .es512, .edDSA] as [SignatureAlgorithm])
    func `a thumbprint is the hash of the required members of the key`(algorithm: SignatureAlgorithm) throws {
        let json = KeyFixture.key(algorithm).json
        let names = ["crv", "e", "kty", "n", "x", "y"]
        let members = names.compactMap { name in json[name].map { "\"\(name)\":\($0.text)" } }
        let hash = Digest.sha256.hash("{\(members.joined(separator: ","))}".utf8)
        #expect(try thumbprint(json) == Base64URL.encode(hash))
        #expect(try KeyFixture.key(algorithm).publicKey().thumbprint == Base64URL.encode(hash))
    }

    @Test(arguments: [.rs256, .es256, .edDSA] as [SignatureAlgorithm])
    func `key ID, algorithm and use do not change the thumbprint`(algorithm: SignatureAlgorithm) throws {
        let json = KeyFixture.key(algorithm).json
        let expected = try thumbprint(json)
        for (name, value) in [
            ("kid", "another"), ("kid", nil), ("alg", nil), ("use", nil), ("key_ops", ["verify"]), ("x5t", "AAAA"),
            ("issuer", "https://issuer.example"), ("ext", true),
        ] as [(String, TestJSON?)] {
            #expect(try thumbprint(json.with(name, value)) == expected, "\(name)")
        }
        // The order of the members does not matter either.
        guard case .object(let members) = json else { return }
        #expect(try thumbprint(.object(members.reversed())) == expected)
    }

    @Test func `different keys have different thumbprints`() throws {
        let keys = [TestKey.shared, .another, KeyFixture.p256, KeyFixture.p384, KeyFixture.p521, KeyFixture.edwards]
        #expect(Set(try keys.map { try $0.publicKey().thumbprint }).count == keys.count)
        let other = try TestKey(.es256).publicKey().thumbprint
        #expect(try other != KeyFixture.p256.publicKey().thumbprint)
    }
}
