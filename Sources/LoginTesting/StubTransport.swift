// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A transport that asks nobody: it answers from memory, counts what it is asked, and can be held shut.
///
/// ```swift
/// let transport = StubTransport()
/// transport.answer("https://issuer.example/keys", with: .json(issuer.keySet, maxAge: 3600))
/// let cache = try KeyCache(providers: [provider], transport: transport)
/// ```
public final class StubTransport: HTTPTransport {
    /// What it answers.
    public struct Answer: Sendable {
        let result: Result<TransportResponse, TransportFailure>

        /// This response.
        public static func response(_ response: TransportResponse) -> Self { Self(result: .success(response)) }

        /// No response.
        public static func failure(_ code: TransportFailure.Code) -> Self {
            Self(result: .failure(TransportFailure(code, "as the test wants it")))
        }

        /// A JSON document.
        ///
        /// - Parameters:
        ///   - json: The document.
        ///   - maxAge: How long it may be kept, in seconds; nil where nothing is said about it.
        ///   - status: The status.
        ///   - headers: Further fields of the head.
        /// - Returns: The answer.
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
        /// By address, or by method and address without a query.
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

    /// A transport that knows no address yet: asked for one, it fails with `connection`.
    public init() {}

    /// From now on answers so at this address.
    public func answer(_ url: String, with answer: Answer) {
        state.withLock { $0.answers[url] = [answer] }
    }

    /// From now on answers so at this address, whatever the query, to requests with this method.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - address: The address without its query.
    ///   - answers: The answers, one for each request; the last stays.
    public func answer(_ method: TransportRequest.Method, _ address: String, with answers: Answer...) {
        state.withLock { $0.answers["\(method.rawValue) \(address)"] = answers }
    }

    /// What it was asked, in order.
    public var requests: [TransportRequest] { state.withLock(\.requests) }

    /// Holds every answer back, until ``open()``.
    ///
    /// - Parameter againstCancellation: Whether it also holds on where the task that asks was cancelled, as no transport should.
    public func shut(againstCancellation: Bool = false) {
        state.withLock { state in
            state.isShut = true
            state.isStubborn = againstCancellation
        }
    }

    /// Gives the answers that were held back, and holds none any more.
    public func open() {
        let held = state.withLock { state in
            defer { state.held = [:] }
            state.isShut = false
            return state.held.values
        }
        for continuation in held { continuation.resume() }
    }

    /// Returns when it was asked this often.
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

    /// Answers as it was told to, when it is not held shut.
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
