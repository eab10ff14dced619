// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
public import LimitedLoginTesting
public import LoginTesting

/// The stand-in as an HTTP server on this machine; requires the trait `HTTPClient`.
extension FacebookStandIn {
    /// Runs a stand-in on a free local port while `body` runs.
    ///
    /// ```swift
    /// try await FacebookStandIn.run { facebook, server in
    ///     let graph = GraphAPI(app: try facebook.app(), transport: transport, wallClock: facebook.clock)
    ///     await server.kill()  // Facebook is down.
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - clock: The clock of the stand-in.
    ///   - body: A closure that receives the stand-in and its HTTP server.
    /// - Returns: The result of `body`.
    /// - Throws: Rethrows errors of `body`; an error if the server cannot listen.
    public static func run<Result>(
        clock: ManualClock = ManualClock(),
        _ body: (FacebookStandIn, ScriptedServer) async throws -> Result
    ) async throws -> Result {
        try await ScriptedServer.run { server in
            let facebook = FacebookStandIn(clock: clock, origin: "http://127.0.0.1:\(server.port)")
            server.answer(by: facebook.script)
            return try await body(facebook, server)
        }
    }

    /// Returns the server script that answers a request.
    private func script(for received: ReceivedRequest) -> ServerScript {
        let request = StandInRequest(
            method: received.method,
            origin: "http://" + (received.values(of: "Host").first ?? ""),
            target: received.target,
            headers: received.headers,
            body: received.body
        )
        let answer = answer(to: request)
        if answer.failure != nil { return .reset }
        let headers = answer.headers.map { "\($0.name): \($0.value)" }
        return .pause(answer.delay) + .respond(status: answer.status, headers: headers, body: answer.body)
    }
}

#endif
