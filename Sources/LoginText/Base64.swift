// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Canonical base64 with padding (RFC 4648 §4).
///
/// Each byte string has exactly one encoding, as in ``Base64URL``.
package enum Base64 {
    /// Decodes `text`; nil if it is not canonical base64.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var characters = Array(text)
        let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        characters.removeLast(padding)
        for index in characters.indices {
            switch characters[index] {
            case UInt8(ascii: "+"): characters[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): characters[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decode(characters)
    }
}
