// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginCrypto
import TestSupport
import Testing

@testable import LoginAccounts

/// Codes that are made here: those for phones, and those for who has lost everything else.
@Suite struct OneTimeCodeTests {
    @Test(.rule("PHONE-1")) func `each number is as likely as any other`() {
        // 2³² is 4294 times a million and a rest: what lies in the rest is thrown again.
        var numbers: [UInt32] = [UInt32.max, 4_294_000_000, 4_293_999_999]
        #expect(OneTimeCode.number(below: 1_000_000) { numbers.removeFirst() } == 999_999)
        #expect(numbers.isEmpty)
        var powers: [UInt32] = [UInt32.max]
        #expect(OneTimeCode.number(below: 1 << 20) { powers.removeFirst() } == 1 << 20 - 1)
        #expect(OneTimeCode.number(below: 1_000_000) { 0 } == 0)
        #expect(OneTimeCode.number(below: 1) { UInt32.max } == 0)
    }

    @Test(.rule("PHONE-1")) func `a code has six digits, leading zeros among them`() {
        var first: [UInt8: Int] = [:]
        for _ in 1...2000 {
            let code = OneTimeCode.make(digits: 6)
            #expect(OneTimeCode.digits(code, count: 6) == Array(code.utf8))
            first[code.utf8.first ?? 0, default: 0] += 1
        }
        // 200 each on average, with a standard deviation of 13.
        #expect(first.count == 10 && first.values.allSatisfy { (100...300).contains($0) })
    }

    @Test(
        .rule("PHONE-1"),
        arguments: ["+14155550100", "+4915123456789", "+1234567", "+123456789012345", "+1 415-555-0100"]
    )
    func `a number with its country is one`(text: String) {
        #expect(PhoneNumber(text)?.text == text.filter { $0 != " " && $0 != "-" })
    }

    @Test(
        .rule("PHONE-1"),
        arguments: [
            "", "+", "14155550100", "+04155550100", "+123456", "+1234567890123456", "+1415555010a", "++14155550100",
            "+44 (0)20 7946 0000", "+１4155550100", "+1415555\u{301}0100", "+1415555\00100", "+1415555+0100",
            String(repeating: " ", count: 40) + "+14155550100", String(repeating: "+", count: 100_000),
        ]
    )
    func `what is no number of E.164 is refused`(text: String) {
        #expect(PhoneNumber(text) == nil)
    }

    @Test(.rule("R-MFA-2")) func `of a number the last four digits are shown`() {
        #expect(PhoneNumber("+14155550100")?.suffix == "0100")
    }
}

@Suite struct RecoveryCodeTests {
    @Test(.rule("RECOVERY-1")) func `a code has 128 random bits in 26 digits`() throws {
        let codes = (0..<100).map { _ in RecoveryCode() }
        #expect(Set(codes.map(\.text)).count == 100)
        for code in codes {
            #expect(code.text.split(separator: "-").map(\.count) == [5, 5, 5, 5, 6])
            #expect(code.hash.count == 32)
            #expect(RecoveryCode(code.text)?.hash == code.hash)
            #expect(RecoveryCode(code.text.lowercased().replacing("-", with: " "))?.hash == code.hash)
        }
        // Every digit turns up: 2600 of them, of which the first of each code is below 8.
        #expect(Set(codes.flatMap { $0.text.utf8 }).count == 33)
    }

    @Test(.rule("RECOVERY-1")) func `letters that look like digits are taken for them`() throws {
        let code = try #require(RecoveryCode("01010-10101-01010-10101-010101"))
        #expect(RecoveryCode("oiOLo IO1oL oLoIo i0lOi OlOIoI")?.hash == code.hash)
        #expect(code.text == "01010-10101-01010-10101-010101")
    }

    @Test(
        .rule("RECOVERY-1"),
        arguments: [
            "", "0", "01010-10101-01010-10101-01010", "01010-10101-01010-10101-0101011",
            "81010-10101-01010-10101-010101",
            "01010-10101-01010-10101-01010U", "01010-10101-01010-10101-01010Ä", "01010_10101-01010-10101-010101",
            String(repeating: "-", count: 65), String(repeating: "0", count: 100_000),
        ]
    )
    func `what is no code is refused`(text: String) {
        #expect(RecoveryCode(text) == nil)
    }

    @Test(.rule("RECOVERY-1")) func `what is kept is the SHA-256 of the bits`() {
        let zeros = RecoveryCode("00000-00000-00000-00000-000000")
        #expect(zeros?.hash == Digest.sha256.hash([UInt8](repeating: 0, count: 16)))
        let ones = RecoveryCode("7ZZZZ-ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZZ")
        #expect(ones?.hash == Digest.sha256.hash([UInt8](repeating: 0xFF, count: 16)))
    }
}
