// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import LoginClient
internal import Testing

@testable internal import verify_token

/// The report of `verify-token login` on errors of the service.
@Suite struct LoginClientErrorReportTests {
    @Test(arguments: [
        (LoginClientError(.init(rawValue: "invalid-credential"), status: 401), 1),
        (LoginClientError(.signedOut), 1),
        (LoginClientError(.init(rawValue: "too-many-requests"), status: 429, retryAfter: 30), 2),
        (LoginClientError(.init(rawValue: "conflict-retry"), status: 409), 2),
        (LoginClientError(.serviceUnreachable), 2),
        (LoginClientError(.invalidResponse, status: 403), 2),
        (LoginClientError(.init(rawValue: "provider-unavailable"), status: 503), 2),
    ])
    func `the exit status is 2 if a repetition may succeed`(error: LoginClientError, status: Int) {
        #expect(error.exitStatus.rawValue == Int32(status))
    }

    @Test func `a limit is reported with the time to wait`() {
        let limit = LoginClientError(.init(rawValue: "too-many-requests"), status: 429, retryAfter: 30)
        #expect(limit.report.contains("in 30 s"))
    }
}
#endif
