// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginHTTP
internal import Testing

@testable internal import LoginProviders
@testable internal import LoginServer

/// The metrics of browser logins and of the providers' metadata.
@Suite struct LoginMetricsTests {
    private let metrics = PrometheusMetrics()
    private let observer: LoginObserver

    init() { observer = .metrics(of: ["corp", "other"], factory: metrics) }

    private func value(_ series: String) -> String? {
        metrics.text.split(separator: "\n").first { $0.hasPrefix(series + " ") }.map {
            String($0.dropFirst(series.count + 1))
        }
    }

    /// The number of series other than zero.
    private var changed: Int {
        metrics.text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasSuffix(" 0") }.count
    }

    private func ended(_ outcome: String) -> String? {
        value("login_browser_logins_ended_total{outcome=\"\(outcome)\",provider=\"corp\"}")
    }

    private func refused(_ reason: String) -> String? {
        value("login_callbacks_refused_total{provider=\"corp\",reason=\"\(reason)\"}")
    }

    @Test func `every series of a provider exists before the first event, and is zero`() {
        #expect(value("login_browser_logins_begun_total{provider=\"other\"}") == "0")
        #expect(value("login_provider_metadata_stale{provider=\"corp\"}") == "0")
        #expect(ended("succeeded") == "0" && ended("cancelled") == "0")
        for code in LoginFailure.Code.all.map(\.rawValue) {
            #expect(ended(code) == "0" && refused(code) == "0", "\(code)")
        }
        #expect(changed == 0)
    }

    @Test func `logins that begin and end are counted by provider and outcome`() {
        for _ in 0..<3 { observer.receive(LoginEvent(.begun, of: "corp")) }
        observer.receive(LoginEvent(.succeeded, of: "corp"))
        observer.receive(LoginEvent(.cancelled, of: "corp"))
        #expect(value("login_browser_logins_begun_total{provider=\"corp\"}") == "3")
        #expect(ended("succeeded") == "1" && ended("cancelled") == "1" && changed == 3)
    }

    @Test func `a failure that ends a login is counted apart from a callback that ends none`() {
        var failure = LoginFailure(.stateUnknown, "")
        observer.receive(LoginEvent(.failed(failure), of: "corp"))
        #expect(refused("state-unknown") == "1" && ended("state-unknown") == "0")
        failure.endsAttempt = true
        observer.receive(LoginEvent(.failed(failure), of: "corp"))
        #expect(refused("state-unknown") == "1" && ended("state-unknown") == "1" && changed == 2)
    }

    @Test func `metadata is stale from the first failure to the next success`() {
        struct Outage: Error {}
        let stale = "login_provider_metadata_stale{provider=\"corp\"}"
        observer.receive(LoginEvent(.unavailable(Outage(), age: .seconds(86_400)), of: "corp"))
        #expect(value(stale) == "1" && changed == 1)
        observer.receive(LoginEvent(.available, of: "corp"))
        #expect(value(stale) == "0")
    }

    @Test func `an event of a provider that is not named creates no series`() {
        observer.receive(LoginEvent(.begun, of: "stranger"))
        #expect(changed == 0 && !metrics.text.contains("stranger"))
    }
}
#endif
