// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import TestSupport
import Testing

@testable import LoginHummingbird

/// Against Foundation's reader and writer, which take longer.
@Suite struct JSONObjectWriterTests {
    private func written(_ add: (inout JSONObjectWriter) -> Void) -> Data {
        var writer = JSONObjectWriter()
        add(&writer)
        return Data(writer.finish())
    }

    @Test func `members stand in their order, and what is not there is left out`() {
        let text = written {
            $0.add("b", "1")
            $0.add("none", nil)
            $0.add("a", json: Array("[1,{}]".utf8))
            $0.add("empty", json: [])
            $0.add("c", "")
        }
        #expect(String(decoding: text, as: UTF8.self) == #"{"b":"1","a":[1,{}],"c":""}"#)
        #expect(written { _ in } == Data("{}".utf8))
    }

    @Test func `every character below 128 is what it was, once it is read`() throws {
        for code in 0..<UInt8(128) {
            let text = "before\(Unicode.Scalar(code))after"
            #expect(
                try JSONDecoder().decode([String: String].self, from: written { $0.add(text, text) }) == [text: text]
            )
        }
    }

    @Test(arguments: 0..<20)
    func `any text is what it was, and is written as the encoder writes it but for the form of escapes`(seed: UInt64)
        throws
    {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<50 {
            let scalars = (0..<Int.random(in: 0..<30, using: &numbers)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0..<(Bool.random(using: &numbers) ? 0x80 : 0x110000), using: &numbers))
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            let object = written { $0.add("text", text) }
            let read = try JSONDecoder().decode([String: String].self, from: object)
            #expect(read["text"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
            if scalars.allSatisfy({ $0.value >= 0x20 }) { #expect(object == encodedJSON(["text": text])) }
        }
    }
}
#endif
