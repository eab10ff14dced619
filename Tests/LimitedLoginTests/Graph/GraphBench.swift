// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Synchronization

/// An app, a user's token, and a Graph API in memory.
struct GraphBench {
    static let appID = "1234567890"
    static let secret = "made-up-secret"
    static let userID = "1000000000000042"
    static let tokenString = "EAAmade-up-token"

    /// The successful response, from which the others differ.
    static let success: TestJSON = ["success": true]

    let transport = StubTransport()
    let clock = SkippingClock()
    let wallClock = ManualClock()
    let graph: GraphAPI

    init(secret: String? = secret, endpoints: FacebookEndpoints = .live) throws {
        graph = GraphAPI(
            app: try FacebookApp(id: Self.appID, secret: secret, endpoints: endpoints),
            transport: transport,
            clock: clock,
            wallClock: wallClock
        )
    }

    func token(
        _ text: String = tokenString,
        permissions: Set<Permission> = [.publicProfile],
        appID: String = appID
    ) -> AccessToken {
        AccessToken(
            tokenString: text,
            permissions: permissions,
            appID: appID,
            userID: Self.userID,
            expirationDate: wallClock.now + 3600,
            refreshDate: wallClock.now,
            dataAccessExpirationDate: nil
        )
    }

    /// Sets the response at this path, for any query.
    func answer(_ path: String, _ answer: StubTransport.Answer, method: TransportRequest.Method = .get) {
        transport.answer(method, "https://graph.facebook.com/v27.0/" + path, with: answer)
    }

    /// Returns an error response as Facebook writes it.
    static func error(
        _ code: TestJSON?,
        _ subcode: TestJSON? = nil,
        status: Int = 400,
        headers: [(name: String, value: String)] = [],
        _ change: (inout TestJSON) -> Void = { _ in }
    ) -> StubTransport.Answer {
        var error: TestJSON = ["message": "(#1) what went wrong", "type": "SomeException", "fbtrace_id": "AbCdEf"]
        error["code"] = code
        error["error_subcode"] = subcode
        change(&error)
        return .json(["error": error], status: status, headers: headers)
    }

    /// Returns the error of a request for permissions that is answered like this.
    func failure(_ answer: StubTransport.Answer) async throws -> GraphError {
        self.answer("me/permissions", answer)
        return try await failure { _ = try await graph.permissions(of: token()) }
    }

    /// Returns the error of a call.
    func failure(_ call: () async throws -> Void) async throws -> GraphError {
        do {
            try await call()
        } catch let error as GraphError {
            return error
        }
        throw NoError()
    }

    private struct NoError: Error {}
}

/// A clock on which sleeping advances the time at once.
final class SkippingClock: Clock, Sendable {
    typealias Instant = ContinuousClock.Instant

    private let state = Mutex((now: ContinuousClock.now, slept: [Duration]()))

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// The durations of all sleeps.
    var slept: [Duration] { state.withLock { $0.slept } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.slept.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
    }
}
