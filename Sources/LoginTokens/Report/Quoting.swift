// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Foreign text as error messages and reports may show it: in quotation marks, in ASCII, on one line, and short.
package func quoted(_ text: String) -> String {
    let shown = oneLine(text, limit: Limits.quotedCharacters, escaping: [UInt8(ascii: "\""), UInt8(ascii: "\\")])
    let count = text.unicodeScalars.count
    return count > Limits.quotedCharacters ? "\"\(shown)...\" of \(count) characters" : "\"\(shown)\""
}

/// Text in ASCII on one line: what is neither, and what is to be escaped, becomes `\u{…}`.
///
/// - Parameters:
///   - text: The text.
///   - limit: How many characters of it to show; the rest is cut off.
///   - escaped: Printable characters to escape too.
/// - Returns: The line.
package func oneLine(_ text: String, limit: Int, escaping escaped: [UInt8] = []) -> String {
    let isPlain = { (byte: UInt8) in (0x20..<0x7F).contains(byte) && !escaped.contains(byte) }
    // As nearly all texts are.
    if text.utf8.count <= limit, text.utf8.allSatisfy(isPlain) { return text }
    var result = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        if !(UInt8(exactly: scalar.value).map(isPlain) ?? false) {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// A claim or a header parameter, as error messages may show it: a string in quotation marks, and of all else the type.
func quoted(_ value: JSONValue) -> String {
    value.string.map { quoted($0) } ?? value.kind.rawValue
}

/// Several foreign texts, as many as fit a line.
package func quoted(_ texts: [String]) -> String {
    let shown = texts.prefix(4).map(quoted).joined(separator: ", ")
    return texts.count > 4 ? "\(shown) and \(texts.count - 4) more" : shown
}

/// A value that must not be shown, as something that can be compared: the first eight digits of its SHA-256.
package func fingerprint(_ text: String) -> String {
    "sha256:" + hexadecimal(Digest.sha256.hash(text.utf8).prefix(4))
}

/// Bytes in lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// A time as ISO 8601 in UTC.
///
/// - Parameter seconds: Since 1970, within `Limits.numericDate`.
/// - Returns: For example `2025-10-09T08:53:20Z`.
func timestamp(_ seconds: Double) -> String {
    Date(timeIntervalSince1970: seconds).formatted(.iso8601)
}
