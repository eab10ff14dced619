// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
public import Metrics
internal import Synchronization

extension KeyCacheObserver {
    /// Returns an observer that counts fetches and skipped keys, and reports the age of the keys and whether they are
    /// stale.
    ///
    /// Labels are names of configured providers and codes, and therefore bounded; key IDs are not among them.
    /// `docs/reference/observability.md` lists the metrics.
    ///
    /// - Parameter factory: The factory of the metrics.
    /// - Returns: The observer.
    public static func metrics(_ factory: any MetricsFactory = MetricsSystem.factory) -> KeyCacheObserver {
        let meters = Meters(factory)
        return KeyCacheObserver { meters.of($0.provider).receive($0) }
    }
}

/// The metrics of each provider, created with its first event.
private final class Meters: Sendable {
    private let factory: any MetricsFactory
    private let byProvider = Mutex<[String: ProviderMeters]>([:])

    init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    func of(_ provider: String) -> ProviderMeters {
        byProvider.withLock { known in
            if let meters = known[provider] { return meters }
            let meters = ProviderMeters(provider, factory)
            known[provider] = meters
            return meters
        }
    }
}

private struct ProviderMeters: Sendable {
    private let fetches: [String: Counter]
    private let skipped: Counter
    private let age: Meter
    private let isStale: Meter

    init(_ provider: String, _ factory: any MetricsFactory) {
        let label = [("provider", provider)]
        // All counters are created at once, so that the first failure is an increase from zero, not a new time series.
        let outcomes = [Self.success] + KeyFetchFailure.Code.all.map(\.rawValue)
        let fetches = outcomes.map { outcome in
            (
                outcome,
                Counter(label: "login_key_fetches_total", dimensions: label + [("outcome", outcome)], factory: factory)
            )
        }
        self.fetches = Dictionary(fetches) { first, _ in first }
        self.skipped = Counter(label: "login_keys_skipped_total", dimensions: label, factory: factory)
        self.age = Meter(label: "login_key_age_seconds", dimensions: label, factory: factory)
        self.isStale = Meter(label: "login_keys_stale", dimensions: label, factory: factory)
    }

    func receive(_ event: KeyCacheEvent) {
        if let seconds = event.age { age.set(seconds / .seconds(1)) }
        switch event.kind {
        case .fetched:
            fetches[Self.success]?.increment()
            isStale.set(0)
        case .fetchFailed:
            if let failure = event.failure { fetches[failure.code.rawValue]?.increment() }
        case .keySkipped:
            skipped.increment()
        case .restored, .freshAgain:
            isStale.set(0)
        case .servingStale, .keysExpired, .noKeys:
            isStale.set(1)
        default:
            break
        }
    }

    private static let success = "ok"
}
#endif
