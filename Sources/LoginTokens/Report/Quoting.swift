// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Returns untrusted text for messages and reports: in quotation marks, in ASCII, on one line, and shortened.
package func quoted(_ text: String) -> String {
    let shown = oneLine(text, limit: Limits.quotedCharacters, escaping: [UInt8(ascii: "\""), UInt8(ascii: "\\")])
    let count = text.unicodeScalars.count
    return count > Limits.quotedCharacters ? "\"\(shown)...\" of \(count) characters" : "\"\(shown)\""
}

/// Returns text as one line of ASCII; all other characters, and those to escape, become `\u{…}`.
///
/// - Parameters:
///   - text: The text.
///   - limit: The maximum number of characters; the rest is removed.
///   - escaped: Printable characters that are escaped too.
/// - Returns: The line.
package func oneLine(_ text: String, limit: Int, escaping escaped: [UInt8] = []) -> String {
    let isPlain = { (byte: UInt8) in (0x20..<0x7F).contains(byte) && !escaped.contains(byte) }
    // The common case.
    if text.utf8.count <= limit, text.utf8.allSatisfy(isPlain) { return text }
    var result = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        if !(UInt8(exactly: scalar.value).map(isPlain) ?? false) {
            result += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Returns a claim or header parameter for messages: a string in quotation marks; for any other value, its type.
func quoted(_ value: JSONValue) -> String {
    value.string.map { quoted($0) } ?? value.kind.rawValue
}

/// Returns several untrusted texts for messages: the first four, and the number of the others.
package func quoted(_ texts: [String]) -> String {
    let shown = texts.prefix(4).map(quoted).joined(separator: ", ")
    return texts.count > 4 ? "\(shown) and \(texts.count - 4) more" : shown
}

/// Returns a fingerprint of a value that must not be shown: the first eight digits of its SHA-256, for comparison.
package func fingerprint(_ text: String) -> String {
    "sha256:" + hexadecimal(Digest.sha256.hash(text.utf8).prefix(4))
}

/// Returns bytes in lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Returns a time in ISO 8601 format in UTC.
///
/// The date is computed here because Foundation first loads time zones and calendars, a noticeable delay in a process
/// that verifies one token.
///
/// - Parameter seconds: Seconds since 1970. Foundation formats values outside `Limits.numericDate`.
/// - Returns: For example `2025-10-09T08:53:20Z`.
package func timestamp(_ seconds: Double) -> String {
    guard Limits.numericDate.contains(seconds) else {
        return Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }
    let (days, second) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = gregorianDate(daysSince1970: days)
    let date = "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    return "\(date)T\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))Z"
}

/// Returns the date of a day in the Gregorian calendar.
///
/// Years start in March here, so that the leap day is the last day of a year.
private func gregorianDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    // There are 719,468 days from March 1 of the year 0 to 1970, 146,097 in 400 years, 36,524 in the first hundred of
    // them, and 1,461 in four years.
    let (centuries, dayOf400Years) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let leapDays = dayOf400Years / 1_460 - dayOf400Years / 36_524 + dayOf400Years / 146_096
    let yearOf400 = (dayOf400Years - leapDays) / 365
    let dayOfYear = dayOf400Years - (yearOf400 * 365 + yearOf400 / 4 - yearOf400 / 100)
    // From March on, each period of five months has 153 days: 31, 30, 31, 30, 31.
    let month = (dayOfYear * 5 + 2) / 153
    let isNextYear = month >= 10
    return (
        centuries * 400 + yearOf400 + (isNextYear ? 1 : 0),
        isNextYear ? month - 9 : month + 3,
        dayOfYear - (month * 153 + 2) / 5 + 1
    )
}

/// Returns a number padded with leading zeros.
private func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
}
