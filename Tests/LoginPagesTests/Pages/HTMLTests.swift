// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Testing

@testable import LoginPages

@Suite struct HTMLTests {
    @Test func `text and attribute values are escaped`() {
        #expect(HTML("<b> & \"c\" 'd'").markup == "&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;")
        let element = HTML("p", [.id("\"><script>")], HTML("</p>"))
        #expect(element.markup == "<p id=\"&quot;&gt;&lt;script&gt;\">&lt;/p&gt;</p>")
    }

    @Test func `text that looks like an escape is escaped again`() {
        #expect(HTML("&lt;").markup == "&amp;lt;")
        #expect(HTML("&#60;script&#62;").markup == "&amp;#60;script&amp;#62;")
    }

    @Test func `control characters and noncharacters are replaced, line feeds and tabs are not`() {
        #expect(HTML("a\u{0}b\u{8}c\u{1B}d\u{7F}e\u{9F}f").markup == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}f")
        let nonCharacters = [0xFDD0, 0xFFFE, 0x1FFFF, 0x10FFFF].compactMap { Unicode.Scalar($0 as UInt32) }
        #expect(HTML(String(String.UnicodeScalarView(nonCharacters))).markup == "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(HTML("a\nb\tc").markup == "a\nb\tc")
        #expect(HTML("\r\n").markup == "\u{FFFD}\n")
        #expect(HTML("\u{A0}é世👩‍👩‍👧").markup == "\u{A0}é世👩‍👩‍👧")
    }

    @Test func `a combining character does not prevent the escape of the character before it`() {
        // As a `Character`, "<" with an accent is not equal to "<".
        #expect(HTML("<\u{301}script>").markup == "&lt;\u{301}script&gt;")
        #expect(HTML("p", [.id("\"\u{301} x")], HTML()).markup == "<p id=\"&quot;\u{301} x\"></p>")
    }

    @Test func `every scalar is read back unchanged or replaced`() throws {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            guard case .text(let text)? = try StrictHTML.piece(HTML(String(scalar)).markup).first else {
                Issue.record("no text of \(value)")
                return
            }
            #expect(text.unicodeScalars.elementsEqual([scalar]) || text == "\u{FFFD}")
        }
    }

    @Test func `missing attributes are omitted`() {
        #expect(HTML(void: "input", [.required, nil, .name("x")]).markup == "<input required name=\"x\">")
    }

    @Test func `a link to an authenticator app must have the scheme otpauth`() {
        #expect(Attribute.href(otpauth: "javascript:alert(1)//otpauth://totp/") == nil)
        #expect(Attribute.href(otpauth: "otpauth://totp/x?secret=y")?.value == "otpauth://totp/x?secret=y")
    }

    @Test func `the values of a phrase are isolated`() {
        let phrase: Phrase = "Hello, \("<Ada>"): \(3)."
        #expect(HTML(phrase).markup == "Hello, <bdi>&lt;Ada&gt;</bdi>: 3.")
        #expect(phrase.plainText == "Hello, \u{2068}<Ada>\u{2069}: 3.")
        #expect(HTML("words & more" as Phrase).markup == "words &amp; more")
    }

    @Test func `a value of a plain text phrase cannot end its isolation`() {
        let phrase: Phrase = "\("a\u{2069}\u{202E}b\u{2066}")"
        #expect(phrase.plainText == "\u{2068}a\u{202E}b\u{2069}")
    }

    @Test func `long values are truncated by scalars, not by characters`() {
        let zalgo = "a" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(zalgo.count == 1)
        #expect(HTML(Phrase(value: zalgo)).markup.unicodeScalars.count == 5 + 201 + 6)
        #expect(Phrase(value: String(repeating: "x", count: 200)).plainText.unicodeScalars.count == 202)
    }
}
#endif
