// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A secret from the text of a file, without the line break at its end.
///
/// A stray blank, line break or byte order mark would be part of the secret, which then matches nothing.
package struct SecretLine {
    /// A reason why a text is not one secret, which does not quote it.
    package enum Fault: Error, CustomStringConvertible {
        case empty, byteOrderMark, control, blank

        /// The reason and the remedy.
        package var description: String {
            switch self {
            case .empty: "the file is empty"
            case .byteOrderMark: "the file begins with a byte order mark; save it as UTF-8 without one"
            case .control:
                "the file must contain one line; it has a NUL, a tab, a second line break or another control character"
            case .blank: "the secret begins or ends with a space; remove it"
            }
        }
    }

    /// The secret.
    package let text: String

    /// Reads a secret.
    ///
    /// - Parameter content: The content of the file.
    /// - Throws: ``Fault`` if it is empty, or not one line without blanks at its ends.
    package init(_ content: String) throws(Fault) {
        text = String(content.last == "\n" || content.last == "\r\n" ? content.dropLast() : content[...])
        guard let first = text.unicodeScalars.first else { throw .empty }
        guard first != "\u{FEFF}" else { throw .byteOrderMark }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .control
        }
        guard !text.hasBlankEnd else { throw .blank }
    }
}

extension String {
    /// Whether the text begins or ends with white space, which no setting has on purpose, and which nothing would
    /// match.
    package var hasBlankEnd: Bool { first?.isWhitespace == true || last?.isWhitespace == true }
}
