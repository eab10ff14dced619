// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginCrypto
internal import LoginTesting
internal import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The octets that can be a shared secret, and those that cannot.
@Suite struct SharedSecretTests {
    /// Random octets without a pattern of text.
    static let octets = Array(Digest.sha512.hash("octets".utf8)) + Digest.sha512.hash("more octets".utf8)

    static let lengths: [(SharedSecret.Algorithm, Int)] = [(.hs256, 32), (.hs384, 48), (.hs512, 64)]

    @Test(.rule("T-270"), arguments: lengths)
    func `a secret is at least as long as the hash`(algorithm: SharedSecret.Algorithm, minimum: Int) throws {
        #expect(algorithm.minimumByteCount == minimum)
        let secret = try SharedSecret(octets: Self.octets.prefix(minimum), algorithm: algorithm)
        #expect(secret.algorithm == algorithm)
        for count in [0, 1, minimum - 1] {
            let error = #expect(throws: PolicyError.self) {
                try SharedSecret(octets: Self.octets.prefix(count), algorithm: algorithm)
            }
            #expect(error?.description.contains("\(algorithm.rawValue) requires at least \(minimum) bytes") == true)
        }
    }

    @Test(.rule("T-270"))
    func `a secret has at most 1024 bytes`() throws {
        let long = Array(repeating: Self.octets, count: 8).flatMap { $0 }
        _ = try SharedSecret(octets: long, algorithm: .hs256)
        #expect(throws: PolicyError.self) { try SharedSecret(octets: long + [1], algorithm: .hs256) }
    }

    @Test(.rule("T-270"))
    func `the length of a text in base64 is that of its octets`() throws {
        // 44 characters, but 31 octets.
        let text = Data(Self.octets.prefix(31)).base64EncodedString()
        _ = try SharedSecret(text, algorithm: .hs256)
        #expect(throws: PolicyError.self) { try SharedSecret(text, encoding: .base64, algorithm: .hs256) }
    }

    @Test(.rule("T-271"))
    func `the octets of a text are its UTF-8, even if it is base64`() throws {
        let text = Data(Self.octets.prefix(32)).base64EncodedString()
        try expect(SharedSecret(text, algorithm: .hs256), hasOctets: text.utf8)
        let accented = "cafe\u{301} and other words that make it long enough"
        try expect(SharedSecret(accented, algorithm: .hs256), hasOctets: accented.utf8)
    }

    @Test(.rule("T-271"))
    func `base64 and base64url are decoded if they are named`() throws {
        let octets = Self.octets.prefix(40)
        let base64 = Data(octets).base64EncodedString()
        let base64url = Self.base64url(base64)
        try expect(SharedSecret(octets: octets, algorithm: .hs256), hasOctets: octets)
        try expect(SharedSecret(base64, encoding: .base64, algorithm: .hs256), hasOctets: octets)
        try expect(SharedSecret(base64url, encoding: .base64url, algorithm: .hs256), hasOctets: octets)
    }

    @Test(.rule("T-271"))
    func `a text that is not canonical in the named encoding is refused`() throws {
        let base64 = Data([0xFB, 0xEF] + Self.octets.prefix(32)).base64EncodedString()
        let base64url = Self.base64url(base64)
        #expect(base64.contains("+") && base64.hasSuffix("="))
        for (text, encoding) in [
            (base64url, .base64), (String(base64.dropLast(2)), .base64), (base64 + "\n", .base64),
            (" " + base64, .base64), ("\"\(base64)\"", .base64), (base64, .base64url), (base64url + "==", .base64url),
            ("!" + base64url, .base64url),
        ] as [(String, SharedSecret.Encoding)] {
            let error = #expect(throws: PolicyError.self) {
                try SharedSecret(text, encoding: encoding, algorithm: .hs256)
            }
            #expect(error?.description.contains("not canonical \(encoding.rawValue)") == true)
        }
    }

    // MARK: What is public

    static let documents: [Secret] = [.pem, .pemWithoutLastLineBreak, .pemAfterSpace, .der, .jwk, .jwkSet]

    @Test(.rule("T-272"), arguments: [.rs256, .es256, .es384, .es512, .ed25519] as [SignatureAlgorithm], documents)
    func `a public key is no secret, in any form and also within base64`(
        algorithm: SignatureAlgorithm,
        form: Secret
    ) throws {
        let bytes = try form.bytes(of: KeyFixture.key(algorithm))
        let base64 = Data(bytes).base64EncodedString()
        let wrapped = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn])
        for octets in [bytes, Array(base64.utf8), Array(Self.base64url(base64).utf8), Array((wrapped + "\n").utf8)] {
            expectNoSecret(octets)
        }
        #expect(throws: PolicyError.self) { try SharedSecret(base64, encoding: .base64, algorithm: .hs256) }
    }

    @Test(
        .rule("T-272"),
        arguments: [.rs256, .es256, .ed25519] as [SignatureAlgorithm],
        [.pem, .der, .jwk] as [Secret]
    )
    func `a public key in hexadecimal digits or percent-encoding is no secret`(
        algorithm: SignatureAlgorithm,
        form: Secret
    ) throws {
        let bytes = try form.bytes(of: KeyFixture.key(algorithm))
        let digits = hexadecimal(bytes)
        let pairs = bytes.map { hexadecimal([$0]) }
        let encoded = bytes.flatMap { PercentEncoding.encode($0) }
        for text in [digits, digits.uppercased(), pairs.joined(separator: ":"), pairs.joined(separator: " \n")] {
            expectNoSecret(Array(text.utf8))
        }
        expectNoSecret(encoded)
    }

    @Test(.rule("T-272"), arguments: [.pem, .der, .jwk] as [Secret])
    func `a public key within two layers of an encoding is no secret`(form: Secret) throws {
        let bytes = try form.bytes(of: KeyFixture.key(.es256))
        func base64(_ octets: [UInt8]) -> [UInt8] { Array(Data(octets).base64EncodedString().utf8) }
        func digits(_ octets: [UInt8]) -> [UInt8] { Array(hexadecimal(octets).utf8) }
        for octets in [
            base64(base64(bytes)), digits(base64(bytes)), base64(digits(bytes)), digits(digits(bytes)),
            base64(bytes).flatMap { PercentEncoding.encode($0) },
        ] { expectNoSecret(octets) }
        _ = try SharedSecret(octets: base64(base64(Self.octets)), algorithm: .hs256)
    }

    @Test(
        .rule("T-272"),
        arguments: [
            "<RSAKeyValue><Modulus>AAAA</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>",
            "<?xml version=\"1.0\"?>\n<ds:KeyInfo><ds:X509Certificate>AAAA</ds:X509Certificate></ds:KeyInfo>",
            "---- BEGIN SSH2 PUBLIC KEY ----\nComment: \"mine\"\nAAAA\n---- END SSH2 PUBLIC KEY ----\n",
            "sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20 mine",
            "restrict,command=\"date\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0a user",
            "host ssh-rsa AAAAB3NzaC1yc2EAAAA",
            "host ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI", "AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7",
            "-----BEGIN+PUBLIC+KEY-----%0AAAAA%0A-----END+PUBLIC+KEY-----",
        ]
    )
    func `a key in XML or for SSH is no secret`(text: String) {
        expectNoSecret(Array(text.utf8))
    }

    @Test(.rule("T-272"), arguments: ["a", "ab", "aab", "password", "0123", "\0"])
    func `a few octets that repeat are no secret, unless tests allow it`(pattern: String) throws {
        let text = String(String(repeating: pattern, count: 64).prefix(64))
        for algorithm in SharedSecret.Algorithm.allCases {
            let error = #expect(throws: PolicyError.self) { try SharedSecret(text, algorithm: algorithm) }
            #expect(error?.description.contains("guess") == true)
        }
        _ = try SharedSecret(text, algorithm: .hs256, allowPublishedTestSecrets: true)
    }

    @Test(.rule("T-272"), arguments: ["123456789", "0123456789abcdef"])
    func `a longer text may repeat`(text: String) throws {
        _ = try SharedSecret(String(repeating: text, count: 4), algorithm: .hs256)
    }

    @Test(.rule("T-272"))
    func `a private key, a certificate, a symmetric JWK and a token are no secrets`() throws {
        let issuer = TestIssuer()
        let jwk = "{\"kty\":\"oct\",\"k\":\"\(Self.base64url(Data(Self.octets.prefix(32)).base64EncodedString()))\"}"
        let texts = [
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "\u{FEFF}-----BEGIN CERTIFICATE-----\nAAAA",
            "Subject: someone\n-----BEGIN RSA PUBLIC KEY-----\nAAAA", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0a user",
            "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAI", jwk, " " + jwk + "\n", "\u{FEFF}" + jwk,
            "[\(jwk)]", "{\"keys\":[\(jwk)]}", issuer.token(), issuer.token { $0.signing = .hmac(secret: [1]) } + "\n",
        ]
        for text in texts { expectNoSecret(Array(text.utf8)) }
        // The two integers of an RSA key without an algorithm identifier (RFC 8017 §A.1.1).
        expectNoSecret(
            [0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01] + Self.octets + Self.octets + Self.octets.prefix(6)
        )
    }

    @Test(
        .rule("T-272"),
        arguments: [
            "{not JSON, but a text of forty characters}", "0\u{22}\u{2}\u{20}is not DER, whose lengths must agree",
            "eyJhbGciOiJIUzI1NiJ9 without two dots after it", "ssh is mentioned, without a key after it",
            "a.b.c and then the rest of the passphrase",
        ]
    )
    func `a text that only resembles a document can be a secret`(text: String) throws {
        _ = try SharedSecret(text, algorithm: .hs256)
    }

    @Test(
        .rule("T-272"),
        arguments: [
            "a-string-secret-at-least-256-bits-long", "super-secret-jwt-token-with-at-least-32-characters-long",
        ]
    )
    func `a published secret is refused, unless tests allow it`(text: String) throws {
        let error = #expect(throws: PolicyError.self) { try SharedSecret(text, algorithm: .hs256) }
        #expect(error?.description.contains("published") == true)
        _ = try SharedSecret(text, algorithm: .hs256, allowPublishedTestSecrets: true)
        _ = try SharedSecret(text + ".", algorithm: .hs256)
    }

    @Test(.rule("T-272"))
    func `the secret of RFC 7515 A.1 is recognized in base64url`() throws {
        let k = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        #expect(throws: PolicyError.self) { try SharedSecret(k, encoding: .base64url, algorithm: .hs512) }
    }

    // MARK: What is shown

    @Test(.rule("T-273"))
    func `no description or error contains the secret`() throws {
        let text = "correct horse battery staple, twice over"
        let secret = try SharedSecret(text, algorithm: .hs256)
        var dumped = ""
        dump((secret, try TokenVerifier(policy: Bench().policy, secret: secret)), to: &dumped)
        for shown in ["\(secret)", String(reflecting: secret), String(reflecting: [secret]), dumped] {
            #expect(!shown.contains("horse") && !shown.contains("99, 111, 114"))
        }
        #expect("\(secret)" == "shared secret for HS256")
        for error in [
            #expect(throws: PolicyError.self) { try SharedSecret("too short a horse", algorithm: .hs256) },
            #expect(throws: PolicyError.self) { try SharedSecret(text, encoding: .base64, algorithm: .hs256) },
        ] {
            #expect(error.map { "\($0)".contains("horse") } == false)
        }
    }

    private static func base64url(_ base64: String) -> String {
        base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func expectNoSecret(_ octets: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        for algorithm in SharedSecret.Algorithm.allCases {
            let error = #expect(throws: PolicyError.self, sourceLocation: sourceLocation) {
                try SharedSecret(octets: octets, algorithm: algorithm, allowPublishedTestSecrets: true)
            }
            #expect(error?.description.hasSuffix("is no secret") == true, sourceLocation: sourceLocation)
        }
    }

    /// Checks that the secret verifies what was signed with these octets.
    private func expect(_ secret: SharedSecret, hasOctets octets: some Collection<UInt8>) throws {
        let token = TestToken.compact(
            header: Array("{\"alg\":\"HS256\"}".utf8),
            payload: [],
            signing: .hmac(secret: Array(octets))
        )
        _ = try CompactJWS(token).verified(with: secret)
    }
}
