// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
import LoginText
internal import TestSupport
internal import Testing

/// The fast searches find the same as a loop over the bytes, at every alignment and with every remainder.
@Suite struct ByteSearchTests {
    // MARK: Plain text

    /// RFC 8259 §7: whether a byte is ASCII and represents itself in a string.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func clearEnd(_ bytes: [UInt8], from start: Int) -> Int {
        bytes[start...].firstIndex { !isPlain($0) } ?? bytes.count
    }

    @Test(.rule("T-093"), arguments: 0..<16)
    func `each byte ends plain text or not, independently of its position`(alignment: Int) {
        for place in 0..<24 {
            var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: alignment + 24)
            for byte in UInt8.min...UInt8.max {
                bytes[alignment + place] = byte
                let end = endOfPlainText(in: bytes.span, from: alignment)
                if end != (Self.isPlain(byte) ? bytes.count : alignment + place) {
                    Issue.record("byte \(byte) at place \(place): \(end)")
                }
            }
        }
    }

    /// The search processes eight bytes at a time; of two special bytes it must find the first.
    @Test(.rule("T-093"), arguments: 0..<16)
    func `the first special byte after any start is found`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let letters: [UInt8] = [
            0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7E, 0x7F, 0x80, 0xA2, 0xDC, 0xFF,
        ]
        for length in 0...40 {
            for share in [1, 4, 16] {
                let bytes = (0..<length).map { _ in
                    Int.random(in: 0..<share, using: &numbers) == 0
                        ? letters.randomElement(using: &numbers) ?? 0 : UInt8.random(in: 0x5D...0x7F, using: &numbers)
                }
                for start in 0...length {
                    let end = endOfPlainText(in: bytes.span, from: start)
                    if end != Self.clearEnd(bytes, from: start) { Issue.record("\(bytes) from \(start): \(end)") }
                }
            }
        }
    }

    @Test(.rule("T-093"))
    func `bytes after the end are not searched`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 64) + [UInt8](repeating: 0, count: 8)
        for start in 0...16 {
            for end in start...64 {
                let part = bytes.span.extracting(start..<end)
                #expect(endOfPlainText(in: part, from: 0) == part.count)
            }
        }
        #expect(endOfPlainText(in: [UInt8]().span, from: 0) == 0)
    }

    // MARK: One byte

    @Test(arguments: 0..<16)
    func `the first byte with a given value is found within the range and not outside`(alignment: Int) {
        var numbers = SeededNumbers(seed: UInt64(alignment))
        for length in 0...40 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...3, using: &numbers) &* 0x55 }
            let around = [UInt8](repeating: 0x55, count: alignment)
            let whole = around + bytes + around
            let part = whole.span.extracting(alignment..<(alignment + length))
            for byte: UInt8 in [0x00, 0x55, 0xAA, 0xFF, 0x2E] {
                for start in 0...length {
                    let found = firstOffset(of: byte, in: part, from: start)
                    if found != bytes[start...].firstIndex(of: byte) {
                        Issue.record("\(byte) in \(bytes) from \(start)")
                    }
                }
                // Searching beyond the end is allowed and finds nothing.
                #expect(firstOffset(of: byte, in: part, from: length + 1) == nil)
            }
        }
    }

    // MARK: Equality

    /// Texts in each internal form of Swift: inline up to 15 bytes, and on the heap; ASCII and not; canonically
    /// equivalent.
    static let texts = [
        "", "a", "b", "aa", "A", "\0", "a\0", "fifteen bytes..", "sixteen bytes...", "sixteen bytes..!", "é",
        "e\u{301}", "\u{212B}",
        "\u{C5}", "😀", "https://issuer.example", "https://issuer.example/", "https://issuer.examplé",
        String(repeating: "x", count: 300),
    ]

    @Test(.rule("T-095"), arguments: texts)
    func `texts are equal if their bytes are equal`(text: String) {
        let bytes = Array(text.utf8)
        for other in Self.texts {
            let isSame = bytes == Array(other.utf8)
            #expect(isEqual(text, other) == isSame)
            #expect(isEqual(bytes.span, other) == isSame)
            #expect(isEqual(bytes.span, Array(other.utf8).span) == isSame)
            // A substring turned into a String may have another internal form.
            let cut = String(("x" + other + "y").dropFirst().dropLast())
            if cut.utf8.elementsEqual(other.utf8) { #expect(isEqual(text, cut) == isSame) }
        }
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x80
            #expect(!isEqual(bytes.span, changed.span) && !isEqual(changed.span, text))
        }
    }

    // MARK: UTF-8

    @Test(arguments: texts)
    func `withUTF8 passes the bytes of a text up to the limit`(text: String) {
        let bytes = Array(text.utf8)
        for limit in [0, 1, 2, 15, 16, 17, 299, 300, 301, .max] {
            let lent = withUTF8(of: text, upTo: limit) { lent in lent.indices.map { lent[$0] } }
            #expect(lent == Array(bytes.prefix(limit)))
        }
    }
}
