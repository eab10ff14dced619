// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Metrics

/// The counters of connections that a server closed because of a limit.
struct ConnectionMetrics: Sendable {
    /// The limit that a connection exceeded.
    enum Reason: String, CaseIterable {
        /// ``ConnectionLimits/maximumPerNetwork``.
        case network
        /// ``ConnectionLimits/maximumWaiting``.
        case waiting
        /// ``ConnectionLimits/headTimeout``.
        case head
        /// ``ConnectionLimits/requestTimeout``.
        case request
        /// ``ConnectionLimits/writeTimeout``.
        case write
    }

    private let counters: [Reason: Counter]

    /// Creates the counters of all reasons, so that each is exported with 0 before the first connection.
    ///
    /// - Parameter factory: The factory of the counters.
    init(factory: any MetricsFactory) {
        let counters = Reason.allCases.map { reason in
            let labels = [("reason", reason.rawValue)]
            return (reason, Counter(label: "login_connections_closed_total", dimensions: labels, factory: factory))
        }
        self.counters = Dictionary(counters) { first, _ in first }
    }

    /// Counts a connection that is closed because of a limit.
    ///
    /// - Parameter reason: The limit.
    func count(_ reason: Reason) {
        counters[reason]?.increment()
    }
}
#endif
