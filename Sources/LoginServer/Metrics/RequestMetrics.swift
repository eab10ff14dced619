// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import LoginHTTP
internal import Metrics
internal import Synchronization

/// Counts responses by route, method and status, and measures their duration.
///
/// The label is the route's pattern, never the requested path: clients cannot create series with invented paths.
struct RequestMetrics: Sendable {
    let factory: any MetricsFactory
    private let meters = Meters()

    init(factory: any MetricsFactory) { self.factory = factory }

    /// Counts a response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response; nil for a cancelled request.
    ///   - duration: The time since the request arrived.
    @Sendable func record(_ request: ServerRequest, _ response: ServerResponse?, _ duration: Duration) {
        let method = Self.name(of: request.method)
        let series = Series(route: response?.route ?? "none", method: method, status: response?.status.code ?? 500)
        let found = meters.of(series, factory)
        found.count.increment()
        found.time.recordNanoseconds(duration.nanoseconds)
    }

    /// Returns the label of a method: unknown methods share one.
    private static func name(of method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return known.contains(method) ? method.rawValue : "other"
    }
}

/// The labels of a request.
private struct Series: Hashable {
    let route, method: String
    let status: Int
}

/// A cache of the meters of each series, which avoids formatting labels for each request.
private final class Meters: Sendable {
    struct Pair: Sendable {
        let count: Counter
        let time: Timer
    }

    private let all = Mutex<[Series: Pair]>([:])

    func of(_ series: Series, _ factory: any MetricsFactory) -> Pair {
        all.withLock { all in
            if let found = all[series] { return found }
            let labels = [("route", series.route), ("method", series.method), ("status", String(series.status))]
            let made = Pair(
                count: Counter(label: "http_requests_total", dimensions: labels, factory: factory),
                time: Timer(
                    label: "http_request_duration_seconds",
                    dimensions: [("route", series.route)],
                    factory: factory
                )
            )
            all[series] = made
            return made
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
#endif
