// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Clocks with extreme times: each verification ends with a verdict, and none traps.
@Suite struct ClockTests {
    private let issuer = TestIssuer()
    private let text: String

    init() {
        text = issuer.token { $0.claims["nbf"] = 1_700_000_000 }
    }

    private func verify(_ text: String, at now: Date, maximumAge: Duration? = nil) throws -> VerifiedToken {
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], maximumAge: maximumAge)
        let verifier = TokenVerifier(policy: policy, keys: issuer.keys, clock: ManualClock(now))
        var details: [String] = []
        return try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) { details.append($0.detail) }
    }

    @Test(
        .rule("T-131"),
        arguments: [
            .distantFuture, Date(timeIntervalSince1970: .greatestFiniteMagnitude),
            Date(timeIntervalSince1970: .infinity),
            Date(timeIntervalSince1970: 0x1p63), Date(timeIntervalSince1970: 253_402_300_800),
            Date(timeIntervalSince1970: 0x1p31),
        ] as [Date]
    )
    func `a clock that is far ahead makes every token expired`(now: Date) {
        expectRefusal(.expired) { try verify(text, at: now) }
        expectRefusal(.expired) { try verify(text, at: now, maximumAge: .seconds(60)) }
    }

    @Test(
        .rule("T-131"),
        arguments: [
            .distantPast, Date(timeIntervalSince1970: -.greatestFiniteMagnitude),
            Date(timeIntervalSince1970: -.infinity),
            Date(timeIntervalSince1970: -0x1p63), Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: 0),
        ] as [Date]
    )
    func `a clock that is far behind makes every token not yet valid`(now: Date) {
        expectRefusal(.notYetValid) { try verify(text, at: now) }
        let withoutBeginning = issuer.token()
        expectRefusal(.issuedInFuture) { try verify(withoutBeginning, at: now, maximumAge: .seconds(60)) }
    }

    @Test(.rule("T-131"))
    func `no token is accepted if the clock has no valid time`() {
        expectRefusal(.expired) { try verify(text, at: Date(timeIntervalSince1970: .nan)) }
    }

    @Test(.rule("T-131"), arguments: [2_147_483_647, 2_147_483_648, 4_294_967_296, 253_402_300_000])
    func `tokens are verified in the years 2038, 2106 and 9999`(now: Int) throws {
        let token = issuer.token {
            $0.claims["iat"] = .number("\(now - 1)")
            $0.claims["exp"] = .number("\(now + 1)")
        }
        let verified = try verify(token, at: Date(timeIntervalSince1970: Double(now)), maximumAge: .seconds(60))
        #expect(verified.expiresAt.timeIntervalSince1970 == Double(now + 1))
        expectRefusal(.expired) { try verify(token, at: Date(timeIntervalSince1970: Double(now + 31))) }
        expectRefusal(.issuedInFuture) { try verify(token, at: Date(timeIntervalSince1970: Double(now - 32))) }
    }

    @Test(.rule("T-131"))
    func `the greatest possible maximum age does not overflow`() throws {
        let now = issuer.clock.now
        _ = try verify(text, at: now, maximumAge: .seconds(Int64.max))
    }

    @Test(.rule("T-131"))
    func `the system clock is used by default`() async throws {
        let now = Int(Date().timeIntervalSince1970)
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let verifier = TokenVerifier(policy: policy, keys: issuer.keys)
        let fresh = issuer.token {
            $0.claims["iat"] = .number("\(now)")
            $0.claims["exp"] = .number("\(now + 3600)")
        }
        _ = try await verifier.verify(fresh, nonce: .mustBeAbsent)
        let old = issuer.token {
            $0.claims["iat"] = .number("\(now - 3600)")
            $0.claims["exp"] = .number("\(now - 60)")
        }
        await expectRefused(.expired) { () async throws(VerificationError) in
            try await verifier.verify(old, nonce: .mustBeAbsent)
        }
    }
}
