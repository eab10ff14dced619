// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginTokens
import Testing

@testable import LoginHTTP

@Suite struct SchemaTests {
    /// The number of bytes is checked first, and a character has one to four bytes.
    @Test(arguments: ["a", "é", "€", "😀"])
    func `the length of a text is counted in characters, not in bytes`(character: String) throws {
        let schema = Schema.text(2...10)
        for count in 0...50 {
            let text = "\"" + String(repeating: character, count: count) + "\""
            let value = try JSONDocument.read(Array(text.utf8)).root
            #expect((schema.fault(in: value) == nil) == (2...10).contains(count), "\(count) of \(character)")
        }
    }
}
#endif
