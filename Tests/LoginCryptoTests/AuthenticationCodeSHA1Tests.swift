// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// HMAC with SHA-1 by the test cases of RFC 2202 §3.
@Suite struct AuthenticationCodeSHA1Tests {
    static let examples: [([UInt8], [UInt8], String)] = [
        (Array(repeating: 0x0B, count: 20), Array("Hi There".utf8), "b617318655057264e28bc0b6fb378c8ef146be00"),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            Array(repeating: 0xAA, count: 20), Array(repeating: 0xDD, count: 50),
            "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
        ),
        (
            Array(repeating: 0xAA, count: 80),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "aa4ae5e15272d00e95705637ce8a3b55ed402112"
        ),
    ]

    @Test(.rule("TOTP-5"), arguments: examples)
    func `the test cases of RFC 2202 are reproduced`(key: [UInt8], message: [UInt8], code: String) {
        #expect(authenticationCodeSHA1(of: message, key: key).map { hexadecimal($0) } == code)
    }

    @Test func `an empty key is a key of zeros, not the key of the previous call`() {
        let message = Array("message".utf8)
        _ = authenticationCodeSHA1(of: message, key: Array("another key".utf8))
        let empty = authenticationCodeSHA1(of: message, key: [])
        #expect(empty == authenticationCodeSHA1(of: message, key: [UInt8](repeating: 0, count: 64)))
        #expect(empty != authenticationCodeSHA1(of: message, key: Array("another key".utf8)))
    }
}
