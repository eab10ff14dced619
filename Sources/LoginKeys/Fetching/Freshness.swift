// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How long an answer may be used, as the server said it (RFC 9111).
///
/// Only what concerns a private cache of one document is read. What is said wrongly, but for `Age`, counts as stale, as
/// RFC 9111 §4.2.1 encourages: whoever asks once too often loses less than whoever trusts a withdrawn key.
enum Freshness {
    /// How long an answer may still be used.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - now: When it came.
    /// - Returns: 0 s to 2³¹ s; nil if the answer says nothing about it.
    static func lifetime(of response: TransportResponse, now: Date) -> Duration? {
        let stated = stated(by: response.values(of: "Cache-Control")) ?? untilExpiry(of: response, now: now)
        return stated.map { .seconds(max(0, $0 - age(of: response))) }
    }

    /// What is read of all `Cache-Control` fields of an answer: 8 KiB, where web servers commonly stop.
    ///
    /// More counts as stale.
    static let cacheControlBytes = 8 * 1024

    /// The largest number of seconds, which stands for all larger ones (RFC 9111 §1.2.2).
    private static let longest = 1 << 31

    /// The seconds that `Cache-Control` gives; nil if it gives none.
    ///
    /// The smallest counts, `s-maxage` does not: it is for shared caches (RFC 9111 §5.2.2.10).
    private static func stated(by fields: [String]) -> Int? {
        var bytesLeft = cacheControlBytes
        var smallest: Int?
        for field in fields {
            bytesLeft -= min(field.utf8.count, bytesLeft + 1)
            guard bytesLeft >= 0 else { return 0 }
            var directives = CacheDirectives(field)
            while let directive = directives.next() {
                let stated: Int? =
                    switch directive.name {
                    case "no-store", "no-cache": 0
                    case "max-age": directive.argument.flatMap(seconds) ?? 0
                    default: nil
                    }
                smallest = [smallest, stated].compactMap(\.self).min()
            }
            // After a quotation that does not end nobody knows what was a directive.
            guard !directives.endsInsideQuotation else { return 0 }
        }
        return smallest
    }

    /// The seconds from `Date`, or now without it, to `Expires` (RFC 9111 §5.3); nil if there is no `Expires`.
    private static func untilExpiry(of response: TransportResponse, now: Date) -> Int? {
        let expiries = response.values(of: "Expires")
        guard !expiries.isEmpty else { return nil }
        let dates = response.values(of: "Date")
        let start = dates.count == 1 ? HTTPDate.read(trimmed(dates[0]), now: now) ?? now : now
        // "0" and whatever else is no date stand for one that has passed.
        let ends = expiries.map { HTTPDate.read(trimmed($0), now: now) ?? .distantPast }
        guard let end = ends.min(), start < end else { return 0 }
        return Int(min(end.timeIntervalSince(start), Double(longest)))
    }

    /// The seconds the answer spent in caches on its way (RFC 9111 §5.1): by the first number, and 0 if that is none.
    ///
    /// What `Date` says of its age is not asked. That would compare the clocks of two machines, and a server whose clock is slow
    /// would never give anything that is fresh.
    private static func age(of response: TransportResponse) -> Int {
        let first = response.values(of: "Age").first ?? ""
        let member = first.utf8.prefix(cacheControlBytes).prefix { $0 != UInt8(ascii: ",") }
        return seconds(Array(trimmed(String(decoding: member, as: UTF8.self)).utf8)) ?? 0
    }

    /// A number of seconds (RFC 9111 §1.2.2), nil if there is anything but digits.
    private static func seconds(_ digits: [UInt8]) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int($1) - 0x30, longest) }
    }

    private static func trimmed(_ text: String) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let rest = text.utf8.drop(while: isSpace)
        let end = rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) } ?? rest.startIndex
        return String(rest[..<end]) ?? ""
    }
}
