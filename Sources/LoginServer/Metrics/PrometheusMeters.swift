// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Metrics
internal import Synchronization

/// A time series: a name with labels, and its value.
protocol PrometheusMeter: AnyObject, Sendable {
    /// The metric type in Prometheus.
    static var kind: String { get }

    init()

    /// Writes the samples of the series.
    func write(_ name: String, _ labels: String, to text: inout PrometheusText)
}

/// An integer that only increases.
final class PrometheusCounter: PrometheusMeter, CounterHandler {
    static let kind = "counter"
    private let total = Atomic<Int64>(0)

    var value: Int64 { total.load(ordering: .relaxed) }

    func increment(by amount: Int64) { total.wrappingAdd(max(amount, 0), ordering: .relaxed) }
    func reset() { total.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        text.sample(name, labels, Double(value))
    }
}

/// A floating-point number that only increases.
final class PrometheusSum: PrometheusMeter, FloatingPointCounterHandler {
    static let kind = "counter"
    private let total = Mutex(0.0)

    func increment(by amount: Double) {
        // An infinite or undefined amount would make the sum useless.
        guard amount.isFinite, amount > 0 else { return }
        total.withLock { $0 += amount }
    }

    func reset() { total.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        text.sample(name, labels, total.withLock { $0 })
    }
}

/// A number that goes up and down.
final class PrometheusGauge: PrometheusMeter, MeterHandler, RecorderHandler {
    static let kind = "gauge"
    private let current = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { current.withLock { $0 = value } }
    func increment(by amount: Double) { current.withLock { $0 += amount } }
    func decrement(by amount: Double) { current.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        text.sample(name, labels, current.withLock { $0 })
    }
}

/// The buckets of a histogram, and the sum of its values.
struct PrometheusBuckets {
    private let bounds: [Double]
    private var counts: [Int64]
    private var sum = 0.0

    init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = [Int64](repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        var total: Int64 = 0
        for (count, bound) in zip(counts, bounds + [.infinity]) {
            total += count
            text.sample(
                name + "_bucket",
                labels.isEmpty ? "" : labels + ",",
                Double(total),
                lastLabel: "le=\"\(PrometheusText.number(bound))\""
            )
        }
        text.sample(name + "_sum", labels, sum)
        text.sample(name + "_count", labels, Double(total))
    }
}

/// A histogram of durations, from a millisecond, the time to verify a token, to ten seconds.
final class PrometheusTimes: PrometheusMeter, TimerHandler {
    static let kind = "histogram"
    private let buckets = Mutex(
        PrometheusBuckets([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
    )

    func recordNanoseconds(_ duration: Int64) { buckets.withLock { $0.add(Double(duration) / 1e9) } }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        buckets.withLock { $0 }.write(name, labels, to: &text)
    }
}

/// A histogram of sizes and counts, with powers of four as bounds.
final class PrometheusSizes: PrometheusMeter, RecorderHandler {
    static let kind = "histogram"
    private let buckets = Mutex(PrometheusBuckets([1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]))

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { buckets.withLock { $0.add(value) } }

    func write(_ name: String, _ labels: String, to text: inout PrometheusText) {
        buckets.withLock { $0 }.write(name, labels, to: &text)
    }
}
#endif
