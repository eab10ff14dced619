// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The texts of a language, in one place for all pages.
///
/// ``PageText`` has 4 KiB, of which each asynchronous function that uses a page would keep copies.
@dynamicMemberLookup
final class SharedText: Sendable {
    /// The texts in English.
    static let english = SharedText(.english)

    private let text: PageText

    init(_ text: PageText) {
        self.text = text
    }

    subscript<Value>(dynamicMember path: KeyPath<PageText, Value>) -> Value { text[keyPath: path] }
}
#endif
