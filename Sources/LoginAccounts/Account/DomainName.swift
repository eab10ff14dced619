// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginIDN

/// A domain name in ASCII form: the one in which the domains of e-mail addresses are stored, compared and used.
///
/// A name in other scripts is converted by UTS 46 without its transitional mapping, so that `straße` and `strasse` stay
/// different names. The result must meet RFC 5891 in both directions, as the names of registries do: symbols and emoji are
/// refused. Upper case, full-width letters and ideographic full stops are spellings of the same name, as in browsers.
///
/// libidn2 converts, because Foundation has no interface for it, and only all of it contains the tables.
struct DomainName: Sendable {
    /// The name in lower case, with two or more labels.
    let ascii: String

    /// The maximum length of a label (RFC 1035 §2.3.4).
    private static let longestLabel = 63

    /// Converts and checks a name; nil if it is no domain name.
    ///
    /// - Parameter text: The name, in any script.
    init?(_ text: String) {
        let lowercased = String(decoding: text.utf8.map(Self.lowercased), as: UTF8.self)
        let isEncoded = lowercased.utf8.split(separator: Self.dot).contains { $0.starts(with: Self.prefix) }
        if isEncoded || !lowercased.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let ascii = Self.converted(lowercased) else { return nil }
            self.ascii = ascii
        } else {
            ascii = lowercased
        }
        guard Self.isDomain(ascii) else { return nil }
    }

    /// Returns the ASCII form of a name in other scripts; nil if it has none.
    private static func converted(_ name: String) -> String? {
        // To C, a zero byte is the end of a text.
        guard !name.utf8.contains(0) else { return nil }
        var current = String.UnicodeScalarView()
        // Since Unicode 15.1, UTS 46 maps the capital ẞ to ß. The tables of older versions of libidn2 map it to ss.
        for scalar in name.unicodeScalars { current.append(scalar == "\u{1E9E}" ? "\u{DF}" : scalar) }
        let bytes = Array(String(current).utf8) + [0]
        guard let found = unsafe CLogin_IDN_ascii(bytes) else { return nil }
        defer { unsafe idn2_free(found) }
        let ascii = unsafe String(cString: found)
        let labels = ascii.utf8.split(separator: dot).filter { $0.starts(with: prefix) }
        let areRegistrable = labels.allSatisfy { label in
            unsafe CLogin_IDN_is_registrable(label.map { CChar(bitPattern: $0) } + [0]) != 0
        }
        return areRegistrable ? ascii : nil
    }

    /// The prefix of a label that stands for one in another script (RFC 5890 §2.3.2.1).
    private static let prefix = "xn--".utf8

    private static var dot: UInt8 { UInt8(ascii: ".") }

    /// Whether a name has two or more labels (RFC 1035 §2.3.1), the last of which is not a number, which would be an IP
    /// address.
    private static func isDomain(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: dot, omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.last?.contains(where: { !(0x30...0x39).contains($0) }) == true else {
            return false
        }
        return labels.allSatisfy { label in
            (1...longestLabel).contains(label.count) && label.first != UInt8(ascii: "-")
                && label.last != UInt8(ascii: "-") && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// Returns a byte with an ASCII letter in lower case; any other byte unchanged.
    static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Whether a byte is an ASCII letter or digit.
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased(byte))
    }
}
