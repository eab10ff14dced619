// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginHummingbird
internal import Metrics
internal import Synchronization

/// A middleware that counts responses by route, method and status, and measures their duration.
///
/// The label is the route's pattern, never the requested path: clients cannot create series with invented paths.
struct RequestMetrics: RouterMiddleware {
    typealias Context = BasicLoginRequestContext

    let factory: any MetricsFactory
    private let meters = Meters()

    init(factory: any MetricsFactory) { self.factory = factory }

    @concurrent func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let begun = ContinuousClock.now
        let response: Response
        do {
            response = try await next(request, context)
        } catch {
            record(request, context, status: 500, begun)
            throw error
        }
        record(request, context, status: response.status.code, begun)
        return response
    }

    private func record(_ request: Request, _ context: Context, status: Int, _ begun: ContinuousClock.Instant) {
        // Without a matching route, the endpoint path is a placeholder without a slash.
        let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
        let found = meters.of(Series(route: route, method: Self.name(of: request.method), status: status), factory)
        found.count.increment()
        found.time.recordNanoseconds((ContinuousClock.now - begun).nanoseconds)
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
