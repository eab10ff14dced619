// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7515 §2: base64url without padding, accepted only in its canonical encoding.
@Suite struct EncodingTests {
    let bench: Bench
    let good: String
    let segments: [String]

    init() throws {
        bench = try Bench()
        good = bench.issuer.token()
        segments = good.split(separator: ".").map(String.init)
    }

    /// Every ASCII character outside the alphabet, except the dot, which would start another segment.
    static let strangers = (0..<0x80).map { UInt8($0) }.filter { byte in
        !"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8.contains(byte)
    }

    @Test(.rule("T-004"), arguments: 0..<3)
    func `a byte outside the base64url alphabet is refused in each segment`(segment: Int) {
        for byte in Self.strangers {
            let scalar = Character(UnicodeScalar(byte))
            for index in [segments[segment].startIndex, segments[segment].endIndex] {
                var changed = segments
                changed[segment].insert(scalar, at: index)
                expectRefusal(.encoding) { try bench.verify(text: changed.joined(separator: ".")) }
            }
        }
    }

    @Test(.rule("T-004"), arguments: ["é", "\u{FF21}", "\u{430}", "\u{212A}", "🔑", "\u{301}"])
    func `text outside ASCII is refused`(text: String) {
        for segment in segments.indices {
            var changed = segments
            changed[segment] += text
            expectRefusal(.encoding) { try bench.verify(text: changed.joined(separator: ".")) }
        }
    }

    /// RFC 7515 §2 omits the padding that RFC 4648 requires.
    @Test(.rule("T-004"))
    func `padding is refused`() {
        for segment in segments.indices {
            var changed = segments
            changed[segment] += String(repeating: "=", count: (4 - changed[segment].utf8.count % 4) % 4)
            guard changed != segments else { continue }
            expectRefusal(.encoding) { try bench.verify(text: changed.joined(separator: ".")) }
        }
    }

    @Test(.rule("T-004"))
    func `characters of the base64 alphabet that base64url lacks are refused`() throws {
        // A header whose encoding contains both special characters, so that the test does not depend on the signature.
        let header = segments[0] + "." + Base64URL.encode(Array("{\"a\":\"~~~???\"}".utf8))
        let plain = header.replacing("-", with: "+").replacing("_", with: "/")
        try #require(plain != header)
        expectRefusal(.encoding) { try bench.verify(text: plain + "." + segments[2]) }
    }

    @Test(.rule("T-004"))
    func `an impossible length of base64url is refused`() {
        for segment in segments.indices {
            var changed = segments
            while changed[segment].utf8.count % 4 != 1 { changed[segment] += "A" }
            expectRefusal(.encoding) { try bench.verify(text: changed.joined(separator: ".")) }
        }
    }

    /// 256 bytes leave four unused bits in the last character: of sixteen encodings of one signature, one is accepted.
    @Test(.rule("T-004"))
    func `unused bits of the last character must be zero`() throws {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(good.last)
        let value = try #require(alphabet.firstIndex(of: last))
        try #require(value % 16 == 0)
        for (other, character) in alphabet.enumerated() where other != value {
            let text = String(good.dropLast()) + String(character)
            expectRefusal(other % 16 == 0 ? .signature : .encoding) { try bench.verify(text: text) }
        }
    }

    @Test
    func `the refusal names the probable cause`() throws {
        let cases = [
            (good + "==", "ends with =: padding was added"), (good + "%3D%3D", "percent-encoding was not decoded"),
            (good + "+", "it was encoded in base64, not in base64url"), (good + "/", "in base64, not in base64url"),
            (String(good.dropLast()), "has 341 characters, a length that base64url cannot have: it was cut off"),
            (String(good.dropLast()) + "_", "it was cut off, or its last character was changed"),
            (good + "!", "the signature is not canonical base64url"),
        ]
        for (text, cause) in cases {
            let refusal = expectRefusal(.encoding) { try bench.verify(text: text) }
            #expect(refusal?.detail.contains(cause) == true, "\(cause)")
        }
    }

    @Test
    func `the refusal names the segment and quotes nothing of it`() {
        for (name, segment) in zip(["header", "payload", "signature"], segments.indices) {
            var changed = segments
            changed[segment] += "!secret"
            let refusal = expectRefusal(.encoding) { try bench.verify(text: changed.joined(separator: ".")) }
            #expect(refusal?.description.contains(name) == true)
            #expect(refusal?.description.contains("secret") == false)
        }
    }
}
