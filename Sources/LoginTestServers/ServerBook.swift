// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import NIOCore
internal import Synchronization

/// The configured answers and the recorded requests of a scripted server, shared by its connections and the test.
final class ServerBook: Sendable {
    private struct Answers {
        var first: ArraySlice<ServerScript>
        var then: @Sendable (ReceivedRequest) -> ServerScript
    }

    private struct Waiter {
        let path: String?
        let count: Int
        let promise: EventLoopPromise<Void>
    }

    private struct Pages {
        var greeting: ServerScript?
        var answers: [String: Answers] = [:]
        var otherwise = Answers(first: []) { _ in .respond(status: 404) }
        var requests: ArraySlice<ReceivedRequest> = []
        var requestCount = 0
        var counts: [String: Int] = [:]
        var gate: EventLoopPromise<Void>?
        var waiters: [Int: Waiter] = [:]
        var waiterCount = 0

        func count(of path: String?) -> Int {
            path.map { counts[$0, default: 0] } ?? requestCount
        }
    }

    /// The maximum number of recorded requests and of counted paths, which bounds memory if a client never stops.
    private static let remembered = 1000

    private let pages = Mutex(Pages())

    var greeting: ServerScript? { pages.withLock(\.greeting) }

    var requests: [ReceivedRequest] { pages.withLock { Array($0.requests) } }

    func requestCount(of path: String?) -> Int {
        pages.withLock { $0.count(of: path) }
    }

    func greet(with script: ServerScript?) {
        pages.withLock { $0.greeting = script }
    }

    func answer(
        _ path: String?,
        first: [ServerScript],
        then: @escaping @Sendable (ReceivedRequest) -> ServerScript
    ) {
        let answers = Answers(first: first[...], then: then)
        pages.withLock { pages in
            if let path { pages.answers[path] = answers } else { pages.otherwise = answers }
        }
    }

    /// Records a request, and returns its script and the future to wait for before playing it.
    func receive(_ request: ReceivedRequest) -> (script: ServerScript, gate: EventLoopFuture<Void>?) {
        let path = request.path
        let (script, then, gate, ready) = pages.withLock { pages in
            pages.requests.append(request)
            if pages.requests.count > Self.remembered { pages.requests.removeFirst() }
            pages.requestCount += 1
            if pages.counts[path] != nil || pages.counts.count < Self.remembered { pages.counts[path, default: 0] += 1 }
            let answers = pages.answers[path] ?? pages.otherwise
            let script = answers.first.first
            if pages.answers[path] == nil {
                pages.otherwise.first = answers.first.dropFirst()
            } else {
                pages.answers[path]?.first = answers.first.dropFirst()
            }
            let ready = pages.waiters.filter { pages.count(of: $0.value.path) >= $0.value.count }
            for id in ready.keys { pages.waiters[id] = nil }
            return (script, answers.then, pages.gate?.futureResult, ready.values.map(\.promise))
        }
        for promise in ready { promise.succeed() }
        // This is not under the lock, because `then` runs the test's own code.
        return (script ?? then(request), gate)
    }
}

extension ServerBook {
    /// Holds answers back.
    func hold(on eventLoop: any EventLoop) {
        pages.withLock { pages in
            if pages.gate == nil { pages.gate = eventLoop.makePromise() }
        }
    }

    /// Releases the answers that were held back.
    func release() {
        let gate = pages.withLock { pages in
            defer { pages.gate = nil }
            return pages.gate
        }
        gate?.succeed()
    }

    /// Waits until this number of requests has been received.
    ///
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - path: The path without the query; nil for all requests.
    ///   - limit: The maximum time to wait.
    ///   - eventLoop: The event loop that schedules the timeout.
    /// - Throws: ``ScriptedServerError`` if the requests do not arrive in time; `CancellationError` if the task is
    ///   cancelled.
    func wait(for count: Int, of path: String?, within limit: Duration, on eventLoop: any EventLoop) async throws {
        let promise = eventLoop.makePromise(of: Void.self)
        let id: Int? = pages.withLock { pages in
            guard pages.count(of: path) < count else { return nil }
            pages.waiterCount += 1
            pages.waiters[pages.waiterCount] = Waiter(path: path, count: count, promise: promise)
            return pages.waiterCount
        }
        guard let id else { return promise.succeed() }
        let timer = eventLoop.scheduleTask(in: TimeAmount(limit)) { self.give(up: id) }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            take(id)?.promise.fail(CancellationError())
        }
    }

    private func give(up id: Int) {
        guard let waiter = take(id) else { return }
        let seen = requestCount(of: waiter.path)
        let subject = waiter.path.map { " for \($0)" } ?? ""
        waiter.promise.fail(ScriptedServerError("\(seen) requests\(subject) came in time, not \(waiter.count)"))
    }

    private func take(_ id: Int) -> Waiter? {
        pages.withLock { $0.waiters.removeValue(forKey: id) }
    }
}

#endif
