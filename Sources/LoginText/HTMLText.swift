// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Escapes a text for the content of HTML elements and for quoted attribute values.
///
/// The control characters that HTML forbids (HTML §13.2.3.5) become U+FFFD, so that all parsers read the same.
///
/// - Parameter text: The text.
/// - Returns: The escaped text.
package func escapedForHTML(_ text: String) -> String {
    var result = ""
    result.unicodeScalars.reserveCapacity(text.unicodeScalars.count)
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case "\n", "\t": result.unicodeScalars.append(scalar)
        case _ where isForbiddenInHTML(scalar): result.unicodeScalars.append("\u{FFFD}")
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Returns whether a character is a control character or a noncharacter.
private func isForbiddenInHTML(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
    case let value: value & 0xFFFE == 0xFFFE
    }
}
