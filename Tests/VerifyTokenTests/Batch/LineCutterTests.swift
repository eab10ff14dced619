// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginTokens
internal import TestSupport
internal import Testing
@testable import verify_token

/// The division of the input into lines.
@Suite struct LineCutterTests {
    /// Returns the blocks of an input that arrives in parts of one size.
    private func blocks(_ input: [UInt8], partSize: Int = .max) -> [LineBlock] {
        var cutter = LineCutter(tokenBytes: Limits.tokenBytes)
        var blocks: [LineBlock] = []
        var rest = input[...]
        while !rest.isEmpty {
            cutter.cut(rest.prefix(partSize)) { blocks.append($0) }
            rest = rest.dropFirst(partSize)
        }
        if let last = cutter.end() { blocks.append(last) }
        return blocks
    }

    private func lines(_ input: String, partSize: Int = .max) -> [String] {
        blocks(Array(input.utf8), partSize: partSize).flatMap { block in
            block.lines.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static let inputs: [(input: String, lines: [String])] = [
        ("", []), ("\n", [""]), ("\r\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]),
        ("a\n\nb", ["a", "", "b"]), ("a\r\nb\nc\r\n", ["a", "b", "c"]), ("\n\n", ["", ""]),
        // A carriage return belongs to the text before it, unless a line feed follows.
        ("a\rb\n", ["a\rb"]), ("a\r", ["a\r"]), ("a\r\r\n", ["a\r"]), ("\n\r", ["", "\r"]),
        ("a\n\r\nb", ["a", "", "b"]),
    ]

    @Test(arguments: inputs)
    func `lines end with LF or CRLF, and the last one can end with nothing`(input: String, expected: [String]) {
        for partSize in [1, 2, 3, .max] {
            #expect(lines(input, partSize: partSize) == expected, "in parts of \(partSize)")
        }
    }

    @Test func `lines and their numbers do not depend on the sizes of the parts`() {
        var numbers = SeededNumbers(seed: 1)
        let expected = (0..<3000).map { _ in
            String(repeating: "x", count: Int.random(in: 0...300, using: &numbers))
        }
        let input = Array(expected.map { $0 + (Bool.random(using: &numbers) ? "\n" : "\r\n") }.joined().utf8)
        for partSize in [1, 7, 4096, 65536, .max] {
            let blocks = blocks(input, partSize: partSize)
            #expect(blocks.flatMap { $0.lines.map { String(decoding: $0, as: UTF8.self) } } == expected)
            var next = 1
            for block in blocks {
                #expect(block.firstLine == next)
                next += block.ends.count
            }
            #expect(next == 3001)
            #expect(blocks.map(\.inputEnd) == blocks.map(\.inputEnd).sorted())
            #expect(blocks.last?.inputEnd == input.count)
        }
    }

    @Test func `a block has a limited number of lines and bytes`() {
        let short = blocks([UInt8](repeating: 0x0A, count: 10_000))
        let lines = short.map(\.ends.count)
        #expect(lines.max() == LineCutter.blockLines)
        #expect(lines.reduce(0, +) == 10_000)
        let longest = String(repeating: "a", count: Limits.tokenBytes) + "\n"
        let long = blocks(Array(String(repeating: longest, count: 50).utf8))
        let largest = long.map(\.bytes.count).max() ?? 0
        #expect(largest <= LineCutter.blockBytes + Limits.tokenBytes + 2)
        #expect(long.map(\.ends.count).reduce(0, +) == 50)
    }

    @Test(.rule("T-087"), arguments: [1000, 16384, 65536, .max])
    func `a line beyond the limit is truncated just above it, and the next is complete`(partSize: Int) {
        let sizes = [Limits.tokenBytes, Limits.tokenBytes + 1, Limits.tokenBytes + 2, 1_000_000]
        for end in ["\n", "\r\n"] {
            let input = sizes.map { String(repeating: "a", count: $0) + end + "next" + end }.joined()
            let lines = lines(input, partSize: partSize)
            #expect(lines.count == 8)
            #expect(lines[0].utf8.count == Limits.tokenBytes)
            for index in [2, 4, 6] {
                #expect((Limits.tokenBytes + 1...Limits.tokenBytes + 2).contains(lines[index].utf8.count))
            }
            for index in [1, 3, 5, 7] { #expect(lines[index] == "next") }
        }
    }

    @Test func `a carriage return at the cut does not shorten a line beyond the limit`() {
        let start = String(repeating: "a", count: Limits.tokenBytes)
        #expect(lines(start + "b\rcccc\n")[0].utf8.count > Limits.tokenBytes)
        #expect(lines(start + "\rcccc\n")[0].utf8.count > Limits.tokenBytes)
        #expect(lines(start + "\r\n")[0] == start)
    }
}
#endif
