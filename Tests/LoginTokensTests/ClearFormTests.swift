// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
import LoginText
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The fast readers of base64url and of a token's form give the same result as the simple ones.
@Suite struct ClearFormTests {
    // MARK: Base64url

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func random(_ count: Int, _ numbers: inout SeededNumbers) -> [UInt8] {
        (0..<count).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
    }

    @Test(.rule("T-004"), arguments: 0...70)
    func `the fast and the simple base64url decoder agree on any change at any position`(length: Int) {
        var numbers = SeededNumbers(seed: UInt64(length))
        let text = Self.random(length, &numbers)
        // All characters in short texts; only some in long ones, which the simple reader decodes slowly, bit by bit.
        let characters = length <= 20 ? Self.alphabet : Array("AB_".utf8)
        for place in text.indices {
            var changed = text
            for character in characters {
                changed[place] = character
                expectNone(Difference.ofBase64URL(changed), changed)
            }
            for byte in UInt8.min...UInt8.max where !Self.alphabet.contains(byte) {
                changed[place] = byte
                if Base64URL.decode(changed.span) != nil { Issue.record("byte \(byte) was decoded at place \(place)") }
            }
        }
    }

    @Test(.rule("T-004"), arguments: 0..<20)
    func `the fast and the simple base64url decoder agree on long texts`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<5 {
            let count = Int.random(in: 100...2000, using: &numbers)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
            var text = Self.random(count, &numbers)
            expectNone(Difference.ofBase64URL(text), text)
            text[Int.random(in: text.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            expectNone(Difference.ofBase64URL(text), text)
        }
    }

    /// Decodes slices of a longer text, at every alignment: bytes around the slice are not read.
    @Test(.rule("T-004"), arguments: 0..<16)
    func `bytes around a segment do not affect its decoding`(start: Int) {
        var numbers = SeededNumbers(seed: UInt64(start))
        for length in 0...40 {
            let text = Self.random(length, &numbers)
            for around in [UInt8(ascii: "A"), UInt8(ascii: "."), 0xFF] {
                let bytes = [UInt8](repeating: around, count: start) + text + [UInt8](repeating: around, count: 8)
                #expect(
                    Base64URL.decode(bytes.span.extracting(start..<(start + length))) == ClearBase64URL.decode(text)
                )
            }
        }
    }

    // MARK: The form of a token

    @Test(.rule("T-001", "T-002", "T-003", "T-004", "T-093"), arguments: 0..<20)
    func `the fast and the simple token reader agree on mutated tokens`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let token = Array(TestIssuer().token(nonce: "n\(seed)").utf8)
        expectNone(Difference.ofForm(String(decoding: token, as: UTF8.self)), token)
        for _ in 0..<100 {
            var changed = token
            for _ in 0..<Int.random(in: 1...2, using: &numbers) { Self.change(&changed, &numbers) }
            expectNone(Difference.ofForm(String(decoding: changed, as: UTF8.self)), changed)
        }
    }

    private static func change(_ text: inout [UInt8], _ numbers: inout SeededNumbers) {
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        // Dots, the ends and their neighbours matter most.
        let places = [0, text.count] + dots + dots.map { $0 + 1 } + [Int.random(in: 0...text.count, using: &numbers)]
        let place = places.randomElement(using: &numbers) ?? 0
        let end = min(text.count, place + Int.random(in: 0...5, using: &numbers))
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: text.insert(UInt8(ascii: "."), at: place)
        case 1: text.removeSubrange(place..<end)
        case 2: text.insert(contentsOf: text[place..<end], at: place)
        case 3: text.insert(contentsOf: random(Int.random(in: 1...4, using: &numbers), &numbers), at: place)
        case 4: text.insert([0x00, 0x20, 0x3D, 0x2B, 0x7F, 0xC3, 0xFF].randomElement(using: &numbers) ?? 0, at: place)
        default: if place < text.count { text[place] = alphabet.randomElement(using: &numbers) ?? 0 }
        }
    }

    @Test(.rule("T-001", "T-002", "T-084"))
    func `the fast and the simple token reader agree on the number of segments, including empty ones`() {
        for pattern in 0..<729 {
            var (rest, text) = (pattern, "")
            for _ in 0..<6 {
                text += ["", ".", "e30"][rest % 3]
                rest /= 3
            }
            expectNone(Difference.ofForm(text), Array(text.utf8))
        }
    }

    @Test(
        .rule("T-080", "T-081"),
        arguments: [5460, 5461, 5462, 5463, 5464, 5465, 1364, 1365, 1366, 1367, 1368, 1369, 16_375, 16_380, 16_384]
    )
    func `the fast and the simple token reader apply the size limits at the same byte`(count: Int) {
        let long = String(repeating: "A", count: count)
        for text in ["\(long).e30.AA", "e30.\(long).AA", "e30.e30.\(long)", "e30.\(long).\(long)", long] {
            expectNone(Difference.ofForm(text), [])
        }
    }
}

private func expectNone(_ difference: String?, _ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    guard let difference else { return }
    Issue.record("\(difference): \(String(decoding: text, as: UTF8.self))", sourceLocation: sourceLocation)
}
