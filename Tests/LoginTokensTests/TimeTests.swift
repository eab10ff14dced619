// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The times of a token, at their limits.
@Suite struct TimeTests {
    /// A bench without leeway; the other has a leeway of half a minute.
    private let bench: Bench
    private let lenient: Bench
    private let now: Int
    private static let leeway = 30

    init() throws {
        bench = try Bench()
        lenient = try Self.bench(leeway: .seconds(Self.leeway))
        now = Int(bench.issuer.clock.now.timeIntervalSince1970)
    }

    private static func bench(leeway: Duration, maximumAge: Duration? = nil) throws -> Bench {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: [issuer.audience],
            leeway: leeway,
            maximumAge: maximumAge
        )
        return try Bench(issuer: issuer, policy: policy)
    }

    private func seconds(_ offset: Int) -> TestJSON { .number("\(now + offset)") }

    // MARK: exp

    @Test(.rule("T-122"), arguments: ["exp", "iat"])
    func `a token without exp or iat is refused`(name: String) {
        let refusal = expectRefusal(.missingClaim) { try bench.verify { $0.claims[name] = nil } }
        #expect(refusal?.member == name)
    }

    @Test(.rule("T-123"), arguments: [0, -1, -3600])
    func `a token whose exp is the current time or earlier is refused`(offset: Int) {
        expectRefusal(.expired) {
            try bench.verify {
                $0.claims["iat"] = seconds(-7200)
                $0.claims["exp"] = seconds(offset)
            }
        }
    }

    @Test(.rule("T-123"))
    func `a token whose exp is one second ahead is accepted`() throws {
        let token = try bench.verify { $0.claims["exp"] = seconds(1) }
        #expect(token.expiresAt == Date(timeIntervalSince1970: Double(now + 1)))
    }

    @Test(.rule("T-123"))
    func `a token is refused from exp plus the leeway on`() throws {
        try lenient.verify { $0.claims["exp"] = seconds(1 - Self.leeway) }
        expectRefusal(.expired) { try lenient.verify { $0.claims["exp"] = seconds(-Self.leeway) } }
    }

    @Test(.rule("T-127"), arguments: [0, -1])
    func `a token whose exp is not after iat is refused`(life: Int) throws {
        try lenient.verify {
            $0.claims["iat"] = seconds(10)
            $0.claims["exp"] = seconds(11)
        }
        expectRefusal(.expired) {
            try lenient.verify {
                $0.claims["iat"] = seconds(10)
                $0.claims["exp"] = seconds(10 + life)
            }
        }
    }

    // MARK: Types and ranges

    @Test(.rule("T-124", "T-128", "T-129"), arguments: ["exp", "iat", "nbf"], timesOfAnotherType)
    func `a time that is not a number is refused, and does not count as absent`(name: String, value: TestJSON) {
        let refusal = expectRefusal(.claimType) { try bench.verify { $0.claims[name] = value } }
        #expect(refusal?.member == name)
    }

    static let timesOfAnotherType: [TestJSON] = [
        "1760000000", "", "2025-10-09T08:53:20Z", true, false, [], [1_760_000_000], [:], ["value": 1],
    ]

    @Test(.rule("T-124", "T-128"))
    func `an nbf that is null restricts nothing`() throws {
        #expect(try bench.verify { $0.claims["nbf"] = .null }.claims.notBefore == nil)
    }

    @Test(.rule("T-126"), arguments: ["exp", "iat", "nbf"], timesOutOfRange)
    func `a time outside the years 1970 to 9999 is refused without a trap`(name: String, value: String) {
        expectRefusal(.claimType) { try bench.verify { $0.claims[name] = .number(value) } }
    }

    static let timesOutOfRange = [
        "-1", "-0.001", "-1e300", "253402300800", "253402300799.5", "9007199254740993", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "1e300", "1e400", "-1e400", "1e99999",
        String(repeating: "9", count: 400),
    ]

    @Test(.rule("T-126"))
    func `the first second of 1970 and the last of 9999 are accepted`() throws {
        let token = try bench.verify {
            $0.claims["exp"] = 253_402_300_799
            $0.claims["iat"] = 0
            $0.claims["nbf"] = .number("-0")
        }
        #expect(token.expiresAt == Date(timeIntervalSince1970: 253_402_300_799))
        #expect(token.issuedAt == Date(timeIntervalSince1970: 0))
    }

    @Test(
        .rule("T-125"),
        arguments: ["1.76000001e9", "17600000100e-1", "1760000010.0", "1760000010.000", "1.76000001E+9"]
    )
    func `a time is accepted in any number notation`(digits: String) throws {
        let token = try bench.verify { $0.claims["exp"] = .number(digits) }
        #expect(token.expiresAt == Date(timeIntervalSince1970: 1_760_000_010))
    }

    @Test(.rule("T-125"))
    func `times are compared with fractions of a second`() throws {
        let token = try bench.verify { $0.claims["exp"] = .number("\(now).5") }
        #expect(token.expiresAt.timeIntervalSince1970 == Double(now) + 0.5)
        let text = bench.issuer.token { $0.claims["exp"] = .number("\(now).5") }
        bench.issuer.clock.advance(by: .milliseconds(499))
        try bench.verify(text: text)
        bench.issuer.clock.advance(by: .milliseconds(1))
        expectRefusal(.expired) { try bench.verify(text: text) }
    }

    // MARK: nbf and iat

    @Test(.rule("T-128"))
    func `a token is refused before nbf minus the leeway`() throws {
        try bench.verify { $0.claims["nbf"] = seconds(0) }
        expectRefusal(.notYetValid) { try bench.verify { $0.claims["nbf"] = seconds(1) } }
        try lenient.verify { $0.claims["nbf"] = seconds(Self.leeway) }
        expectRefusal(.notYetValid) { try lenient.verify { $0.claims["nbf"] = seconds(Self.leeway + 1) } }
    }

    @Test(.rule("T-129"))
    func `a token is refused if iat is in the future by more than the leeway`() throws {
        try bench.verify { $0.claims["iat"] = seconds(0) }
        expectRefusal(.issuedInFuture) { try bench.verify { $0.claims["iat"] = seconds(1) } }
        try lenient.verify { $0.claims["iat"] = seconds(Self.leeway) }
        expectRefusal(.issuedInFuture) { try lenient.verify { $0.claims["iat"] = seconds(Self.leeway + 1) } }
    }

    @Test(.rule("T-129"), arguments: [0, 30, 300])
    func `a token older than the maximum age plus the leeway is refused`(leeway: Int) throws {
        let young = try Self.bench(leeway: .seconds(leeway), maximumAge: .seconds(600))
        try young.verify { $0.claims["iat"] = seconds(-600 - leeway) }
        expectRefusal(.tooOld) { try young.verify { $0.claims["iat"] = seconds(-601 - leeway) } }
    }

    @Test(.rule("T-129"))
    func `a token of any age is accepted without a maximum age`() throws {
        try bench.verify { $0.claims["iat"] = 0 }
    }

    @Test(.rule("T-130"))
    func `the greatest leeway of five minutes applies in both directions`() throws {
        let widest = try Self.bench(leeway: .seconds(300))
        for (end, accepted) in [(-299, true), (-300, false)] {
            let text = widest.issuer.token {
                $0.claims["iat"] = seconds(-600)
                $0.claims["exp"] = seconds(end)
            }
            if accepted {
                try widest.verify(text: text)
            } else {
                expectRefusal(.expired) { try widest.verify(text: text) }
            }
        }
        try widest.verify { $0.claims["iat"] = seconds(300) }
        expectRefusal(.issuedInFuture) { try widest.verify { $0.claims["iat"] = seconds(301) } }
    }
}
