// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

@Suite(.rule("T-165")) struct FreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("max-age=3600", 3600), ("Max-Age=3600", 3600), ("MAX-AGE=3600", 3600),
        ("max-age=0", 0), ("max-age=007", 7), ("max-age=\"3600\"", 3600), ("max-age=\"3\\600\"", 3600),
        (" \t max-age \t = \t 3600 \t ", 3600), ("max-age= \"3600\" ", 3600),
        ("public, max-age=3600, must-revalidate", 3600), (",, ,max-age=3600,,", 3600),
        ("private=\"a, max-age=1, no-store\", max-age=3600", 3600),
        ("private=\"a\\\", no-store\", max-age=3600", 3600),
        ("x=\"\",max-age=3600", 3600), ("unknown=\"", 0), ("max-age=3600, unknown=\"no-store", 0),
        ("max-age=3600, x=\"\\", 0),
        ("x\"no-transform, max-age=60\"", 0), ("x\"no-transform, max-age=60", 60),
        ("max-age=3600, max-age=60", 60), ("max-age=60, max-age=3600", 60), ("max-age=60, max-age=x", 0),
        ("no-store", 0), ("No-Store, max-age=3600", 0), ("max-age=3600, no-cache", 0),
        ("no-cache=\"Set-Cookie\", max-age=3600", 0), ("no-store=x", 0),
        ("s-maxage=10, max-age=3600", 3600), ("max-age=3600, max-stale=5, x-max-age=1, no-storex", 3600),
    ])
    func `Cache-Control is interpreted as RFC 9111 specifies`(field: String, seconds: Int) {
        #expect(lifetime(["Cache-Control": field]) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "-1", "+1", "1.5", "1e99", "1e2", "0x10", "1 2", "3600s", "٣", "\"\"", "\" 60\"", "\"60\"0", "\"6\"\"0\"",
        "60=60",
        "60;x", "'60'", "six", "\u{0}60", "60\r\n", "NaN", "inf",
    ])
    func `an invalid number makes a response stale`(argument: String) {
        #expect(lifetime(["Cache-Control": "max-age=\(argument)"]) == .zero)
        #expect(lifetime(["Cache-Control": "max-age=\(argument), max-age=60"]) == .zero)
    }

    @Test func `max-age without a value makes a response stale`() {
        #expect(lifetime(["Cache-Control": "max-age"]) == .zero)
        #expect(lifetime(["Cache-Control": "max-age, public"]) == .zero)
    }

    @Test(arguments: [
        ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
        ("9223372036854775807", 2_147_483_648), ("9223372036854775808", 2_147_483_648),
        (String(repeating: "9", count: 4000), 2_147_483_648), (String(repeating: "0", count: 4000) + "5", 5),
    ])
    func `a huge number counts as the largest supported one`(digits: String, seconds: Int) {
        #expect(lifetime(["Cache-Control": "max-age=\(digits)"]) == .seconds(seconds))
        #expect(lifetime(["Cache-Control": "max-age=\(digits)", "Age": digits]) == .zero)
        #expect(lifetime(["Cache-Control": "max-age=60", "Age": digits]) == .seconds(max(0, 60 - seconds)))
    }

    @Test(arguments: ["", "public", "must-revalidate, private", "s-maxage=60", "max-age 60", "max_age=60", "=60", ",,"])
    func `a response without caching headers has no lifetime`(field: String) {
        #expect(lifetime([:]) == nil)
        #expect(lifetime(["Cache-Control": field]) == nil)
        #expect(lifetime(["Cache-Control": field, "Age": "5", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) == nil)
    }

    @Test func `several Cache-Control fields are combined`() {
        #expect(lifetime([("Cache-Control", "public"), ("cache-control", "max-age=60")]) == .seconds(60))
        #expect(lifetime([("Cache-Control", "max-age=60"), ("CACHE-CONTROL", "no-store")]) == .zero)
        #expect(lifetime([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=30")]) == .seconds(30))
        #expect(lifetime([("Cache-Control", "x=\"a"), ("Cache-Control", "max-age=30")]) == .zero)
    }

    @Test(arguments: [
        ("0", 3600), ("1", 3599), ("3599", 1), ("3600", 0), ("3601", 0), (" 10 ", 3590), ("10, 20", 3590),
        ("20,10", 3580),
        ("-10", 3600), ("x", 3600), ("", 3600), ("1.5", 3600), (",10", 3600),
    ])
    func `the Age of a response is subtracted from its lifetime`(age: String, seconds: Int) {
        #expect(lifetime(["Cache-Control": "max-age=3600", "Age": age]) == .seconds(seconds))
        #expect(lifetime(["Expires": "Sun, 06 Nov 1994 09:49:37 GMT", "Age": age]) == .seconds(seconds))
    }

    @Test func `the first of several Age values is used`() {
        let fields = [("Cache-Control", "max-age=3600"), ("Age", "10"), ("age", "20")]
        #expect(lifetime(fields) == .seconds(3590))
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:38 GMT", 1), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
        ("Sunday, 06-Nov-94 09:49:37 GMT", 3600), ("Sun Nov  6 09:49:37 1994", 3600),
        (" \tSun, 06 Nov 1994 09:49:37 GMT ", 3600), ("Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_648),
        ("Mon, 01 Jan 0001 00:00:00 GMT", 0),
        ("0", 0), ("-1", 0), ("", 0), ("Sun, 06 Nov 1994 09:49:37 UTC", 0), ("never", 0),
        ("Sun, 06 Nov 1994 09:49:37 GMT, Sun, 06 Nov 1994 09:49:37 GMT", 0),
    ])
    func `Expires is used if there is no max-age`(expires: String, seconds: Int) {
        #expect(lifetime(["Expires": expires]) == .seconds(seconds))
        #expect(lifetime(["Expires": expires, "Cache-Control": "public"]) == .seconds(seconds))
        #expect(lifetime(["Expires": expires, "Cache-Control": "max-age=7"]) == .seconds(7))
        #expect(lifetime(["Expires": expires, "Cache-Control": "no-store"]) == .zero)
    }

    @Test func `the earliest of several Expires values is used`() {
        let late = ("Expires", "Sun, 06 Nov 1994 09:49:37 GMT")
        #expect(lifetime([late, ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")]) == .seconds(60))
        #expect(lifetime([late, ("Expires", "0")]) == .zero)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:48:37 GMT", 3660), ("Sun, 06 Nov 1994 08:50:37 GMT", 3540),
        ("Sun, 06 Nov 1994 10:00:00 GMT", 0), ("x", 3600), ("Sun, 06 Nov 1994 08:48:37", 3600),
    ])
    func `Expires is relative to Date, or to the current time without Date`(date: String, seconds: Int) {
        let fields = ["Expires": "Sun, 06 Nov 1994 09:49:37 GMT", "Date": date]
        #expect(lifetime(fields) == .seconds(seconds))
    }

    @Test func `Expires is relative to the current time if two Date values differ`() {
        let date = ("Date", "Sun, 06 Nov 1994 08:48:37 GMT")
        let expires = ("Expires", "Sun, 06 Nov 1994 09:49:37 GMT")
        #expect(lifetime([date, expires]) == .seconds(3660))
        #expect(lifetime([date, date, expires]) == .seconds(3600))
    }

    @Test func `a Cache-Control field of more than 8 KiB makes a response stale`() {
        let padding = String(repeating: "x", count: Freshness.cacheControlBytes - "max-age=60,".utf8.count)
        #expect(lifetime(["Cache-Control": "max-age=60,\(padding)"]) == .seconds(60))
        #expect(lifetime(["Cache-Control": "max-age=60,\(padding)x"]) == .zero)
        #expect(lifetime([("Cache-Control", "max-age=60,\(padding)"), ("Cache-Control", "x")]) == .zero)
        #expect(lifetime([("Cache-Control", "max-age=60,\(padding)"), ("Cache-Control", "")]) == .seconds(60))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `random Cache-Control fields have the same meaning as in a reference implementation`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let pieces = [
            "max-age", "no-store", "no-cache", "public", "s-maxage", "=", "=", ",", ",", "\"", "\\", " ", "\t", "0",
            "1", "60", "-",
            "\u{0}", "é",
        ]
        for _ in 0..<100 {
            let count = Int.random(in: 0..<12, using: &numbers)
            let field = (0..<count).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
            #expect(lifetime(["Cache-Control": field]) == SlowCacheControl.lifetime(field), "\(field.debugDescription)")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `arbitrary bytes cause no trap`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<100 {
            var values = (0..<4).map { _ in
                let count = Int.random(in: 0..<64, using: &numbers)
                return String(
                    decoding: (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) },
                    as: UTF8.self
                )
            }
            if Bool.random(using: &numbers) { values[0] = "max-age=5\(values[0])" }
            let fields = zip(["Cache-Control", "Age", "Expires", "Date"], values).map { ($0, $1) }
            let far = Date(timeIntervalSince1970: Double.random(in: -1e300...1e300, using: &numbers))
            for now in [now, far, .distantPast, .distantFuture] {
                let lifetime = Freshness.lifetime(of: response(fields), now: now)
                #expect(lifetime.map { (.zero ... .seconds(1 << 31)).contains($0) } ?? true)
            }
        }
    }

    private func lifetime(_ fields: [String: String]) -> Duration? {
        lifetime(fields.map { ($0.key, $0.value) })
    }

    private func lifetime(_ fields: [(String, String)]) -> Duration? {
        Freshness.lifetime(of: response(fields), now: now)
    }

    private func response(_ fields: [(String, String)]) -> TransportResponse {
        TransportResponse(status: 200, headers: fields.map { (name: $0.0, value: $0.1) }, body: [])
    }
}

