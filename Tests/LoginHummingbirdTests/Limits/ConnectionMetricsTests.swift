// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import HummingbirdCore
import LoginHummingbird
import Metrics
import NIOCore
import NIOHTTPTypes
import Synchronization
import Testing

@Suite struct ConnectionMetricsTests {
    private let counters = Counters()

    private func connect(_ change: (inout ConnectionLimits) -> Void = { _ in }) throws -> GuardedConnection {
        try GuardedConnection(server(change))
    }

    private func server(_ change: (inout ConnectionLimits) -> Void) -> HTTP1Channel.Configuration {
        var limits = ConnectionLimits()
        change(&limits)
        return .guarded(by: limits, metrics: counters)
    }

    @Test func `each reason has a counter of 0 before the first connection`() throws {
        _ = server { _ in }
        #expect(counters.values == ["network": 0, "head": 0, "request": 0, "write": 0, "waiting": 0])
    }

    @Test func `a connection over the limit of its network is counted`() throws {
        let server = server { $0.maximumPerNetwork = 1 }
        let first = try GuardedConnection(server)
        #expect(first.isOpen && counters.raised.isEmpty)
        for _ in 0..<2 {
            let refused = try GuardedConnection(server)
            #expect(!refused.isOpen)
        }
        #expect(counters.raised == ["network": 2])
    }

    @Test func `a connection that exceeds the head timeout is counted`() throws {
        let connection = try connect()
        connection.wait(.milliseconds(9_999))
        #expect(counters.raised.isEmpty)
        connection.wait(.milliseconds(1))
        #expect(counters.raised == ["head": 1])
    }

    @Test func `a connection that exceeds the request timeout is counted`() throws {
        let connection = try connect()
        connection.receive(.head(GuardedConnection.get))
        connection.receive(.body(ByteBuffer(repeating: 0, count: 128 * 1024)))  // fast enough for 37 seconds
        connection.wait(.milliseconds(29_999))
        #expect(counters.raised.isEmpty)
        connection.wait(.milliseconds(1))
        #expect(counters.raised == ["request": 1])
    }

    @Test(arguments: [false, true])
    func `a connection that exceeds the write timeout is counted, during the response and after its end`(
        _ hasEnded: Bool
    ) throws {
        let connection = try connect()
        connection.isDeaf = true
        // A response before the end of its request is the last one on the connection.
        connection.receive(.head(GuardedConnection.get), readsOn: false)
        _ = try connection.begin()
        if hasEnded { try connection.finish() } else { connection.setWritable(false) }
        connection.wait(.milliseconds(29_999))
        #expect(counters.raised.isEmpty)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
        #expect(counters.raised == ["write": 1])
    }

    @Test func `a connection that closes within its limits is not counted`() throws {
        let (last, left, idle) = (try connect(), try connect(), try connect())
        last.receive(.head(GuardedConnection.get))
        _ = try last.answer()
        last.wait(.seconds(5))
        left.leave()
        idle.shutDown()
        idle.wait(.seconds(1))
        for connection in [last, left, idle] { #expect(!connection.isOpen) }
        #expect(counters.raised.isEmpty)
    }
}

/// The counters of closed connections, by the label `reason`.
private final class Counters: MetricsFactory {
    private let series = Mutex<[String: Series]>([:])

    var values: [String: Int64] { series.withLock { $0.mapValues(\.value) } }

    /// The counters above 0.
    var raised: [String: Int64] { values.filter { $0.value > 0 } }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard label == "login_connections_closed_total", let reason = dimensions.first, reason.0 == "reason" else {
            return NOOPMetricsHandler.instance
        }
        let made = Series()
        series.withLock { $0[reason.1] = made }
        return made
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { NOOPMetricsHandler.instance }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// A counter with its labels.
    private final class Series: CounterHandler {
        private let total = Mutex<Int64>(0)

        var value: Int64 { total.withLock { $0 } }

        func increment(by amount: Int64) { total.withLock { $0 += amount } }
        func reset() { total.withLock { $0 = 0 } }
    }
}
#endif
