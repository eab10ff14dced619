// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The JSON writer, compared with Foundation's slower reader and writer.
@Suite struct JSONWriterTests {
    private func written(isIndented: Bool = false, _ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter(isIndented: isIndented)
        write(&json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes members of each kind, and containers with and without content.
    private func everything(_ json: inout JSONWriter) {
        json.addObject {
            $0.add("b", "1")
            $0.add("none", nil)
            $0.add("a", json: "[1,{}]".utf8)
            $0.add(name: "list")
            $0.addArray {
                $0.add("")
                $0.add(json: "null".utf8)
                $0.addArray { _ in }
                $0.addObject { _ in }
                $0.addObject { $0.add("d", "2") }
            }
        }
    }

    @Test func `values are written in order without white space, and nil members are omitted`() {
        #expect(written(everything) == #"{"b":"1","a":[1,{}],"list":["",null,[],{},{"d":"2"}]}"#)
    }

    @Test func `indented output has one line for each value, and empty containers on one line`() {
        let text = """
            {
              "b": "1",
              "a": [1,{}],
              "list": [
                "",
                null,
                [],
                {},
                {
                  "d": "2"
                }
              ]
            }
            """
        #expect(written(isIndented: true, everything) == text)
    }

    @Test func `a single value is written as a complete text`() {
        #expect(written { $0.add("a") } == #""a""#)
        #expect(written { $0.addArray { _ in } } == "[]")
        #expect(written(isIndented: true) { $0.addObject { _ in } } == "{}")
    }

    @Test func `a line break is escaped by its number, and as a letter in text for people`() {
        #expect(written { $0.add("a\n\t") } == #""a\u000a\u0009""#)
        #expect(written(isIndented: true) { $0.add("a\n\t") } == #""a\n\u0009""#)
    }

    @Test(arguments: [false, true])
    func `every character below 128 round-trips`(isIndented: Bool) throws {
        for code in 0..<UInt8(128) {
            let text = "before\(Unicode.Scalar(code))after"
            let json = written(isIndented: isIndented) { $0.addObject { $0.add(text, text) } }
            #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == [text: text])
        }
    }

    @Test(arguments: 0..<20)
    func `any string round-trips, and equals the output of JSONEncoder except for the form of escapes`(seed: UInt64)
        throws
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<50 {
            let scalars = (0..<Int.random(in: 0..<30, using: &numbers)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0..<(Bool.random(using: &numbers) ? 0x80 : 0x110000), using: &numbers))
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            let object = Data(JSONWriter.object { $0.add("text", text) })
            let read = try JSONDecoder().decode([String: String].self, from: object)
            #expect(read["text"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
            if scalars.allSatisfy({ $0.value >= 0x20 }) { #expect(try object == encoder.encode(["text": text])) }
        }
    }
}
