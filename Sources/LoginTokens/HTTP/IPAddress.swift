// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An IP address without a port or a zone.
package enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    case v6(UInt128)

    /// Parses an address in the form that all parsers read alike.
    ///
    /// IPv4 is four decimal numbers without leading zeros. IPv6 is the form of RFC 4291 §2.2, without a zone. Some
    /// parsers also accept `127.1`, `0177.0.0.1` or `2130706433` as addresses. Here these are names, and the addresses
    /// that a name resolves to are checked.
    package init?(_ text: String) {
        if let number = Self.v4(text.utf8[...]) {
            self = .v4(number)
        } else if let number = Self.v6(text.utf8[...]) {
            self = .v6(number)
        } else {
            return nil
        }
    }

    /// The number of bits of an address of this version.
    package var bitWidth: Int {
        switch self {
        case .v4: UInt32.bitWidth
        case .v6: UInt128.bitWidth
        }
    }

    /// Whether this is a loopback address (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    ///
    /// An IPv4-mapped IPv6 address does not count, regardless of how the system routes it.
    package var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let number): number == 1
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its canonical form (RFC 5952).
    package var description: String {
        switch self {
        case .v4(let number): Self.dotted(number)
        case .v6(let number): Self.colons(number)
        }
    }
}

extension IPAddress {
    private typealias Text = Substring.UTF8View

    private static func v4(_ text: Text) -> UInt32? {
        var number: UInt32 = 0
        var dots = 0
        // The current part; nil before its first digit.
        var part: UInt32?
        for byte in text {
            switch (byte, part) {
            case (UInt8(ascii: "."), let value?) where dots < 3:
                (number, dots, part) = (number << 8 | value, dots + 1, nil)
            // A digit after a leading zero is refused.
            case (0x30...0x39, let value) where value != 0:
                let value = (value ?? 0) * 10 + UInt32(byte - 0x30)
                guard value <= 255 else { return nil }
                part = value
            default:
                return nil
            }
        }
        guard dots == 3, let part else { return nil }
        return number << 8 | part
    }

    private static func v6(_ text: Text) -> UInt128? {
        // The longest form: six groups of four digits and a dotted IPv4 address.
        guard text.count <= 45 else { return nil }
        let colon = UInt8(ascii: ":")
        let gap = text.indices.first { index in
            let next = text.index(after: index)
            return text[index] == colon && next < text.endIndex && text[next] == colon
        }
        guard let gap else {
            return groups(text, mayEndInV4: true).flatMap { $0.count == 8 ? joined($0) : nil }
        }
        // A second gap would leave an empty group.
        guard let head = groups(text[..<gap], mayEndInV4: false),
            let tail = groups(text[text.index(gap, offsetBy: 2)...], mayEndInV4: true), head.count + tail.count <= 7
        else { return nil }
        return joined(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    private static func groups(_ text: Text, mayEndInV4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInV4, index == parts.count - 1, let number = v4(part) {
                groups += [UInt16(number >> 16), UInt16(number & 0xFFFF)]
                continue
            }
            // `UInt16.init(_:radix:)` accepts a sign, so the digits are checked first.
            guard (1...4).contains(part.count), part.allSatisfy(isHexadecimal),
                let group = UInt16(Substring(part), radix: 16)
            else { return nil }
            groups.append(group)
        }
        return groups
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func joined(_ groups: [UInt16]) -> UInt128 {
        groups.reduce(0) { $0 << 16 | UInt128($1) }
    }

    private static func dotted(_ number: UInt32) -> String {
        "\(number >> 24).\(number >> 16 & 0xFF).\(number >> 8 & 0xFF).\(number & 0xFF)"
    }

    private static func colons(_ number: UInt128) -> String {
        // An IPv4-mapped address ends in dotted decimals (RFC 5952 §5).
        if number >> 32 == 0xFFFF { return "::ffff:" + dotted(UInt32(number & 0xFFFF_FFFF)) }
        let groups = stride(from: 112, through: 0, by: -16).map { UInt16(truncatingIfNeeded: number >> $0) }
        let text = groups.map { String($0, radix: 16) }
        // The first of the longest runs of two or more zero groups is compressed (RFC 5952 §4.2).
        var longest = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > max(1, longest.count) { longest = start..<(index + 1) }
        }
        if longest.isEmpty { return text.joined(separator: ":") }
        let (before, after) = (text[..<longest.lowerBound], text[longest.upperBound...])
        return "\(before.joined(separator: ":"))::\(after.joined(separator: ":"))"
    }
}
