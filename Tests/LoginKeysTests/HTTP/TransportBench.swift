// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
@testable internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// A resolver that returns the results of a list, one for each lookup, and repeats the last one.
final class ListedNames: NameResolver {
    private struct State {
        var answers: [[IPAddress]]
        var asked: [String] = []
    }

    private let state: Mutex<State>

    /// The names that were looked up.
    var asked: [String] { state.withLock(\.asked) }

    init(_ answers: [String]...) {
        state = Mutex(State(answers: answers.map { $0.compactMap { IPAddress($0) } }))
    }

    func addresses(of name: String) async throws(TransportFailure) -> [IPAddress] {
        state.withLock { state in
            state.asked.append(name)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? []
        }
    }
}

extension TransportRequest {
    /// Creates a request to a server of the test.
    init(
        _ url: String,
        method: Method = .get,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        limit: Int = 100_000,
        deadline: Duration = .seconds(20)
    ) throws {
        self.init(
            method: method,
            url: try EndpointURL(url, allowsLoopbackHTTP: true),
            headers: headers,
            body: body,
            responseLimit: limit,
            deadline: deadline
        )
    }
}

/// Expects that a request fails with this code.
///
/// - Returns: The time it took.
@discardableResult
func expectFailure(
    _ code: TransportFailure.Code,
    from transport: AsyncHTTPClientTransport = AsyncHTTPClientTransport(),
    _ request: TransportRequest,
    sourceLocation: SourceLocation = #_sourceLocation
) async -> Duration {
    let start = ContinuousClock.now
    do throws(TransportFailure) {
        let response = try await transport.send(request)
        Issue.record("answered with \(response.status), expected \(code)", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    }
    return ContinuousClock.now - start
}

/// Expects that a request ends at its deadline, and not much later.
///
/// On a busy machine everything takes longer, so the upper bound is measured with a task that sleeps as long.
func expectDeadline(
    from transport: AsyncHTTPClientTransport = AsyncHTTPClientTransport(),
    _ request: TransportRequest,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let start = ContinuousClock.now
    async let slept = {
        try await Task.sleep(for: request.deadline)
        return ContinuousClock.now - start
    }()
    let time = await expectFailure(.deadline, from: transport, request, sourceLocation: sourceLocation)
    #expect(time >= request.deadline, sourceLocation: sourceLocation)
    // A busy machine may be slow. If the script of the server ends before, the result is a response or another failure.
    let bound = try await slept + .seconds(20)
    #expect(time < bound, sourceLocation: sourceLocation)
}

/// Expects a response with this body.
func expectBody(
    _ body: [UInt8],
    from transport: AsyncHTTPClientTransport = AsyncHTTPClientTransport(),
    _ request: TransportRequest,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let response = try await transport.send(request)
    #expect(response.body == body, sourceLocation: sourceLocation)
}

extension ScriptedServer {
    /// Waits until all connections are closed.
    func expectAllClosed(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while openConnectionCount > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(openConnectionCount == 0, sourceLocation: sourceLocation)
    }
}
#endif
