// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import Testing

@testable import LoginHTTP

/// The values of the header fields with identities.
@Suite struct ForwardedFieldTests {
    @Test func `printable ASCII except the percent sign is unchanged, and every other byte is encoded`() {
        for byte in UInt8(0)...0x7F {
            let text = String(decoding: [byte], as: UTF8.self)
            let isLiteral = (0x21...0x7E).contains(byte) && text != "%"
            #expect((ForwardedIdentity.encode(text) == text) == isLiteral, "\(byte)")
        }
        #expect(ForwardedIdentity.encode("zoë%1 \n") == "zo%C3%AB%251%20%0A")
        #expect(ForwardedIdentity.encode("") == "")
    }

    @Test func `two different texts never have the same field, and each field is decoded to its text`() {
        // All texts of up to four of these: each could imitate the encoding of another.
        let parts = ["%", "2", "5", "C", "3", "ü", " ", "\u{C3}"]
        var texts = [""]
        for _ in 0..<4 { texts = Array(Set(texts + texts.flatMap { text in parts.map { text + $0 } })) }
        texts += ["é", "e\u{301}", "A", "А", "a\u{FEFF}", "a"]
        var seen: Set<[UInt8]> = []
        for text in texts {
            let field = ForwardedIdentity.encode(text)
            #expect(field.removingPercentEncoding?.utf8.elementsEqual(text.utf8) == true, "\(text)")
            #expect(field.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(text)")
            seen.insert(Array(field.utf8))
        }
        #expect(seen.count == Set(texts.map { Array($0.utf8) }).count)
    }
}
#endif
