// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A transport without a network: it returns prepared responses, records the requests, and can hold responses back.
///
/// ```swift
/// let transport = StubTransport()
/// transport.answer("https://issuer.example/keys", with: .json(issuer.keySet, maxAge: 3600))
/// let cache = try KeyCache(providers: [provider], transport: transport)
/// ```
public final class StubTransport: HTTPTransport {
    /// A prepared response or failure.
    public struct Answer: Sendable {
        let result: Result<TransportResponse, TransportFailure>

        /// Returns a prepared response.
        public static func response(_ response: TransportResponse) -> Self { Self(result: .success(response)) }

        /// Returns a prepared failure.
        public static func failure(_ code: TransportFailure.Code) -> Self {
            Self(result: .failure(TransportFailure(code, "as the test wants it")))
        }

        /// Returns a prepared JSON response.
        ///
        /// - Parameters:
        ///   - json: The document.
        ///   - maxAge: The `max-age` of `Cache-Control`, in seconds; nil to omit the field.
        ///   - status: The status code.
        ///   - headers: Additional header fields.
        /// - Returns: The response.
        public static func json(
            _ json: TestJSON,
            maxAge: Int? = nil,
            status: Int = 200,
            headers: [(name: String, value: String)] = []
        ) -> Self {
            var headers = [(name: "Content-Type", value: "application/json")] + headers
            if let maxAge { headers.append((name: "Cache-Control", value: "max-age=\(maxAge)")) }
            return .response(TransportResponse(status: status, headers: headers, body: Array(json.text.utf8)))
        }
    }

    private struct State {
        /// The prepared answers by URL, or by method and URL without the query.
        var answers: [String: [Answer]] = [:]
        var requests: [TransportRequest] = []
        var isShut = false
        var isStubborn = false
        var held: [Int: CheckedContinuation<Void, Never>] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func nextAnswer(to request: TransportRequest) -> Answer? {
            let url = request.url.description
            let key = answers[url] == nil ? "\(request.method.rawValue) \(url.prefix { $0 != "?" })" : url
            let answer = answers[key]?.first
            if answers[key, default: []].count > 1 { answers[key]?.removeFirst() }
            return answer
        }
    }

    private let state = Mutex(State())

    /// Creates a transport without prepared responses; a request for an unknown URL fails with `connection`.
    public init() {}

    /// Sets the response for a URL.
    public func answer(_ url: String, with answer: Answer) {
        state.withLock { $0.answers[url] = [answer] }
    }

    /// Sets the responses for a method and a URL, ignoring the query.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - address: The URL without its query.
    ///   - answers: The responses, one for each request; the last one is repeated.
    public func answer(_ method: TransportRequest.Method, _ address: String, with answers: Answer...) {
        state.withLock { $0.answers["\(method.rawValue) \(address)"] = answers }
    }

    /// The recorded requests, in order.
    public var requests: [TransportRequest] { state.withLock(\.requests) }

    /// Holds all responses back until ``open()`` is called.
    ///
    /// - Parameter againstCancellation: Whether responses are held back even if the requesting task was cancelled,
    ///   which no real transport should do.
    public func shut(againstCancellation: Bool = false) {
        state.withLock { state in
            state.isShut = true
            state.isStubborn = againstCancellation
        }
    }

    /// Releases the responses that were held back, and stops holding responses back.
    public func open() {
        let held = state.withLock { state in
            defer { state.held = [:] }
            state.isShut = false
            return state.held.values
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits until the transport has received at least this number of requests.
    public func requests(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Returns the prepared response once the transport is open.
    public func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let (number, watchers) = state.withLock { state in
            state.requests.append(request)
            let count = state.requests.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return (count, state.watchers.filter { $0.count <= count })
        }
        for watcher in watchers { watcher.continuation.resume() }
        await waitUntilOpen(number)
        if Task.isCancelled { throw TransportFailure(.interrupted, "the task was cancelled") }
        let answer = state.withLock { $0.nextAnswer(to: request) }
        return try (answer ?? .failure(.connection)).result.get()
    }

    private func waitUntilOpen(_ number: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    guard state.isShut, state.isStubborn || !Task.isCancelled else { return true }
                    state.held[number] = continuation
                    return false
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.isStubborn ? nil : $0.held.removeValue(forKey: number) }?.resume()
        }
    }
}