/// A simple, slow parser of `Cache-Control`: it removes quoted strings first, then splits the rest.
private enum SlowCacheControl {
    static func lifetime(_ field: String) -> Duration? {
        var quotations: [String] = []
        var plain = ""
        var rest = Substring(field)
        while let character = rest.popFirst() {
            let element = plain.split(separator: ",", omittingEmptySubsequences: false).last ?? ""
            let isAfterEquals = element.last { $0 != " " && $0 != "\t" } == "=" && element.count { $0 == "=" } == 1
            guard character == "\"", isAfterEquals else {
                plain.append(character)
                continue
            }
            var quotation = ""
            while let inside = rest.first, inside != "\"" {
                rest.removeFirst()
                quotation += inside == "\\" ? rest.popFirst().map(String.init) ?? "" : String(inside)
            }
            guard rest.popFirst() != nil else { return .zero }
            quotations.append(quotation)
            plain += "\u{1}\(quotations.count - 1)\u{2}"
        }
        let lifetimes = plain.split(separator: ",").compactMap { element -> Int? in
            let parts = element.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
            switch parts[0].lowercased() {
            case "no-store", "no-cache": return 0
            case "max-age":
                guard parts.count == 2 else { return 0 }
                let argument =
                    parts[1].wholeMatch(of: /\u{1}(\d+)\u{2}/).flatMap { Int($0.1) }.map { quotations[$0] } ?? parts[1]
                return argument.wholeMatch(of: /[0-9]+/) == nil ? 0 : Int(argument).map { min($0, 1 << 31) } ?? 1 << 31
            default: return nil
            }
        }
        return lifetimes.min().map { .seconds($0) }
    }
}
