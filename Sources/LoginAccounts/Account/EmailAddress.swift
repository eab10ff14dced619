// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An e-mail address in canonical form: the one in which addresses are stored, compared, counted and sent to mail programs.
///
/// The domain is in ASCII form (``DomainName``). The local part may be in any script (RFC 6531 §3.3): it is normalized to
/// NFC, and ASCII letters become lower case. RFC 5321 §2.4 permits a server to distinguish them, but none in use does, and
/// two accounts that differ only in case would be a trap.
///
/// Nothing else is normalized. Letters of other scripts keep their case, and no compatibility mapping (NFKC) or case folding
/// of Unicode turns another letter into an ASCII one: each such address would be another user's. Dots and a part after `+`
/// may distinguish users at some providers.
struct EmailAddress: Sendable {
    /// The address.
    let text: String

    /// The domain in ASCII form: the part after the `@`.
    let domain: String

    /// The reason why a text is no e-mail address that can be stored.
    ///
    /// The raw value is its description, which contains nothing of the text.
    enum Fault: String, Error {
        case length = "it is empty, or longer than 254 bytes"
        case form = "it is not a local part and a domain with one @ between them"
        case localPart = "the local part is longer than 64 bytes, or has a character or dot that is not allowed there"
        case otherCharacter =
            "the local part has a character that is invisible, unassigned, or a variant of an ASCII character"
        case domain = "the domain is not a name of two or more labels, or not valid as an internationalized name"
    }

    /// The maximum length: a path of 256 bytes with its angle brackets (RFC 5321 §4.5.3.1.3).
    private static let longest = 254
    /// The maximum length of the local part (RFC 5321 §4.5.3.1.1).
    private static let longestLocalPart = 64

    /// Parses an address.
    ///
    /// - Parameter text: The text. ASCII white space around the address is ignored.
    /// - Throws: ``Fault``
    init(_ text: String) throws(Fault) {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        // The check is bounded: longer texts are not scanned. A label in another script has up to four times as many bytes.
        guard text.utf8.count <= 4 * Self.longest else { throw .length }
        let bytes = Array(text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard !bytes.isEmpty else { throw .length }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .form }
        let localPart = try Self.localPart(String(decoding: parts[0], as: UTF8.self))
        guard let domain = DomainName(String(decoding: parts[1], as: UTF8.self)) else { throw .domain }
        self.text = "\(localPart)@\(domain.ascii)"
        self.domain = domain.ascii
        guard self.text.utf8.count <= Self.longest else { throw .length }
    }

    /// Returns a local part in canonical form.
    private static func localPart(_ text: String) throws(Fault) -> String {
        guard text.unicodeScalars.allSatisfy({ $0.isASCII || isAccepted($0) }) else { throw .otherCharacter }
        // Lower case can make a further composition possible: NFC has a letter for h with a line below, and none for H.
        let canonical = normalized(lowercased(normalized(text)))
        guard canonical.utf8.count <= longestLocalPart, isLocalPart(canonical) else { throw .localPart }
        return canonical
    }

    /// Whether a character outside of ASCII is accepted in a local part.
    ///
    /// Characters that are not displayed are not, because two addresses would look the same. Nor are those whose NFC is
    /// ASCII, such as the Kelvin sign, and other forms of `@`.
    private static func isAccepted(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            return false
        default:
            let isASCII = normalized(String(scalar)).utf8.allSatisfy { $0 < 0x80 }
            return !properties.isDefaultIgnorableCodePoint && !isASCII && scalar != "\u{FF20}" && scalar != "\u{FE6B}"
        }
    }

    /// Whether a canonical local part is a dot-atom (RFC 5321 §4.1.2, RFC 6531 §3.3).
    ///
    /// Quoted strings are not accepted, because no mailbox in use has one. A combining mark at the beginning would join the
    /// character before the address.
    private static func isLocalPart(_ text: String) -> Bool {
        text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            guard let first = atom.first, first.properties.canonicalCombiningClass == .notReordered,
                ![.nonspacingMark, .spacingMark, .enclosingMark].contains(first.properties.generalCategory)
            else { return false }
            return atom.allSatisfy { !$0.isASCII || isAtomText(UInt8(ascii: $0)) }
        }
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        DomainName.isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map(DomainName.lowercased), as: UTF8.self)
    }

    /// Returns a text in NFC.
    ///
    /// The property is that of Swift's own comparison of strings; the method with a public name needs all of Foundation.
    private static func normalized(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : String(decoding: text._nfcCodeUnits, as: UTF8.self)
    }
}
