// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Foreign text as a terminal may get it: what would move the cursor, change colours or turn the direction of writing is
/// spelled out.
package func printable(_ text: String) -> String {
    escaping(text, where: isObeyedByTerminals) { "\\u{\(String($0.value, radix: 16))}" }
}

/// Whether a terminal, or whoever reads what it shows, would take the character for something else than text.
package func isObeyedByTerminals(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
    default: false
    }
}

/// The text with some of its characters spelled out.
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

/// The text with spaces up to a width; longer text stays whole.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
