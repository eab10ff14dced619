// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginCrypto
import TestSupport
import Testing

@testable import LoginAccounts

/// The published examples of one-time passwords, and the accepted formats of codes.
@Suite struct TOTPTests {
    /// Returns a generator of RFC 6238, appendix B, whose secret is as long as the hash.
    static func totp(_ algorithm: TOTPAlgorithm, digits: Int = 8) -> TOTP {
        let count = [TOTPAlgorithm.sha1: 20, .sha256: 32, .sha512: 64][algorithm] ?? 20
        let secret = (0..<count).map { Array("1234567890".utf8)[$0 % 10] }
        return TOTP(secret: secret, parameters: .init(algorithm: algorithm, digits: digits))
    }

    static let times: [Int64] = [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000]

    static let codes: [(TOTPAlgorithm, [String])] = [
        (.sha1, ["94287082", "07081804", "14050471", "89005924", "69279037", "65353130"]),
        (.sha256, ["46119246", "68084774", "67062674", "91819424", "90698825", "77737706"]),
        (.sha512, ["90693936", "25091201", "99943326", "93441116", "38618901", "47863826"]),
    ]

    private func text(_ totp: TOTP, at seconds: Int64) -> String {
        let step = TOTP.step(at: StoreTime(milliseconds: seconds * 1000))
        return String(decoding: totp.code(of: step) ?? [], as: UTF8.self)
    }

    @Test(.rule("TOTP-5"), arguments: codes)
    func `the test vectors of RFC 6238 are reproduced`(_ algorithm: TOTPAlgorithm, _ expected: [String]) {
        #expect(Self.times.map { text(Self.totp(algorithm), at: $0) } == expected)
    }

    @Test(.rule("TOTP-1", "TOTP-5"))
    func `six-digit codes keep their leading zeros`() {
        let totp = Self.totp(.sha1, digits: 6)
        #expect(Self.times.map { text(totp, at: $0) } == ["287082", "081804", "050471", "005924", "279037", "353130"])
    }

    @Test(.rule("TOTP-5"))
    func `the test vectors of RFC 4226 are reproduced`() {
        let totp = Self.totp(.sha1, digits: 6)
        let codes = (0..<10).map { String(decoding: totp.code(of: $0) ?? [], as: UTF8.self) }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
            ]
        )
    }

    @Test(.rule("TOTP-1")) func `a generated secret has 160 bits and is different each time`() {
        #expect(TOTP.makeSecret().count == 20)
        #expect(TOTP.makeSecret() != TOTP.makeSecret())
        #expect(TOTP(secret: TOTP.makeSecret()).parameters == .init(algorithm: .sha1, digits: 6))
    }

    @Test(.rule("TOTP-2", "TOTP-4"), arguments: [(0, 0), (1, 0), (1, 1), (3, 2)])
    func `a code is accepted within the window, and yields its step`(back: Int, forward: Int) throws {
        let totp = Self.totp(.sha1, digits: 6)
        let now = StoreTime(milliseconds: 1_760_000_010_000)
        let current = TOTP.step(at: now)
        for distance in -4...4 {
            let code = try #require(totp.code(of: current + Int64(distance)))
            let found = totp.step(of: code, at: now, back: back, forward: forward)
            #expect(found == ((-back...forward).contains(distance) ? current + Int64(distance) : nil))
        }
    }

    @Test(.rule("TOTP-2")) func `a step begins every 30 seconds, to the millisecond`() {
        #expect(TOTP.step(at: StoreTime(milliseconds: 29_999)) == 0)
        #expect(TOTP.step(at: StoreTime(milliseconds: 30_000)) == 1)
        #expect(TOTP.step(at: StoreTime(milliseconds: -1)) == -1)
        #expect(TOTP.step(at: StoreTime(milliseconds: -30_000)) == -1)
        #expect(TOTP.step(at: StoreTime(milliseconds: -30_001)) == -2)
    }

    @Test(.rule("TOTP-4")) func `a code of the wrong length is refused`() throws {
        let totp = Self.totp(.sha1, digits: 6)
        let now = StoreTime(milliseconds: 59_000)
        let code = try #require(totp.code(of: 1))
        #expect(totp.step(of: code, at: now, back: 0, forward: 0) == 1)
        #expect(totp.step(of: code + [0x30], at: now, back: 0, forward: 0) == nil)
        #expect(totp.step(of: Array(code.dropLast()), at: now, back: 0, forward: 0) == nil)
        #expect(totp.step(of: [], at: now, back: 0, forward: 0) == nil)
    }

    @Test(.rule("TOTP-6"), arguments: ["287082", "287 082", " 287082 ", "2 8 7 0 8 2"])
    func `spaces in a code are ignored`(input: String) {
        #expect(OneTimeCode.digits(input, count: 6) == Array("287082".utf8))
    }

    @Test(
        .rule("TOTP-6"),
        arguments: [
            "", "28708", "2870820", "28708a", "２８７０８２", "٢٨٧٠٨٢", "287\u{301}082", "287-082", "+28708", "-28708",
            "287\u{A0}082", "287\n082", "287\t082", String(repeating: " ", count: 59) + "287082",
            String(repeating: "2", count: 100_000),
        ]
    )
    func `a code that is not exactly ASCII digits is refused`(input: String) {
        #expect(OneTimeCode.digits(input, count: 6) == nil)
    }

    @Test(.rule("TOTP-8")) func `the otpauth URI contains all parameters, percent-encoded`() {
        let totp = TOTP(secret: Array("12345678901234567890".utf8))
        #expect(
            totp.uri(issuer: "Ex&mple: Ltd", accountName: "ada+1@example.com?x=ü")
                == "otpauth://totp/Ex%26mple%3A%20Ltd:ada%2B1%40example.com%3Fx%3D%C3%BC"
                + "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ex%26mple%3A%20Ltd&algorithm=SHA1&digits=6&period=30"
        )
        #expect(totp.uri(issuer: "\u{1}", accountName: "").contains("/%01:?"))
    }

    @Test(.rule("TOTP-8")) func `the otpauth URI has the whole characters in the first 256 bytes of a name`() {
        let totp = TOTP(secret: Array("12345678901234567890".utf8))
        let (longest, longer) = (String(repeating: "a", count: 254), String(repeating: "a", count: 255))
        #expect(totp.uri(issuer: longest + "ü", accountName: "").hasPrefix("otpauth://totp/\(longest)%C3%BC:?"))
        #expect(totp.uri(issuer: longer + "ü", accountName: "").hasPrefix("otpauth://totp/\(longer):?"))
    }
}

@Suite struct Base32Tests {
    /// RFC 4648 §10.
    static let examples = [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ]

    @Test(.rule("TOTP-8"), arguments: examples)
    func `the test vectors of RFC 4648 are reproduced, without padding`(text: String, encoded: String) {
        #expect(Base32.encode(Array(text.utf8)) == encoded)
        #expect(Base32.decode(encoded) == Array(text.utf8))
        #expect(Base32.decode(encoded.lowercased() + "======") == Array(text.utf8))
    }

    @Test(.rule("TOTP-8")) func `text in groups with spaces or hyphens is decoded`() {
        #expect(Base32.decode("mzxw 6ytb-oi") == Array("foobar".utf8))
    }

    @Test(arguments: [
        "M", "MZX", "MZXW6Y", "MZ", "MZXW6YTBOJ", "M1", "M8", "MÝ", "MY=MY", String(repeating: "A", count: 1025),
    ])
    func `invalid Base32 is refused`(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test func `bytes of any length round-trip`() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 13) }
            #expect(Base32.decode(Base32.encode(bytes)) == bytes)
        }
    }
}
