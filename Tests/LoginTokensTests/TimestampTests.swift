// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTokens
internal import Testing

/// Times in errors and reports have the same format as Foundation's.
@Suite struct TimestampTests {
    private func foundation(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    @Test func `every eleventh day until the year 9999 is formatted as by Foundation`() {
        let days = Int(Limits.numericDate.upperBound) / 86_400
        let wrong = stride(from: 0, through: days, by: 11).map { Double($0 * 86_400) }
            .first { timestamp($0) != foundation($0) || timestamp($0 + 86_399.75) != foundation($0 + 86_399.75) }
        #expect(wrong == nil)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_399.9, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"), (1_760_000_000, "2025-10-09T08:53:20Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
    func `days around leap days are correct`(seconds: Double, text: String) {
        #expect(timestamp(seconds) == text)
        #expect(foundation(seconds) == text)
    }

    @Test(arguments: [-1, -1e12, 253_402_300_800, 1e15])
    func `a time that no claim can have is formatted by Foundation`(seconds: Double) {
        #expect(timestamp(seconds) == foundation(seconds))
    }
}
