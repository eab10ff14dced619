// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import LoginKeys
import Metrics
import MetricsTestKit
import Testing

@testable import LoginTokens

@Suite struct VerificationMetricsTests {
    private let factory = TestMetrics()
    private let metrics: VerificationMetrics

    init() {
        metrics = VerificationMetrics(provider: .facebook, factory: factory)
    }

    @Test func `a verified token is counted and returned`() async throws {
        let value = try await metrics.counting { () async throws(VerificationError) in "token" }
        #expect(value == "token")
        #expect(try count("verified") == 1)
        #expect(total == 1)
    }

    @Test(arguments: VerificationCode.refusals)
    func `a refusal is counted by its code and rethrown`(code: VerificationCode) async throws {
        let text = try await thrown(.refused(TokenRefusal(code, "seen")))
        #expect(text == code.rawValue)
        #expect(try count(code.rawValue) == 1)
        #expect(total == 1)
    }

    @Test(arguments: [VerificationCode.keysUnavailable, .discovery])
    func `an undecided verdict is counted by its code and rethrown`(code: VerificationCode) async throws {
        let text = try await thrown(.undecided(VerificationUnavailable(code, detail: "seen")))
        #expect(text == code.rawValue)
        #expect(try count(code.rawValue) == 1)
        #expect(total == 1)
    }

    @Test func `a token whose key can be looked up later is not counted as an outage`() async throws {
        let unavailable = VerificationUnavailable(detail: "seen", retryAfter: .seconds(1))
        #expect(try await thrown(.undecided(unavailable)) == "keys-unavailable")
        #expect(try count("key-lookup-postponed") == 1)
        #expect(total == 1)
    }

    @Test func `recording creates no counters`() throws {
        let before = factory.counters.count
        for _ in 0..<10 { metrics.record(nil) }
        for code in VerificationCode.refusals { metrics.record(.refused(TokenRefusal(code, "seen"))) }
        #expect(factory.counters.count == before)
        #expect(before == VerificationCode.refusals.count + VerificationCode.introspection.count + 4)
        #expect(try count("verified") == 10)
    }

    private var total: Int64 { factory.counterTotal(label: "login_verifications_total") }

    private func count(_ outcome: String) throws -> Int64 {
        let dimensions = [("provider", "facebook"), ("outcome", outcome)]
        return try factory.expectCounter("login_verifications_total", dimensions).totalValue
    }

    private func thrown(_ error: VerificationError) async throws -> String {
        do throws(VerificationError) {
            try await metrics.counting { () async throws(VerificationError) in throw error }
            return "nothing"
        } catch {
            return error.code.rawValue
        }
    }
}
#endif
