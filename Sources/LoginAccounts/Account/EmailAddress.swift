// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An e-mail address in the one form in which addresses are kept and compared.
///
/// Only ASCII is taken: a letter or an `@` of another script that looks the same would be somebody else's address (domains of
/// other scripts have a form in ASCII, `xn--…`). Letters become small ones, those before the `@` too: RFC 5321 §2.4 lets a server tell them
/// apart, and none in use does, while two accounts that differ in nothing else would be a trap. Nothing else is folded: what
/// stands behind a `+`, and dots, may be another person's at another provider.
struct EmailAddress: Sendable {
    /// The address.
    let text: String

    /// The longest that a mail server must take: a path of 256 bytes with its angle brackets (RFC 5321 §4.5.3.1.3).
    private static let longest = 254
    /// RFC 5321 §4.5.3.1.1.
    private static let longestLocalPart = 64
    /// RFC 1035 §2.3.4.
    private static let longestLabel = 63

    /// The address that a text says; nil where it says none.
    ///
    /// - Parameter text: The text; spaces, tabs and line breaks of ASCII around it do not count.
    init?(_ text: String) {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        // Looked at only as far as an address and some spaces reach.
        guard text.utf8.count <= 2 * Self.longest else { return nil }
        let bytes = Array(text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard (3...Self.longest).contains(bytes.count) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else { return nil }
        self.text = String(decoding: bytes.map(Self.lowercased), as: UTF8.self)
        domain = String(decoding: parts[1].map(Self.lowercased), as: UTF8.self)
    }

    /// The part behind the `@`.
    let domain: String

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased(byte))
    }

    /// A dot-atom (RFC 5321 §4.1.2): nobody is written to at a quoted string.
    private static func isLocalPart(_ part: ArraySlice<UInt8>) -> Bool {
        guard (1...longestLocalPart).contains(part.count) else { return false }
        return part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    /// A name of two or more labels (RFC 1035 §2.3.1), the last of which is no number: an address is not a domain.
    private static func isDomain(_ part: ArraySlice<UInt8>) -> Bool {
        let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.last?.contains(where: { !(0x30...0x39).contains($0) }) == true else {
            return false
        }
        return labels.allSatisfy { label in
            (1...longestLabel).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-") && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }
}
