// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// HMAC with SHA-256 by the test cases of RFC 4231, and the comparison of codes.
@Suite struct AuthenticationCodeTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        let key: [UInt8]
        let message: [UInt8]
        let code: String

        var testDescription: String { "RFC 4231, 4.\(number + 1)" }
    }

    static let examples: [Example] = [
        Example(
            number: 1,
            key: Array(repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Example(
            number: 2,
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Example(
            number: 3,
            key: Array(repeating: 0xAA, count: 20),
            message: Array(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Example(
            number: 4,
            key: Array(0x01...0x19),
            message: Array(repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Example(
            number: 6,
            key: Array(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Example(
            number: 7,
            key: Array(repeating: 0xAA, count: 131),
            message: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
                be hashed before being used by the HMAC algorithm.
                """.utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(.rule("T-027"), arguments: examples)
    func `the test cases of RFC 4231 are reproduced`(example: Example) {
        let code = Digest.sha256.authenticationCode(of: example.message, key: example.key)
        #expect(hexadecimal(code) == example.code)
    }

    @Test func `an empty key is a key of zeros, not the key of the previous call`() {
        let message = Array("message".utf8)
        _ = Digest.sha256.authenticationCode(of: message, key: Array("another key".utf8))
        let empty = Digest.sha256.authenticationCode(of: message, key: [])
        // RFC 2104 §2: keys are padded with zeros.
        #expect(empty == Digest.sha256.authenticationCode(of: message, key: [UInt8](repeating: 0, count: 64)))
        #expect(empty != Digest.sha256.authenticationCode(of: message, key: Array("another key".utf8)))
    }

    @Test func `an empty message has an authentication code`() {
        // A well-known example, HMAC-SHA-256 of the empty message with an empty key.
        let code = hexadecimal(Digest.sha256.authenticationCode(of: [], key: []))
        #expect(code == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test(.rule("T-135"), arguments: [0, 1, 31, 32, 64])
    func `byte strings are equal exactly if all bytes are equal`(count: Int) {
        let first = (0..<count).map { UInt8($0) }
        #expect(constantTimeEquals(first, first))
        #expect(!constantTimeEquals(first, first + [0]))
        #expect(!constantTimeEquals(first + [0], first))
        for position in first.indices {
            var second = first
            second[position] ^= 0x80
            #expect(!constantTimeEquals(first, second))
        }
    }

    @Test func `random bytes have the requested length and differ`() {
        for count in [1, 32, 4096] { #expect(randomBytes(count: count).count == count) }
        #expect(randomBytes(count: 32) != randomBytes(count: 32))
        #expect(openSSLErrorQueueIsEmpty)
    }
}
