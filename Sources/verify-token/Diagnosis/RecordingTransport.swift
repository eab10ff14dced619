// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginServer
internal import LoginTokens
internal import Synchronization

/// A transport that records its last request, with the response.
final class RecordingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let timekeeper: Timekeeper
    private let clock: any WallClock
    private let recorded = Mutex<RecordedExchange?>(nil)

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - transport: The transport that sends the requests.
    ///   - timekeeper: The clock for durations.
    ///   - clock: The clock for the times of responses.
    init(_ transport: any HTTPTransport, timekeeper: Timekeeper, clock: any WallClock) {
        self.transport = transport
        self.timekeeper = timekeeper
        self.clock = clock
    }

    /// The last request with its response; nil before the first one ended.
    var exchange: RecordedExchange? { recorded.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let start = timekeeper.now()
        let result: Result<TransportResponse, TransportFailure>
        do throws(TransportFailure) {
            result = .success(try await transport.send(request))
        } catch {
            result = .failure(error)
        }
        let exchange = RecordedExchange(
            url: request.url,
            result: result,
            duration: timekeeper.now() - start,
            end: clock.now
        )
        recorded.withLock { $0 = exchange }
        return try result.get()
    }
}

/// A request and its response.
struct RecordedExchange: Sendable {
    let url: EndpointURL
    let result: Result<TransportResponse, TransportFailure>
    let duration: Duration
    /// The time at which the response was complete, or the request failed.
    let end: Date

    /// The response; nil if there was none.
    var response: TransportResponse? { try? result.get() }

    /// The URL, the status and the size, for a report.
    var summary: String {
        let answer = response.map { ": status \($0.status), \($0.body.count) bytes" } ?? ""
        return "from \(quoted(url.withoutQuery))\(answer)"
    }

    /// The target of a redirect for a report, without its query and its password, which may be secret; nil without one.
    var redirectTarget: String? {
        guard let response, (300..<400).contains(response.status) else { return nil }
        return response.values(of: "Location").first.map {
            "\(ShownArgument(String($0.prefix { $0 != "?" && $0 != "#" })))"
        }
    }
}
#endif
