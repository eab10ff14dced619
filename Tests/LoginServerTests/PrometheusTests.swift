// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts
internal import Metrics
internal import Testing

@testable internal import LoginServer

/// The metrics in the format of Prometheus.
@Suite struct PrometheusTests {
    @Test func `counters, gauges and histograms are written in the Prometheus text format`() {
        let metrics = PrometheusMetrics(help: ["requests_total": "Requests, \\ and\nmore."])
        let counter = Counter(label: "requests_total", dimensions: [("b", "2"), ("a", "1")], factory: metrics)
        counter.increment(by: 3)
        counter.increment(by: -5)
        Meter(label: "key.age", factory: metrics).set(1.5)
        let timer = Timer(label: "request_duration", factory: metrics)
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(1_000_000_000)
        timer.recordNanoseconds(60_000_000_000)
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(2) == ["# TYPE key_age gauge", "key_age 1.5"]
        )
        #expect(lines.contains("# TYPE request_duration_seconds histogram"))
        for (bound, count) in [("0.001", 0), ("0.0025", 1), ("1", 2), ("10", 2), ("+Inf", 3)] {
            #expect(lines.contains("request_duration_seconds_bucket{le=\"\(bound)\"} \(count)"))
        }
        #expect(lines.contains("request_duration_seconds_sum 61.002"))
        #expect(lines.contains("request_duration_seconds_count 3"))
        #expect(lines.contains("# HELP requests_total Requests, \\\\ and\\nmore."))
        #expect(lines.contains("# TYPE requests_total counter"))
        #expect(lines.contains("requests_total{a=\"1\",b=\"2\"} 3"))
        #expect(metrics.text.hasSuffix("\n"))
        #expect(PrometheusText.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test func `metric names and labels are escaped and cannot inject lines`() {
        let metrics = PrometheusMetrics(help: [:])
        let value = "a\"} 1\nforged_total 9 \\"
        Counter(label: "0 odd-näme", dimensions: [("l\nx", value)], factory: metrics).increment()
        let lines = metrics.text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "# TYPE _0_odd_n_me counter")
        #expect(lines[1] == #"_0_odd_n_me{l_x="a\"} 1\nforged_total 9 \\"} 1"#)
        #expect(!lines.contains { $0.hasPrefix("forged") })
    }

    @Test func `the same name and labels in any order are one series, which outlives its counter`() {
        let metrics = PrometheusMetrics(help: [:])
        Counter(label: "a", dimensions: [("x", "1"), ("y", "2")], factory: metrics).increment()
        Counter(label: "a", dimensions: [("y", "2"), ("x", "1")], factory: metrics).increment()
        #expect(metrics.text.contains("a{x=\"1\",y=\"2\"} 2\n"))
        let gone = Counter(label: "a", dimensions: [("x", "1"), ("y", "2")], factory: metrics)
        gone.destroy()
        #expect(metrics.text.contains("a{x=\"1\",y=\"2\"} 2\n"))
    }

    @Test func `the number of series is limited, and those beyond it or of another type are counted and ignored`() {
        let metrics = PrometheusMetrics(help: [:], seriesLimit: 3)
        for number in 0..<10 {
            Counter(label: "a", dimensions: [("n", "\(number)")], factory: metrics).increment()
        }
        #expect(metrics.text.contains("login_metrics_dropped_series_total 7\n"))
        #expect(metrics.text.contains("a{n=\"2\"} 1\n") && !metrics.text.contains("n=\"3\""))
        Counter(label: "a", dimensions: [("n", "0")], factory: metrics).increment()
        #expect(metrics.text.contains("a{n=\"0\"} 2\n"))
        Meter(label: "a", dimensions: [("n", "0")], factory: metrics).set(9)
        #expect(metrics.text.contains("login_metrics_dropped_series_total 8\n"))
        #expect(metrics.text.contains("a{n=\"0\"} 2\n"))
    }

    @Test func `NaN and infinity do not change counters and histograms, and gauges show NaN`() {
        let metrics = PrometheusMetrics(help: [:])
        let sum = FloatingPointCounter(label: "sum", factory: metrics)
        for value in [1.5, .nan, .infinity, -3] { sum.increment(by: value) }
        let sizes = Recorder(label: "sizes", aggregate: true, factory: metrics)
        for value in [3.0, .nan, .infinity] { sizes.record(value) }
        let gauge = Recorder(label: "gauge", aggregate: false, factory: metrics)
        gauge.record(Double.nan)
        #expect(metrics.text.contains("sum 1.5\n"))
        #expect(metrics.text.contains("sizes_sum 3\nsizes_count 1\n"))
        #expect(metrics.text.contains("gauge NaN\n"))
    }

    @Test func `the documentation lists exactly the metrics of the service`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../docs/reference/observability.md"
        )
        let text = try String(contentsOf: file, encoding: .utf8)
        let table = try #require(text.components(separatedBy: "## Metrics").dropFirst().first)
        let documented = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        let own = ["login_metrics_dropped_series_total"]
        #expect(documented.sorted() == (PrometheusMetrics.descriptions.keys + own).sorted())
    }

    @Test func `the documentation lists exactly the actions of the audit log`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/guides/accounts.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## Audit and events").dropFirst().first)
        let table = try #require(section.components(separatedBy: "| rule |").first)
        let documented = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
            row.split(separator: "|").first?.split(separator: "`").map(String.init) ?? []
        }
        #expect(documented.filter { $0.contains(".") }.sorted() == AuditAction.all.map(\.rawValue).sorted())
    }
}
#endif
