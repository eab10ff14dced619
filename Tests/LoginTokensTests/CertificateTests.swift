// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7517 §4.7: the certificate that a published key may carry.
///
/// It must hold the same key; its chain is not verified, because trust in the key comes from the server that published
/// it.
@Suite struct CertificateTests {
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256, .es384, .es512, .edDSA]

    private func reason(_ chain: TestJSON?, of algorithm: SignatureAlgorithm = .rs256) -> UnusableKey.Reason? {
        let reason = KeyFixture.reason(KeyFixture.key(algorithm).json.with("x5c", chain))
        #expect(openSSLErrorQueueIsEmpty)
        return reason
    }

    private func base64(_ bytes: [UInt8]) -> TestJSON { .string(Data(bytes).base64EncodedString()) }

    private func certificate(_ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        try DER.certificate(of: KeyFixture.key(algorithm).json)
    }

    @Test(.rule("T-069"), arguments: algorithms)
    func `a certificate with the key's public key is accepted and one with another key is refused`(
        algorithm: SignatureAlgorithm
    ) throws {
        #expect(reason(nil, of: algorithm) == nil)
        #expect(reason([base64(try certificate(algorithm))], of: algorithm) == nil)
        for other in Self.algorithms where other != algorithm {
            #expect(reason([base64(try certificate(other))], of: algorithm) == .malformed, "\(other)")
        }
        let stranger = algorithm == .rs256 ? TestKey.another : TestKey(algorithm)
        #expect(reason([base64(try DER.certificate(of: stranger.json))], of: algorithm) == .malformed)
    }

    @Test(.rule("T-069"))
    func `a certificate for RSASSA-PSS is one of the RSA key with the same numbers`() throws {
        /// Makes the key of a certificate one for RSASSA-PSS with its default parameters (RFC 4055 §1.2, §3.1).
        func restricted(_ certificate: [UInt8]) throws -> [UInt8] {
            let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
            var bytes = certificate
            bytes.replaceSubrange(try #require(bytes.firstRange(of: rsa)), with: rsa.dropLast(3) + [0x0A, 0x30, 0x00])
            return bytes
        }
        let (own, other) = (try certificate(.rs256), try DER.certificate(of: TestKey.another.json))
        #expect(reason([base64(try restricted(own))]) == nil)
        #expect(reason([base64(try restricted(other))]) == .malformed)
    }

    @Test(.rule("T-069"))
    func `only the first certificate is compared with the key`() throws {
        let own = base64(try certificate(.rs256))
        let other = base64(try certificate(.es256))
        #expect(reason([own, other]) == nil)
        #expect(reason([own, "no certificate"]) == nil)
        #expect(reason([other, own]) == .malformed)
    }

    @Test(.rule("T-069"), arguments: [[], [1], [.null], [[]], "AAAA", .null, 1, true, [:]] as [TestJSON])
    func `an x5c member that is not an array of strings is ignored`(chain: TestJSON) {
        #expect(reason(chain) == nil)
    }

    @Test(.rule("T-069"))
    func `a text that is not a certificate is ignored, and so is a bare public key`() throws {
        let own = try certificate(.rs256)
        let json = KeyFixture.key(.rs256).json
        let others: [[UInt8]] = [
            [], [0], own.dropLast(), Array(own.dropFirst()), [0] + own, Array(own.prefix(100)),
            try DER.publicKey(json), DER.sequence(), DER.null, [UInt8](repeating: 0xFF, count: 300),
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], try DER.publicKey(TestKey.another.json),
        ]
        for other in others { #expect(reason([base64(other)]) == nil, "\(other.count) bytes") }
    }

    @Test(.rule("T-069"), arguments: [[0], [0x30, 0x82], [UInt8](repeating: 0xFF, count: 300)] as [[UInt8]])
    func `bytes after a certificate do not hide its key`(further: [UInt8]) throws {
        #expect(reason([base64(try certificate(.rs256) + further)]) == nil)
        #expect(reason([base64(try certificate(.es256) + further)]) == .malformed)
    }

    @Test(.rule("T-069"))
    func `a certificate with another key is refused in each spelling that can be read`() throws {
        let key = try #require(
            (0..<64).lazy.map { _ in TestKey(.es256) }.first { key in
                let text = (try? DER.certificate(of: key.json)).map { Data($0).base64EncodedString() }
                return text.map { $0.contains("+") && $0.contains("/") && $0.hasSuffix("=") } == true
            }
        )
        let text = Data(try DER.certificate(of: key.json)).base64EncodedString()
        let url = text.replacing("+", with: "-").replacing("/", with: "_")
        let last = text.replacing("=", with: "").last?.asciiValue ?? 0
        // The last character with an unused bit set.
        let leftOver =
            text.replacing("=", with: "").dropLast() + String(UnicodeScalar(last + 1))
            + String(repeating: "=", count: text.count { $0 == "=" })
        func folded(_ space: String) -> String { "\(text.prefix(64))\(space)\(text.dropFirst(64))" }
        let readable: [String] = [
            text, url, url.replacing("=", with: ""), text.replacing("=", with: ""), text + "\n",
            folded("\r\n"), folded("\t "), " " + text,
            "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\(text)",
            "subject=/CN=issuer\n-----BEGIN X509 CERTIFICATE-----\r\n\(text)\r\n-----END X509 CERTIFICATE-----",
        ]
        for text in readable {
            #expect(KeyFixture.reason(key.json.with("x5c", [.string(text)])) == nil)
            #expect(reason([.string(text)]) == .malformed)
        }
        for text in [
            text + "=", leftOver, "data:," + text, "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----\n\(text)",
        ] { #expect(reason([.string(text)]) == nil) }
    }

    @Test(.rule("T-069"))
    func `a certificate whose point is off the curve cannot be read, and is ignored`() throws {
        let own = try certificate(.es256)
        let point = try KeyFixture.p256.json.decoded("x")
        let start = try #require(own.indices.first { own[$0...].starts(with: point) })
        for place in start..<start + 64 {
            var other = own
            other[place] ^= 1
            #expect(reason([base64(other)], of: .es256) == nil)
        }
    }

    @Test(.rule("T-069"))
    func `a token that names a key with a wrong certificate is refused, and other keys stay usable`() throws {
        let issuer = TestIssuer()
        let wrong = TestKey.another.json.with("x5c", [base64(try certificate(.rs256))])
        let bench = try Bench(issuer: issuer, keys: KeyFixture.snapshot([wrong, issuer.key.json], for: issuer))
        try bench.verify()
        expectRefusal(.keyUnusable) {
            try bench.verify { token in
                token.header["kid"] = .string(TestKey.another.keyID)
                token.signing = .key(.another)
            }
        }
    }
}
