// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import TestSupport
import Testing

@testable import LoginAccounts

/// Domains of e-mail addresses, in ASCII form.
@Suite struct DomainNameTests {
    @Test(.rule("S-EML-2")) func `each domain has the ASCII form that another implementation of UTS 46 gives it`()
        throws
    {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../TestVectors/interop/domains.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 600)
        for line in lines {
            let parts = line.split(separator: "\t")
            let scalars = try parts[0].split(separator: " ").map { point in
                try #require(UInt32(point, radix: 16).flatMap { Unicode.Scalar($0) })
            }
            let domain = String(String.UnicodeScalarView(scalars))
            let expected = parts[1] == "-" ? nil : String(parts[1])
            let found = DomainName(domain)
            #expect(found?.ascii == expected, "\(parts[0])")
            // The stored form is the form of itself.
            if let found { #expect(DomainName(found.ascii)?.ascii == found.ascii) }
        }
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            ("B\u{FC}cher.Example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"), ("stra\u{DF}e.example", "xn--strae-oqa.example"),
            ("STRA\u{1E9E}E.example", "xn--strae-oqa.example"), ("strasse.example", "strasse.example"),
            ("\u{FF45}xample\u{FF0E}com", "example.com"), ("a\u{3002}b", "a.b"), ("EXAMPLE.com", "example.com"),
            ("ab--cd.example", "ab--cd.example"),
        ]
    )
    func `spellings of one domain have one form, and straße is not strasse`(spelling: String, ascii: String) {
        #expect(DomainName(spelling)?.ascii == ascii)
    }

    @Test(
        .rule("S-EML-2"),
        arguments: [
            "", ".", "example", "b\u{FC}cher", "b\u{FC}cher.", ".b\u{FC}cher", "b\u{FC}cher..example", "b\u{FC}cher.1",
            "127.0.0.1", "\u{FF11}27.0.0.1", "exam_ple.b\u{FC}cher", "a@b.b\u{FC}cher", "\u{2615}.example",
            "xn--a.example",
            "xn--.example", "xn--ls8h.la", "b\u{FC}cher.example\u{0}", "b\u{FC}cher.example\u{0}.org",
            "a\u{B7}b.example", "\u{5D0}a.example", "-\u{FC}.example", "b\u{FC}cher .example",
        ]
    )
    func `a name that is no domain is refused`(name: String) {
        #expect(DomainName(name) == nil)
    }

    @Test(.rule("S-EML-2", "BOUND-1")) func `a label has at most 63 bytes in ASCII form`() {
        let letters = String(repeating: "\u{FC}", count: 54)
        #expect(DomainName("\(letters).example")?.ascii.utf8.prefix(while: { $0 != 0x2E }).count ?? 64 <= 63)
        #expect(DomainName("\(letters)\(letters).example") == nil)
        #expect(DomainName(String(repeating: "\u{FC}.", count: 100) + "example") == nil)
    }
}
