// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Returns untrusted text for a terminal, with escapes for control, format and other characters that a terminal
/// interprets.
package func printable(_ text: String) -> String {
    escaping(text, where: isObeyedByTerminals) { "\\u{\(String($0.value, radix: 16))}" }
}

/// Returns whether a character is not plain text for a terminal or its reader.
package func isObeyedByTerminals(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
    default: false
    }
}

/// Returns the text with some of its characters escaped.
package func escaping(
    _ text: String,
    where isEscaped: (Unicode.Scalar) -> Bool,
    _ spelling: (Unicode.Scalar) -> String
) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        if isEscaped(scalar) { result += spelling(scalar) } else { result.unicodeScalars.append(scalar) }
    }
    return result
}

/// Returns the text padded with spaces to a width; longer text is not truncated.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
