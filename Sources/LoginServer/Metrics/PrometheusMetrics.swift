// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Metrics
internal import Synchronization

/// The metrics factory of the service, which exports its metrics to Prometheus.
///
/// Counters remain counters. Meters and recorders without aggregation are gauges. Timers and recorders with aggregation
/// are histograms with fixed buckets, and times are in seconds. A series is never removed, since a counter that
/// disappears and returns looks like a restart. The number of series is therefore limited: further ones are ignored and
/// counted.
final class PrometheusMetrics: MetricsFactory {
    /// The maximum number of series: a few hundred are usual, and each takes some hundred bytes, a histogram some
    /// thousand.
    static let seriesLimit = 2_000

    private let families: Mutex<Families>
    private let help: [String: String]
    private let dropped = PrometheusCounter()

    /// Creates a metrics factory.
    ///
    /// - Parameters:
    ///   - help: The descriptions of metrics, by name.
    ///   - seriesLimit: The maximum number of series.
    init(help: [String: String] = PrometheusMetrics.descriptions, seriesLimit: Int = PrometheusMetrics.seriesLimit) {
        self.help = help
        families = Mutex(Families(limit: seriesLimit))
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        meter(PrometheusCounter.self, label, dimensions)
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        meter(PrometheusSum.self, label, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        meter(PrometheusGauge.self, label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? meter(PrometheusSizes.self, label, dimensions) : meter(PrometheusGauge.self, label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        meter(PrometheusTimes.self, label.hasSuffix("_seconds") ? label : label + "_seconds", dimensions)
    }

    // Series are shared, and a series that disappears looks like a restart.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the shared meter of a series, or an unexported one if the limit is reached.
    private func meter<Meter: PrometheusMeter>(
        _ type: Meter.Type,
        _ label: String,
        _ dimensions: [(String, String)]
    ) -> Meter {
        let name = PrometheusText.metricName(label)
        let labels = PrometheusText.labels(dimensions)
        if let found: Meter = families.withLock({ $0.meter(name, labels) }) { return found }
        dropped.increment(by: 1)
        return Meter()
    }

    /// All metrics in Prometheus text format.
    var text: String {
        let (all, dropped) = (families.withLock { $0.byName }, dropped.value)
        var text = PrometheusText()
        for (name, family) in all.sorted(by: { $0.key < $1.key }) {
            text.begin(name, kind: family.kind, help: help[name])
            for (labels, meter) in family.series.sorted(by: { $0.key < $1.key }) {
                meter.write(name, labels, to: &text)
            }
        }
        let own = "login_metrics_dropped_series_total"
        text.begin(own, kind: PrometheusCounter.kind, help: "Series dropped because of the limit.")
        text.sample(own, "", Double(dropped))
        return text.text
    }

    private struct Family {
        let kind: String
        var series: [String: any PrometheusMeter] = [:]
    }

    private struct Families {
        let limit: Int
        private(set) var byName: [String: Family] = [:]
        private var count = 0

        init(limit: Int) { self.limit = limit }

        /// Returns the meter of a series; nil if its name has another type, or the limit is reached.
        mutating func meter<Meter: PrometheusMeter>(_ name: String, _ labels: String) -> Meter? {
            if let found = byName[name]?.series[labels] { return found as? Meter }
            if let kind = byName[name]?.kind, kind != Meter.kind { return nil }
            guard count < limit else { return nil }
            count += 1
            let meter = Meter()
            byName[name, default: Family(kind: Meter.kind)].series[labels] = meter
            return meter
        }
    }
}

extension PrometheusMetrics {
    /// The descriptions of the service's metrics, by name.
    static let descriptions: [String: String] = [
        "login_verifications_total": "ID tokens, by provider and verdict.",
        "login_key_fetches_total": "Fetches of a provider's keys, by outcome.",
        "login_keys_skipped_total": "Unusable keys of a provider.",
        "login_key_age_seconds": "Age of a provider's keys.",
        "login_keys_stale": "Whether a provider's keys are used beyond their lifetime.",
        "login_browser_logins_begun_total": "Browser logins that have begun, by provider.",
        "login_browser_logins_ended_total": "Browser logins that have ended, by provider and outcome.",
        "login_callbacks_refused_total":
            "Callbacks of logins that were refused and ended none, by provider and reason.",
        "login_provider_metadata_stale": "Whether a provider's metadata could not be fetched or renewed.",
        "login_connections_closed_total": "Connections closed because of a limit, by reason.",
        "http_requests_total": "Responses, by route, method and status.",
        "http_request_duration_seconds": "Duration of responses, by route.",
        "login_account_events_total": "Account and settings events, by action.",
    ]
}
#endif
