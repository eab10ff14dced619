// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Keys for tests, of every algorithm.
@Suite struct TestKeyTests {
    @Test(.rule("T-031"), arguments: SignatureAlgorithm.allCases)
    func `a key signs with its algorithm, and its public key verifies the signature`(
        algorithm: SignatureAlgorithm
    ) throws {
        let key = Self.key(algorithm)
        #expect(key.algorithm == algorithm)
        #expect(key.json["alg"]?.text == "\"\(algorithm.rawValue)\"")
        let publicKey = try key.publicKey()
        #expect(publicKey.keyID == key.keyID && publicKey.algorithms == [algorithm])
        let message = Array("a message".utf8)
        #expect(publicKey.isValidSignature(key.signature(of: message), of: message, algorithm: algorithm))
        #expect(!publicKey.isValidSignature(key.signature(of: message), of: [], algorithm: algorithm))
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `an issuer signs tokens with the algorithm of its key`(algorithm: SignatureAlgorithm) throws {
        let issuer = TestIssuer(key: Self.key(algorithm))
        let token = try Bench(issuer: issuer).verify()
        #expect(token.jws.algorithm == algorithm)
        #expect(token.jws.header.algorithm == algorithm.rawValue && token.jws.header.keyID == issuer.key.keyID)
        expectRefusal(.algorithm) { try Bench(issuer: issuer).verify { $0.header["alg"] = "none" } }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `a key ID has Facebook's format and does not depend on the algorithm`(algorithm: SignatureAlgorithm) {
        let key = Self.key(algorithm)
        #expect(key.keyID.count == 40 && key.keyID.allSatisfy { "0123456789abcdef".contains($0) })
        for other in SignatureAlgorithm.allCases where Self.family(other) == Self.family(algorithm) {
            #expect(key.using(other).keyID == key.keyID && key.using(other).algorithm == other)
        }
    }

    @Test func `a signature is valid only for the algorithm that it was made with`() throws {
        let message = Array("a message".utf8)
        let key = TestKey.shared.using(.ps256)
        let json = TestKey.shared.json
        var open = json
        open["alg"] = nil
        let publicKey = try JSONWebKey(json: open.text)
        let signature = key.signature(of: message)
        #expect(publicKey.isValidSignature(signature, of: message, algorithm: .ps256))
        #expect(!publicKey.isValidSignature(signature, of: message, algorithm: .rs256))
        #expect(!publicKey.isValidSignature(signature, of: message, algorithm: .es256))
        #expect(try !TestKey.shared.publicKey().isValidSignature(signature, of: message, algorithm: .ps256))
    }

    @Test func `every generated key is different`() {
        for algorithm in [.es256, .es384, .es512, .edDSA] as [SignatureAlgorithm] {
            #expect(TestKey(algorithm).keyID != TestKey(algorithm).keyID)
        }
        #expect(TestKey.shared.keyID != TestKey.another.keyID)
    }

    @Test(arguments: [.rs256, .ps256, .es256, .edDSA] as [SignatureAlgorithm])
    func `the JSON of a key contains no private members`(algorithm: SignatureAlgorithm) throws {
        guard case .object(let members) = Self.key(algorithm).json else {
            Issue.record("a key is an object")
            return
        }
        #expect(Set(members.map(\.name)).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
    }

    /// One pair for each type.
    private static func key(_ algorithm: SignatureAlgorithm) -> TestKey {
        switch family(algorithm) {
        case "RSA": TestKey.shared.using(algorithm)
        case "Ed25519": edwards.using(algorithm)
        default: curves.first { $0.algorithm == algorithm } ?? .shared
        }
    }

    private static let edwards = TestKey(.ed25519)
    private static let curves = [TestKey(.es256), TestKey(.es384), TestKey(.es512)]

    private static func family(_ algorithm: SignatureAlgorithm) -> String {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: algorithm.rawValue
        case .edDSA, .ed25519: "Ed25519"
        }
    }
}
