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
    func `an e-mail address is normalized`(_ text: String, _ expected: String) {
        #expect(EmailAddress(text)?.text == expected)
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            "", "@", "ada", "ada@", "@example.com", "ada@example", "ada@@example.com", "a@b@example.com",
            "ada\u{FF20}example.com", "ada\u{FE6B}example.com", "ad\u{0430}@example.com", "ada@ex\u{0430}mple.com",
            "ada@example.com\u{0}", "a da@example.com", "ada@exam\nple.com", "\"ada\"@example.com", ".ada@example.com",
            "ada.@example.com", "a..da@example.com", "ada@-example.com", "ada@example-.com", "ada@example..com",
            "ada@.example.com", "ada@example.com.", "ada@127.0.0.1", "ada@[127.0.0.1]", "ada@exa_mple.com",
            "ada@example.com,bob@example.com", "ada@example.com bob@example.com", "<ada@example.com>",
            "\(String(repeating: "a", count: 65))@example.com",
            "ada@\(String(repeating: "a", count: 64)).com",
            "ada\u{308}@example.com", "\u{212A}@example.com", "\u{2003}ada@example.com",
        ]
    )
    func `a malformed e-mail address is refused`(_ text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test(.rule("S-EML-2")) func `an e-mail address has at most 254 bytes`() {
        let domain = Array(repeating: String(repeating: "a", count: 61), count: 4).joined(separator: ".")
        #expect(domain.utf8.count == 247)
        #expect(EmailAddress("abcdef@\(domain)") != nil)
        #expect(EmailAddress("abcdefg@\(domain)") == nil)
        #expect(EmailAddress(String(repeating: " ", count: 1_000_000) + "ada@example.com") == nil)
    }
}
