// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct EmailAddressTests {
    @Test(
        .rule("S-EML-2"),
        arguments: [
            ("ada@example.com", "ada@example.com"),
            (" Ada@Example.COM\r\n", "ada@example.com"),
            ("a+b.c-d_e@xn--bcher-kva.example", "a+b.c-d_e@xn--bcher-kva.example"),
            ("a@b.co", "a@b.co"),
            ("\(String(repeating: "a", count: 64))@example.com", "\(String(repeating: "a", count: 64))@example.com"),
        ]
    )
    func `an e-mail address is normalized`(_ text: String, _ expected: String) throws {
        #expect(try EmailAddress(text).text == expected)
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            ("Ada@B\u{FC}cher.example", "ada@xn--bcher-kva.example"),
            ("ad\u{430}@example.com", "ad\u{430}@example.com"),
            ("J\u{F6}rg@example.com", "j\u{F6}rg@example.com"), ("jo\u{308}rg@example.com", "j\u{F6}rg@example.com"),
            ("\u{41F}\u{43E}\u{447}\u{442}\u{430}@example.com", "\u{41F}\u{43E}\u{447}\u{442}\u{430}@example.com"),
            ("H\u{331}@example.com", "\u{1E96}@example.com"), ("\u{1E96}@example.com", "\u{1E96}@example.com"),
            ("E\u{301}@example.com", "\u{C9}@example.com"), ("\u{1F4EE}@example.com", "\u{1F4EE}@example.com"),
            (
                "\u{7528}\u{6237}@\u{4F8B}\u{3048}\u{3002}\u{30C6}\u{30B9}\u{30C8}",
                "\u{7528}\u{6237}@xn--r8jz45g.xn--zckzah"
            ),
        ]
    )
    func `an address in another script has one form`(_ text: String, _ expected: String) throws {
        let address = try EmailAddress(text)
        #expect(address.text.unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect(try EmailAddress(address.text).text.utf8.elementsEqual(address.text.utf8))
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            ("admin", ["adm\u{131}n", "adm\u{456}n", "\u{FF41}dmin", "adm\u{130}n"]),
            ("sam", ["\u{17F}am", "\u{FF33}am"]),
            ("kim", ["\u{43A}im", "\u{FF2B}im"]), ("file", ["\u{FB01}le"]),
            ("a1", ["a\u{B9}", "a\u{2460}", "a\u{661}"]),
        ]
    )
    func `no letter of another script becomes an ASCII letter`(_ ascii: String, _ others: [String]) throws {
        for other in others {
            #expect(try EmailAddress("\(other)@example.com").text != "\(ascii)@example.com")
        }
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            "", "@", "ada", "ada@", "@example.com", "ada@example", "ada@@example.com", "a@b@example.com",
            "ada\u{FF20}example.com", "ada\u{FE6B}example.com", "ada\u{FF20}b@example.com", "ada\u{FE6B}b@example.com",
            "ada@example.com\u{0}", "a da@example.com", "ada@exam\nple.com", "\"ada\"@example.com", ".ada@example.com",
            "ada.@example.com", "a..da@example.com", "ada@-example.com", "ada@example-.com", "ada@example..com",
            "ada@.example.com", "ada@example.com.", "ada@127.0.0.1", "ada@[127.0.0.1]", "ada@exa_mple.com",
            "ada@example.com,bob@example.com", "ada@example.com bob@example.com", "<ada@example.com>",
            "\(String(repeating: "a", count: 65))@example.com",
            "ada@\(String(repeating: "a", count: 64)).com",
            "\u{212A}@example.com", "\u{212A}\u{301}@example.com", "a\u{1FEF}@example.com", "a\u{37E}@example.com",
            "\u{2003}ada@example.com", "ada\u{A0}@example.com", "ada\u{AD}@example.com", "ada\u{200B}@example.com",
            "ada\u{200D}@example.com", "ada\u{202E}@example.com", "ada\u{2028}@example.com", "ada\u{3164}@example.com",
            "ada\u{FE0F}@example.com", "ada\u{FEFF}@example.com", "ada\u{E000}@example.com", "ada\u{FFFF}@example.com",
            "ada\u{85}@example.com", "\u{308}ada@example.com", "a.\u{308}b@example.com", "ada@\u{2615}.example",
            "\(String(repeating: "\u{FC}", count: 33))@example.com",
        ]
    )
    func `a malformed e-mail address is refused`(_ text: String) {
        #expect(throws: EmailAddress.Fault.self) { try EmailAddress(text) }
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            ("", .length), ("ada", .form), ("a..da@example.com", .localPart),
            ("ada\u{200B}@example.com", .otherCharacter),
            ("ada@example", .domain), ("ada@\u{2615}.example", .domain),
        ] as [(String, EmailAddress.Fault)]
    )
    func `the reason of a refusal names the part of the address, and nothing of its content`(
        _ text: String,
        _ fault: EmailAddress.Fault
    ) {
        #expect(throws: fault) { try EmailAddress(text) }
        #expect(!fault.rawValue.contains("ada"))
    }

    @Test(.rule("S-EML-2")) func `an e-mail address has at most 254 bytes`() {
        let domain = Array(repeating: String(repeating: "a", count: 61), count: 4).joined(separator: ".")
        #expect(domain.utf8.count == 247)
        #expect(throws: Never.self) { try EmailAddress("abcdef@\(domain)") }
        #expect(throws: EmailAddress.Fault.length) { try EmailAddress("abcdefg@\(domain)") }
        #expect(throws: EmailAddress.Fault.length) {
            try EmailAddress(String(repeating: " ", count: 1_000_000) + "ada@example.com")
        }
    }
}
