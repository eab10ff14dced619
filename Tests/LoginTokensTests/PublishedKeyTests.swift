// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Keys whose private half is public: examples get copied into configurations.
@Suite struct PublishedKeyTests {
    /// RFC 7517 A.1 and RFC 7638 §3.1; the private half is in RFC 7517 A.2.
    static let rsaExample: TestJSON = [
        "kty": "RSA", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
        "n": .string(
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3"
                + "oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0"
                + "zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44"
                + "-csFCur-kEgU8awapJzKnqDKgw"
        ),
    ]

    /// Each key with the document it is from.
    static let examples: [(place: String, key: TestJSON)] = [
        ("RFC 7517", rsaExample),
        (
            "RFC 7517",
            [
                "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
            ]
        ),
        (
            "RFC 7515 A.3",
            [
                "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            ]
        ),
        (
            "RFC 7515 A.4",
            [
                "kty": "EC", "crv": "P-521",
                "x": "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
                "y": "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
            ]
        ),
        ("RFC 8037", ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]),
        (
            "RFC 8032",
            [
                "kty": "OKP", "crv": "Ed25519",
                "x": .encoded(bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")),
            ]
        ),
        (
            "RFC 6979 A.2.6",
            [
                "kty": "EC", "crv": "P-384",
                "x": .encoded(
                    bytes(
                        "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13"
                    )
                ),
                "y": .encoded(
                    bytes(
                        "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720"
                    )
                ),
            ]
        ),
    ]

    @Test(.rule("T-058"), arguments: examples)
    func `a key from a standard is refused, and the reason names the publication of its private half`(
        place: String,
        key: TestJSON
    ) throws {
        let error = #expect(throws: UnusableKey.self) { try JSONWebKey(json: key.text) }
        #expect(error?.reason == .published && error?.description.contains(place) == true)
        #expect(error?.description.utf8.allSatisfy { (0x20...0x7E).contains($0) } == true)
        #expect(throws: Never.self) { try JSONWebKey(json: key.text, allowPublishedTestKeys: true) }
        // Another ID or another use does not make it another key.
        #expect(KeyFixture.reason(key.with("kid", "k").with("use", "sig").with("alg", nil)) == .published)
    }

    @Test(.rule("T-058"))
    func `the keys of the test vectors are refused unless they are allowed`() throws {
        let folder = Self.vectors.appending(path: "generator/keys")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        #expect(files.count >= 18)
        for file in files {
            let key = try publicHalf(Data(contentsOf: file))
            let name = file.lastPathComponent
            switch KeyFixture.reason(key, allowPublished: true) {
            case nil: #expect(KeyFixture.reason(key) == .published, "\(name)")
            // The key is also too short, which is reported first.
            case let other: #expect(other == .weak && KeyFixture.reason(key) == .weak, "\(name)")
            }
        }
    }

    @Test(.rule("T-058"))
    func `the keys of the demonstration verify nothing unless they are allowed`() throws {
        let file = try Data(contentsOf: Self.vectors.appending(path: "demo/keys.json"))
        let set = try JSONWebKeySet(json: file)
        #expect(set.keys.isEmpty && !set.unusableKeys.isEmpty)
        #expect(set.unusableKeys.allSatisfy { $0.reason == .published && $0.keyID != nil })
        let allowed = try JSONWebKeySet(json: file, allowPublishedTestKeys: true)
        #expect(allowed.unusableKeys.isEmpty && allowed.keys.count == set.unusableKeys.count)
    }

    @Test(.rule("T-058"))
    func `the refusal of a token that names a published key states the reason`() throws {
        let issuer = TestIssuer()
        let keys = try KeyFixture.snapshot([Self.rsaExample.with("kid", "1"), issuer.key.json], for: issuer)
        let bench = try Bench(issuer: issuer, keys: keys)
        try bench.verify()
        let refusal = expectRefusal(.keyUnusable) { try bench.verify { $0.header["kid"] = "1" } }
        #expect(refusal?.description.contains("published") == true)
    }

    @Test(.rule("T-058"), arguments: SignatureAlgorithm.allCases)
    func `a generated key is not mistaken for a published one`(algorithm: SignatureAlgorithm) {
        #expect(KeyFixture.reason(KeyFixture.key(algorithm).json) == nil)
    }

    @Test(.rule("T-058"))
    func `allowing published keys allows no other fault of a key`() {
        #expect(KeyFixture.reason(Self.rsaExample.with("use", "enc"), allowPublished: true) == .use)
        #expect(KeyFixture.reason(Self.rsaExample.with("d", "AQ"), allowPublished: true) == .privateKey)
        #expect(KeyFixture.reason(Self.rsaExample.with("e", "AQ"), allowPublished: true) == .weak)
    }

    private static let vectors = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "TestVectors")

    /// Returns the public members of a key pair.
    private func publicHalf(_ file: Data) throws -> TestJSON {
        let members = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
        let names = ["kty", "crv", "n", "e", "x", "y"]
        return .object(names.compactMap { name in (members[name] as? String).map { (name, .string($0)) } })
    }
}
