// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 4648 §5 without padding: one encoding for each byte string.
@Suite struct Base64URLTests {
    /// RFC 4648 §10, and RFC 7515 appendix C, whose text has both characters that plain base64 lacks.
    static let published: [(String, [UInt8])] = [
        ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
        ("Zm9vYg", Array("foob".utf8)), ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)),
        ("A-z_4ME", [3, 236, 255, 224, 193]),
    ]

    @Test(arguments: published)
    func `the published examples decode and encode`(text: String, bytes: [UInt8]) {
        #expect(Base64URL.decode(text.utf8) == bytes)
        #expect(Base64URL.encode(bytes) == text)
    }

    @Test(arguments: 0..<100)
    func `base64url round-trips, and equals the encoding of Foundation`(count: Int) {
        var numbers = SeededNumbers(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let text = Base64URL.encode(bytes)
        #expect(Base64URL.decode(text.utf8) == bytes)
        let plain = Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(text == plain)
    }

    /// Of 65,536 pairs of characters, 256 decode to one byte, each to a different one.
    @Test
    func `each byte sequence has exactly one valid encoding`() {
        var seen: [UInt8] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                guard let bytes = Base64URL.decode([first, second]) else { continue }
                seen += bytes
                #expect(Array(Base64URL.encode(bytes).utf8) == [first, second])
            }
        }
        #expect(seen.sorted() == Array(UInt8.min...UInt8.max))
    }

    @Test(.rule("T-004"))
    func `the two unused bits of a final group of three characters must be zero`() {
        for (last, isCanonical) in [("A", true), ("B", false), ("C", false), ("D", false), ("E", true), ("_", false)] {
            #expect((Base64URL.decode(("AA" + last).utf8) != nil) == isCanonical)
        }
    }

    @Test(
        .rule("T-004"),
        arguments: ["Zg==", "Zg=", "Zm8=", "Zm9v=", "Z", "Zm9vY", "Zm9 v", "Zm9v\n", "+/+/", "Zm9v\0", "é", "="]
    )
    func `other texts are not decoded`(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test
    func `a slice decodes like a separate array`() {
        let text = Array("xxZm9vYmE.".utf8)
        #expect(Base64URL.decode(text[2..<9]) == Array("fooba".utf8))
        #expect(Base64URL.decode(text[2..<10]) == nil)
    }
}
