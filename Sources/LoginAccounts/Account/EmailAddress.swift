// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An e-mail address in canonical form: the one in which addresses are stored and compared.
///
/// Only ASCII is accepted. A letter or an `@` of another script that looks the same would be another user's address.
/// Internationalized domains have an ASCII form (`xn--…`). Letters are lowercased, including those before the `@`. RFC
/// 5321 §2.4 permits a server to distinguish them, but none in use does, and two accounts that differ only in case
/// would be a trap. Nothing else is normalized: dots and a part after `+` may distinguish users at some providers.
struct EmailAddress: Sendable {
    /// The address.
    let text: String

    /// The maximum length: a path of 256 bytes with its angle brackets (RFC 5321 §4.5.3.1.3).
    private static let longest = 254
    /// The maximum length of the local part (RFC 5321 §4.5.3.1.1).
    private static let longestLocalPart = 64
    /// The maximum length of a label (RFC 1035 §2.3.4).
    private static let longestLabel = 63

    /// Parses an address; nil if it is invalid.
    ///
    /// - Parameter text: The text. ASCII white space around the address is ignored.
    init?(_ text: String) {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        // The check is bounded: longer texts are not scanned.
        guard text.utf8.count <= 2 * Self.longest else { return nil }
        let bytes = Array(text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        guard (3...Self.longest).contains(bytes.count) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else { return nil }
        self.text = String(decoding: bytes.map(Self.lowercased), as: UTF8.self)
        domain = String(decoding: parts[1].map(Self.lowercased), as: UTF8.self)
    }

    /// The domain: the part after the `@`.
    let domain: String

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased(byte))
    }

    /// Whether a local part is a dot-atom (RFC 5321 §4.1.2).
    ///
    /// Quoted strings are not accepted, because no mailbox in use has one.
    private static func isLocalPart(_ part: ArraySlice<UInt8>) -> Bool {
        guard (1...longestLocalPart).contains(part.count) else { return false }
        return part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    /// Whether a name has two or more labels (RFC 1035 §2.3.1), the last of which is not a number, which would be an IP
    /// address.
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
