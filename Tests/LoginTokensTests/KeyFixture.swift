// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import Testing

/// One key for each algorithm, and helpers for tests of keys.
enum KeyFixture {
    /// Returns a key for this algorithm: one pair for all RSA algorithms, one for each curve.
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

    /// Returns the algorithms of the key's type and curve.
    static func family(_ algorithm: SignatureAlgorithm) -> Set<SignatureAlgorithm> {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .es256, .es384, .es512: [algorithm]
        case .edDSA, .ed25519: [.edDSA, .ed25519]
        }
    }

    /// Returns the reason why a key with these members is unusable; nil if it is usable.
    static func reason(_ json: TestJSON, allowPublished: Bool = false) -> UnusableKey.Reason? {
        do throws(UnusableKey) {
            _ = try JSONWebKey(json: json.text, allowPublishedTestKeys: allowPublished)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Returns a snapshot that holds these keys for an issuer.
    static func snapshot(_ keys: [TestJSON], for issuer: TestIssuer) throws -> KeySnapshot {
        let set = try JSONWebKeySet(json: (["keys": .array(keys)] as TestJSON).text)
        return KeySnapshot(provider: issuer.provider, keys: set)
    }
}

extension TestJSON {
    /// Returns this object with one member changed or removed.
    func with(_ name: String, _ value: TestJSON?) -> TestJSON {
        var json = self
        json[name] = value
        return json
    }

    /// Decodes a base64url member.
    func decoded(_ name: String) throws -> [UInt8] {
        guard case .string(let text) = self[name] else { return [] }
        return try #require(Base64URL.decode(text.utf8))
    }

    /// Returns a string of these bytes in base64url.
    static func encoded(_ bytes: [UInt8]) -> TestJSON { .string(Base64URL.encode(bytes)) }
}

/// Decodes hexadecimal digits.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
