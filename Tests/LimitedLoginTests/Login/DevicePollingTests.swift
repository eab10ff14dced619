// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import Testing

@testable import LoginProviders

/// The code of a device, and the times of its requests (RFC 8628 §3.2, §3.5).
@Suite struct DevicePollingTests {
    private static let answer: TestJSON = [
        "device_code": "dc-1", "user_code": "WDJB-MJHT", "verification_uri": "https://issuer.example/device",
        "expires_in": 600,
    ]

    private func code(_ change: (inout TestJSON) -> Void = { _ in }) throws -> DeviceCode {
        var json = Self.answer
        change(&json)
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        return try DeviceCode(JSONDocument.read(Array(json.text.utf8)).root, of: provider, began: .seconds(100))
    }

    @Test func `requests follow the interval until the code expires`() {
        var polling = DevicePolling(interval: .seconds(5), deadline: .seconds(20))
        #expect(polling.nextRequest(after: .zero) == .seconds(5))
        polling.slowDown()
        #expect(polling.nextRequest(after: .seconds(5)) == .seconds(15))
        #expect(polling.nextRequest(after: .seconds(10)) == nil)
    }

    @Test func `after failed requests the interval doubles up to a minute, and never decreases`() {
        var polling = DevicePolling(interval: .seconds(5), deadline: .seconds(3600))
        let intervals = (0..<6).map { _ in
            polling.backOff()
            return polling.interval
        }
        #expect(intervals == [10, 20, 40, 60, 60, 60].map { .seconds($0) })
        var slow = DevicePolling(interval: .seconds(90), deadline: .seconds(3600))
        slow.backOff()
        #expect(slow.interval == .seconds(90))
    }

    @Test func `a code has the texts for the user, and the standard interval if the provider names none`() throws {
        let code = try code()
        #expect(code.userCode == "WDJB-MJHT" && code.verificationURL == "https://issuer.example/device")
        #expect(code.completeVerificationURL == nil && code.lifetime == .seconds(600))
        #expect(code.interval == .seconds(5) && code.deadline == .seconds(700))
        #expect(!"\(code)".contains("dc-1") && !"\(code)".contains("WDJB"))
    }

    @Test func `the name that Google uses is read, and the URL with the code`() throws {
        let code = try code {
            $0["verification_uri"] = nil
            $0["verification_url"] = "https://issuer.example/g"
            $0["verification_uri_complete"] = "https://issuer.example/device?user_code=WDJB-MJHT"
            $0["interval"] = 7
        }
        #expect(code.verificationURL == "https://issuer.example/g" && code.interval == .seconds(7))
        #expect(code.completeVerificationURL == "https://issuer.example/device?user_code=WDJB-MJHT")
    }

    @Test func `an interval that is not positive is the standard one, and a lifetime ends after an hour`() throws {
        let code = try code {
            $0["interval"] = 0
            $0["expires_in"] = 1_000_000
        }
        #expect(code.interval == .seconds(5) && code.lifetime == .seconds(3600))
    }

    private static let malformed: [(String, TestJSON)] = [
        ("device_code", .null), ("device_code", ""), ("device_code", "a b"), ("user_code", "\u{1B}[2J"),
        ("user_code", .string(String(repeating: "A", count: 65))), ("verification_uri", "http://issuer.example/"),
        ("verification_uri", "javascript:alert(1)"), ("verification_uri_complete", "http://issuer.example/"),
        ("expires_in", 0), ("expires_in", "600"), ("expires_in", .null),
    ]

    @Test(arguments: malformed)
    func `a malformed response is refused`(_ member: String, _ value: TestJSON) {
        let failure = #expect(throws: LoginFailure.self) { try code { $0[member] = value } }
        #expect(failure?.code == .exchangeResponse)
    }
}
