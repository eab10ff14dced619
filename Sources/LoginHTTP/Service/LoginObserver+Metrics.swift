// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import LoginProviders
public import Metrics

extension LoginObserver {
    /// Returns an observer that counts logins that begin and end and callbacks that are refused, and reports whether the
    /// metadata of a provider is stale.
    ///
    /// Labels are the names of these providers and codes, and therefore bounded. `docs/reference/observability.md` lists
    /// the metrics.
    ///
    /// - Parameters:
    ///   - providers: The providers. Events of others are ignored.
    ///   - factory: The factory of the metrics.
    /// - Returns: The observer.
    public static func metrics(
        of providers: [ProviderID],
        factory: any MetricsFactory = MetricsSystem.factory
    ) -> LoginObserver {
        let meters = Dictionary(providers.map { ($0, LoginMeters($0, factory)) }) { first, _ in first }
        return LoginObserver { meters[$0.provider]?.receive($0) }
    }
}

/// The metrics of one provider.
///
/// All are created at once, so that the first failure is an increase from zero, not a new time series.
private struct LoginMeters: Sendable {
    private let begun: Counter
    private let ended: [String: Counter]
    private let refused: [String: Counter]
    private let isStale: Meter

    init(_ provider: ProviderID, _ factory: any MetricsFactory) {
        let label = [("provider", provider.rawValue)]
        func counters(_ name: String, _ key: String, _ values: [String]) -> [String: Counter] {
            let all = values.map { value in
                (value, Counter(label: name, dimensions: label + [(key, value)], factory: factory))
            }
            return Dictionary(all) { first, _ in first }
        }
        let codes = LoginFailure.Code.all.map(\.rawValue)
        let others = [LoginEvent.Kind.succeeded, .cancelled].map(\.rawValue)
        begun = Counter(label: "login_browser_logins_begun_total", dimensions: label, factory: factory)
        ended = counters("login_browser_logins_ended_total", "outcome", others + codes)
        refused = counters("login_callbacks_refused_total", "reason", codes)
        isStale = Meter(label: "login_provider_metadata_stale", dimensions: label, factory: factory)
        isStale.set(0)
    }

    func receive(_ event: LoginEvent) {
        let code = event.failure?.code.rawValue ?? ""
        switch event.kind {
        case .begun: begun.increment()
        case .succeeded, .cancelled: ended[event.kind.rawValue]?.increment()
        case .failed: ended[code]?.increment()
        case .callbackRefused: refused[code]?.increment()
        case .metadataUnavailable: isStale.set(1)
        case .metadataAvailable: isStale.set(0)
        default: break
        }
    }
}
#endif
