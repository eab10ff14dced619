// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import InMemoryLogging
import Logging
import LoginTokens
import Metrics
import MetricsTestKit
import Testing

@testable import LoginKeys

@Suite struct KeyCacheObserverTests {
    private static let kinds: [(KeyCacheEvent.Kind, Logger.Level, String)] = [
        (.fetched, .debug, "keys fetched"), (.fetchFailed, .info, "keys not fetched"),
        (.keyAppeared, .debug, "key appeared"), (.keyVanished, .debug, "key vanished"),
        (.keySkipped, .warning, "key skipped"), (.servingStale, .info, "keys are stale and stay in use"),
        (.keysExpired, .warning, "keys expired"), (.freshAgain, .info, "keys are fresh again"),
        (.restored, .debug, "keys loaded from the store"), (.notRestored, .warning, "keys in the store not used"),
        (.notKept, .warning, "keys not saved in the store"), (.noKeys, .warning, "no keys yet"),
        (.inUse, .trace, "keys in use"),
    ]

    @Test(arguments: kinds)
    func `each event has a log line`(kind: KeyCacheEvent.Kind, level: Logger.Level, message: String) throws {
        let entry = try #require(logged(KeyCacheEvent(kind, of: "facebook")).first)
        #expect(entry.level == level)
        #expect("\(entry.message)" == message)
        #expect(entry.metadata == ["keys.provider": "facebook", "keys.event": "\(kind)"])
    }

    @Test func `variable data is in the metadata`() throws {
        var event = KeyCacheEvent(.fetchFailed, of: "facebook")
        event.failure = KeyFetchFailure(.status, of: .keySet, "503")
        event.age = .milliseconds(90_500)
        let entry = try #require(logged(event).first)
        #expect(entry.metadata["keys.failure"] == "status")
        #expect(entry.metadata["keys.document"] == "key set")
        #expect(entry.metadata["keys.detail"] == "503")
        #expect(entry.metadata["keys.age_seconds"] == "90")
    }

    @Test func `a key ID cannot start a new log line`() throws {
        var event = KeyCacheEvent(.keySkipped, of: "facebook")
        event.keyID = "a\nb" + String(repeating: "c", count: 1000)
        event.detail = "exponent"
        let entry = try #require(logged(event).first)
        let keyID = try #require(entry.metadata["keys.key_id"])
        #expect("\(keyID)".hasPrefix("a\\u{a}b"))
        #expect("\(keyID)".utf8.count < 300)
        #expect(entry.metadata["keys.detail"] == "exponent")
    }

    @Test func `fetches are counted by result`() throws {
        let metrics = TestMetrics()
        let observer = KeyCacheObserver.metrics(metrics)
        observer.receive(KeyCacheEvent(.fetched, of: "google"))
        for code in KeyFetchFailure.Code.all {
            var event = KeyCacheEvent(.fetchFailed, of: "facebook")
            event.failure = KeyFetchFailure(code, of: .keySet, "")
            observer.receive(event)
            observer.receive(event)
            #expect(try count(metrics, "login_key_fetches_total", "facebook", code.rawValue) == 2)
            #expect(try count(metrics, "login_key_fetches_total", "google", code.rawValue) == 0)
        }
        #expect(try count(metrics, "login_key_fetches_total", "google", "ok") == 1)
        #expect(try count(metrics, "login_key_fetches_total", "facebook", "ok") == 0)
    }

    @Test func `skipped keys are counted, and key IDs are not labels`() throws {
        let metrics = TestMetrics()
        let observer = KeyCacheObserver.metrics(metrics)
        for number in 0..<50 {
            var event = KeyCacheEvent(.keySkipped, of: "facebook")
            event.keyID = "key \(number)"
            observer.receive(event)
        }
        let counter = try metrics.expectCounter("login_keys_skipped_total", [("provider", "facebook")])
        #expect(counter.totalValue == 50)
        #expect(metrics.counters.count == KeyFetchFailure.Code.all.count + 2)
        #expect(metrics.counters.allSatisfy { !"\($0.dimensions)".contains("key 1") })
    }

    @Test func `the age metric is that of the last event with an age`() throws {
        let metrics = TestMetrics()
        let observer = KeyCacheObserver.metrics(metrics)
        for seconds in [0.0, 60, 120.5] {
            var event = KeyCacheEvent(.inUse, of: "facebook")
            event.age = .seconds(seconds)
            observer.receive(event)
            observer.receive(KeyCacheEvent(.keySkipped, of: "facebook"))
            let meter = try metrics.expectMeter("login_key_age_seconds", [("provider", "facebook")])
            #expect(meter.lastValue == seconds)
        }
    }

    @Test func `keys are stale until they are fetched again`() throws {
        let metrics = TestMetrics()
        let observer = KeyCacheObserver.metrics(metrics)
        let steps: [(KeyCacheEvent.Kind, Double)] = [
            (.fetched, 0), (.fetchFailed, 0), (.servingStale, 1), (.fetchFailed, 1), (.inUse, 1), (.keysExpired, 1),
            (.fetched, 0), (.freshAgain, 0), (.servingStale, 1), (.restored, 0), (.noKeys, 1), (.fetched, 0),
            (.servingStale, 1),
        ]
        for (kind, stale) in steps {
            observer.receive(KeyCacheEvent(kind, of: "facebook"))
            let meter = try metrics.expectMeter("login_keys_stale", [("provider", "facebook")])
            #expect(meter.lastValue == stale, "after \(kind)")
        }
    }

    private func logged(_ event: KeyCacheEvent) -> [InMemoryLogHandler.Entry] {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        KeyCacheObserver.logging(logger).receive(event)
        #expect(handler.entries.count == 1)
        return handler.entries
    }

    private func count(_ metrics: TestMetrics, _ label: String, _ provider: String, _ outcome: String) throws -> Int64 {
        try metrics.expectCounter(label, [("provider", provider), ("outcome", outcome)]).totalValue
    }
}
#endif
