// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

@testable internal import LoginKeys
@testable internal import LoginTokens

extension FuzzTarget {
    /// The freshness fields of HTTP responses: lifetimes stay within bounds, and no added field extends one.
    static let freshness = FuzzTarget(
        "cache-control",
        maximumBytes: 12 * 1024,
        seeds: { _ in
            [
                "Cache-Control: max-age=3600", "Cache-Control: public, max-age=\"60\", s-maxage=9\nAge: 12",
                "Cache-Control: no-store",
                "Cache-Control: private=\"a, b\\\"\", max-age=99999999999999999999\nAge: 2147483649, 1",
                "Cache-Control: max-age=1, max-age=2\ncache-control: NO-CACHE=\"x\"", "Cache-Control: x=\"",
                "Expires: Thu, 09 Oct 2025 08:54:20 GMT\nDate: Thu, 09 Oct 2025 08:53:20 GMT\nAge: 5",
                "Expires: Thursday, 09-Oct-25 08:54:20 GMT", "Expires: Thu Oct  9 08:54:20 2025", "Expires: 0\nAge: x",
                "Expires: Tue, 29 Feb 2028 23:59:60 GMT\nExpires: Wed, 01 Jan 3000 00:00:00 GMT",
                "Date: Sun, 06 Nov 1994 08:49:37 GMT",
            ].map { Array($0.utf8) }
        },
        run: { input in tryHead(String(decoding: input, as: UTF8.self)) }
    )
}

private let now = Date(timeIntervalSince1970: 1_760_000_000)
private let range: ClosedRange<Duration> = .zero ... .seconds(1 << 31)

private func tryHead(_ text: String) {
    let headers = text.split(separator: "\n").map { line -> (name: String, value: String) in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }
    let lifetime = lifetime(headers)
    expect(lifetime.map(range.contains) ?? true, "a lifetime is out of bounds")
    // Inserted first, because the first of several `Age` fields is used.
    let older = FuzzTargets.lifetime([("Age", "2147483648")] + headers)
    expect(older == lifetime.map { _ in .zero }, "an old response is fresh")
    let age = FuzzTargets.lifetime([("age", " 0\t")] + headers)
    expect(age.map { $0 >= lifetime ?? .zero } ?? (lifetime == nil), "an age of zero shortens a lifetime")
    for value in ["no-store", "max-age=0", "max-age", "max-age=\"0\"", "x, no-cache=\"x\""] {
        expect(FuzzTargets.lifetime(headers + [("CACHE-control", value)]) == .zero, "a directive is overlooked")
    }
    let bounded = FuzzTargets.lifetime(headers + [("Cache-Control", "max-age=60")])
    expect(bounded.map { (.zero ... .seconds(60)).contains($0) } == true, "the shortest lifetime does not apply")
    for (name, value) in headers {
        tryDate(value)
        tryDate(name + ":" + value)
        var directives = CacheDirectives(value)
        var count = 0
        while let directive = directives.next() {
            count += 1
            expect(
                directive.name == directive.name.lowercased() || !directive.name.utf8.allSatisfy { $0 < 0x80 },
                "a name has upper-case letters"
            )
            expect((directive.argument?.count ?? 0) <= value.utf8.count, "an argument is longer than its field")
        }
        expect(count <= value.utf8.count, "there are more directives than bytes")
    }
}

private func lifetime(_ headers: [(name: String, value: String)]) -> Duration? {
    Freshness.lifetime(of: TransportResponse(status: 200, headers: headers, body: []), now: now)
}

private func tryDate(_ text: String) {
    let text = text.trimmingCharacters(in: [" ", "\t"])
    guard let date = HTTPDate.read(text, now: now) else { return }
    let seconds = date.timeIntervalSince1970
    // From the first day of the year 1 to the last of 9999, including a leap second after it.
    expect((-62_135_596_800...253_402_300_800).contains(seconds), "a date is out of bounds")
    guard seconds < 253_402_300_800 else { return }
    expect(HTTPDate.read(text.uppercased(), now: now) == date, "the result depends on letter case")
    expect(HTTPDate.read(written(date), now: now) == date, "a date changes when it is written and read")
}

/// Formats a date as IMF-fixdate, the current form (RFC 9110 §5.6.7).
///
/// It counts years itself, because Foundation's calendar is the Julian one before 1582.
private func written(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970) + 719_162 * 86_400
    var (day, year) = (seconds / 86_400, 1)
    // Complete periods of 400 years first, then single years.
    year += day / 146_097 * 400
    day %= 146_097
    while day >= daysOfMonths(in: year).reduce(0, +) {
        day -= daysOfMonths(in: year).reduce(0, +)
        year += 1
    }
    var month = 0
    while day >= daysOfMonths(in: year)[month] {
        day -= daysOfMonths(in: year)[month]
        month += 1
    }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let digits = { (number: Int, count: Int) in
        String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
    }
    let time = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }.joined(separator: ":")
    return "Mon, \(digits(day + 1, 2)) \(months[month]) \(digits(year, 4)) \(time) GMT"
}

private func daysOfMonths(in year: Int) -> [Int] {
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}
