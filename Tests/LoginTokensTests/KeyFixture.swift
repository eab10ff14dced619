// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import Testing

/// One key for each algorithm, and what tests ask of keys.
enum KeyFixture {
    /// A key that signs by this algorithm: one pair for all of RSA, one for each curve.
    static func key(_ algorithm: SignatureAlgorithm) -> TestKey {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: TestKey.shared.using(algorithm)
        case .es256: p256
        case .es384: p384
        case .es512: p521
        case .edDSA, .ed25519: edwards.using(algorithm)
        }
    }

    static let p256 = TestKey(.es256)
    static let p384 = TestKey(.es384)
    static let p521 = TestKey(.es512)
    static let edwards = TestKey(.edDSA)

    /// The algorithms of the key's type and curve.
    static func family(_ algorithm: SignatureAlgorithm) -> Set<SignatureAlgorithm> {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .es256, .es384, .es512: [algorithm]
        case .edDSA, .ed25519: [.edDSA, .ed25519]
        }
    }

    /// Why a key with these members cannot be used; nil where it can.
    static func reason(_ json: TestJSON, allowPublished: Bool = false) -> UnusableKey.Reason? {
        do throws(UnusableKey) {
            _ = try JSONWebKey(json: json.text.utf8, allowPublishedTestKeys: allowPublished)
            return nil
        } catch {
            return error.reason
        }
    }

    /// A snapshot that holds these keys for an issuer.
    static func snapshot(_ keys: [TestJSON], for issuer: TestIssuer) throws -> KeySnapshot {
        let set = try JSONWebKeySet(json: (["keys": .array(keys)] as TestJSON).text.utf8)
        return KeySnapshot(provider: issuer.provider, keys: set)
    }
}

extension TestJSON {
    /// This object with one member changed, or without it.
    func with(_ name: String, _ value: TestJSON?) -> TestJSON {
        var json = self
        json[name] = value
        return json
    }

    /// What a member in base64url stands for.
    func decoded(_ name: String) throws -> [UInt8] {
        guard case .string(let text) = self[name] else { return [] }
        return try #require(Base64URL.decode(text.utf8))
    }

    /// A member that is these bytes in base64url.
    static func encoded(_ bytes: [UInt8]) -> TestJSON { .string(Base64URL.encode(bytes)) }
}

/// What the digits stand for, two a byte.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
