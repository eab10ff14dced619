// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Testing

/// The members that the protocol gives to every conforming type.
@Suite struct RedactedTests {
    private struct Key: Redacted {
        let bytes = "made-up-secret"
        var description: String { "key" }
    }

    private struct Holder {
        let key = Key()
    }

    @Test func `all texts of a redacted type are its description`() {
        #expect("\(Key())" == "key")
        #expect(String(reflecting: Key()) == "key")
        #expect(Mirror(reflecting: Key()).children.isEmpty)
    }

    @Test func `a dump does not show the content, also inside another value`() {
        var dumped = ""
        dump([Holder()], to: &dumped)
        #expect(dumped.contains("key") && !dumped.contains("made-up-secret"))
    }
}
