// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A text that Foundation reads as an `https` URL with a host and without a user name.
///
/// A text of the usual form is accepted by its bytes, because Foundation's parser makes up much of the cost of a profile
/// that is read whole. The URL is created when it is read.
struct SecureURL {
    private let text: String

    /// The URL; nil for a text of the usual form, which is not parsed to accept it.
    private let parsed: URL?

    /// Accepts a text; nil if it is not such a URL.
    init?(_ text: String) {
        self.text = text
        if Self.isPlain(text) {
            parsed = nil
            return
        }
        guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.host()?.isEmpty == false,
            url.user() == nil
        else { return nil }
        parsed = url
    }

    /// The URL.
    var url: URL? { parsed ?? URL(string: text) }

    /// The bytes of the query, percent-encoded; empty if there is none.
    var query: [UInt8] {
        if let parsed { return Array((parsed.query(percentEncoded: true) ?? "").utf8) }
        let mark = withUTF8(of: text, upTo: .max) { firstOffset(of: UInt8(ascii: "?"), in: $0) }
        return mark.map { utf8Bytes(of: text, in: ($0 + 1)..<text.utf8.count) } ?? []
    }

    /// Returns whether a text consists of `https://`, a host of ASCII letters, digits, hyphens and dots, and a path and a
    /// query of characters that need no encoding (RFC 3986 §3.3, §3.4).
    ///
    /// Every parser reads such a text alike: it has neither a user name nor a port, fragment or percent-encoding.
    private static func isPlain(_ text: String) -> Bool {
        withUTF8(of: text, upTo: .max) { bytes in
            let hasScheme = bytes.count > 8 && isEqual(bytes.extracting(first: 8), "https://")
            guard hasScheme, isAlphanumeric(bytes[8]) else { return false }
            var position = 9
            while position < bytes.count, isOfHost(bytes[position]) { position += 1 }
            guard position < bytes.count else { return true }
            guard bytes[position] == UInt8(ascii: "/") || bytes[position] == UInt8(ascii: "?") else { return false }
            while position < bytes.count, isOfTarget(bytes[position]) { position += 1 }
            return position == bytes.count
        }
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    /// Returns whether a byte may be in a path and in a query without encoding: `pchar`, `/` and `?`.
    private static func isOfTarget(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&")...UInt8(ascii: ";"), UInt8(ascii: "?")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
