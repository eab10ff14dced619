// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginTokens

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The freshness lifetime of a response (RFC 9111).
///
/// Only the rules for a private cache of one document apply. Invalid freshness information, other than in `Age`, makes
/// the response stale, as RFC 9111 §4.2.1 encourages: an unnecessary fetch costs less than trust in a withdrawn key.
package enum Freshness {
    /// Returns the remaining freshness lifetime of a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - now: The time at which it was received.
    /// - Returns: 0 s to 2³¹ s; nil if the response has no freshness information.
    static func lifetime(of response: TransportResponse, now: Date) -> Duration? {
        let stated = stated(by: response.values(of: "Cache-Control")) ?? untilExpiry(of: response, now: now)
        return stated.map { .seconds(max(0, $0 - age(of: response))) }
    }

    /// Returns the time of the server's clock when a response was received: its `Date` (RFC 9110 §6.6.1), plus the
    /// seconds that it spent in caches (RFC 9111 §5.1).
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - now: The time at which it was received.
    /// - Returns: The time; nil unless the response has exactly one `Date`, and a valid one.
    package static func serverTime(of response: TransportResponse, now: Date) -> Date? {
        date(of: response, now: now)?.addingTimeInterval(Double(age(of: response)))
    }

    /// The maximum size of all `Cache-Control` fields of a response: 8 KiB, a common limit of web servers.
    ///
    /// A response with more is stale.
    static let cacheControlBytes = 8 * 1024

    /// The largest number of seconds, which replaces all larger ones (RFC 9111 §1.2.2).
    private static let longest = 1 << 31

    /// Returns the seconds that `Cache-Control` states; nil if it states none.
    ///
    /// The smallest number applies. `s-maxage` is ignored: it is for shared caches (RFC 9111 §5.2.2.10).
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
            // After an unterminated quoted string, the directives cannot be told apart.
            guard !directives.endsInsideQuotation else { return 0 }
        }
        return smallest
    }

    /// Returns the seconds from `Date`, or from now without it, to `Expires` (RFC 9111 §5.3); nil without `Expires`.
    private static func untilExpiry(of response: TransportResponse, now: Date) -> Int? {
        let expiries = response.values(of: "Expires")
        guard !expiries.isEmpty else { return nil }
        let start = date(of: response, now: now) ?? now
        // An invalid date, "0" in particular, means a time in the past.
        let ends = expiries.map { HTTPDate.read(trimmed($0), now: now) ?? .distantPast }
        guard let end = ends.min(), start < end else { return 0 }
        return Int(min(end.timeIntervalSince(start), Double(longest)))
    }

    /// Returns the time at which the response was made; nil unless it has exactly one `Date`, and a valid one.
    private static func date(of response: TransportResponse, now: Date) -> Date? {
        let dates = response.values(of: "Date")
        return dates.count == 1 ? HTTPDate.read(trimmed(dates[0]), now: now) : nil
    }

    /// Returns the seconds that the response spent in caches (RFC 9111 §5.1), from the first value; 0 if it is not a
    /// number.
    ///
    /// The age is not derived from `Date`. That would compare the clocks of two machines, and no response of a server
    /// with a slow clock would ever be fresh.
    private static func age(of response: TransportResponse) -> Int {
        let first = response.values(of: "Age").first ?? ""
        let member = first.utf8.prefix(cacheControlBytes).prefix { $0 != UInt8(ascii: ",") }
        return seconds(Array(trimmed(String(decoding: member, as: UTF8.self)).utf8)) ?? 0
    }

    /// Returns a number of seconds (RFC 9111 §1.2.2); nil if the text contains anything but digits.
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
