// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Base64 with padding (RFC 4648 §4), and the spellings of it in documents that others publish.
package enum Base64 {
    /// Decodes `text`; nil if it is not canonical base64 with padding, which each byte string has exactly one form of.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let isCanonical = text.count.isMultiple(of: 4) && !text.contains { isLineBreak($0) || isOfURL($0) }
        return isCanonical ? decodeAnySpelling(text) : nil
    }

    /// Decodes `text` in any of its spellings: base64 or base64url (RFC 4648 §5), with or without padding, with line
    /// breaks anywhere.
    ///
    /// No text has two readings: it uses one alphabet, its padding is complete or absent, and its unused bits are zero.
    ///
    /// - Parameter text: The text.
    /// - Returns: The bytes; nil if it is none of these spellings.
    package static func decodeAnySpelling(_ text: some Collection<UInt8>) -> [UInt8]? {
        // The common spelling.
        if let bytes = Base64URL.decode(text) { return bytes }
        var characters = text.filter { !isLineBreak($0) }
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || (padding <= 2 && characters.count.isMultiple(of: 4)) else { return nil }
        characters.removeLast(padding)
        guard characters.contains(where: isOfPlain) else { return Base64URL.decode(characters) }
        guard !characters.contains(where: isOfURL) else { return nil }
        return Base64URL.decode(
            characters.map { character in
                switch character {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: character
                }
            }
        )
    }

    private static func isLineBreak(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "\n") || character == UInt8(ascii: "\r")
    }

    /// Returns whether only base64 has this character, not base64url.
    private static func isOfPlain(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "+") || character == UInt8(ascii: "/")
    }

    /// Returns whether only base64url has this character, not base64.
    private static func isOfURL(_ character: UInt8) -> Bool {
        character == UInt8(ascii: "-") || character == UInt8(ascii: "_")
    }
}
