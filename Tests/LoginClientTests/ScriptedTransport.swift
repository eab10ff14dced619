// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginClient
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport in memory that answers each request with the next of its answers, and records the requests.
final class ScriptedTransport: LoginClientTransport {
    let service = "https://login.corp.example"

    /// The answer to one request; an error stands for a lost response.
    typealias Answer = @Sendable (LoginClientRequest) async throws -> LoginClientResponse

    private let answers: Mutex<[Answer]>
    private let sent = Mutex<[LoginClientRequest]>([])

    init(_ answers: Answer...) { self.answers = Mutex(answers) }

    /// The requests so far: method and path.
    var requests: [String] { sent.withLock { $0.map { "\($0.method) \($0.path)" } } }

    /// The values of `Authorization` so far.
    var authorizations: [String?] { sent.withLock { $0.map { $0.headers["Authorization"] } } }

    /// The bodies so far.
    var bodies: [String] { sent.withLock { $0.map { String(decoding: $0.body ?? [], as: UTF8.self) } } }

    func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
        sent.withLock { $0.append(request) }
        let answer = answers.withLock { answers -> Answer? in answers.isEmpty ? nil : answers.removeFirst() }
        guard let answer else { throw LostResponse() }
        return try await answer(request)
    }
}

/// There was no response.
struct LostResponse: Error {}

/// Returns an answer with a JSON body.
func answer(_ status: Int, _ json: String, headers: [String: String] = [:]) -> ScriptedTransport.Answer {
    { _ in LoginClientResponse(status: status, headers: headers, body: Array(json.utf8)) }
}

/// Returns the answer that refuses a request.
func refusal(_ status: Int, _ code: String, members: String = "") -> ScriptedTransport.Answer {
    answer(
        status,
        #"{"code":"\#(code)","status":\#(status),"title":"…","requestID":"r1"\#(members)}"#,
        headers: ["X-Auth-Error": code]
    )
}

let lost: ScriptedTransport.Answer = { _ in throw LostResponse() }

/// The answer to `/v1/attempts`.
let attemptAnswer = answer(201, #"{"attempt":"lla_1","nonce":"n1","expiresAt":"2026-03-01T09:10:00Z"}"#)

/// Returns the account of the user as JSON.
func account(permissions: String = #"["email"]"#) -> String {
    #"""
    {"id":"a1","email":"ada@corp.example","isEmailVerified":true,"isAnonymous":false,
    "createdAt":"2026-03-01T09:00:00Z","secondFactors":[],"logins":[{"provider":"corp","uid":"ada",
    "isEmailVerified":true,"isUsable":true,"permissions":\#(permissions),"linkedAt":"2026-03-01T09:00:00Z",
    "lastSignInAt":"2026-03-01T09:00:00Z"}]}
    """#
}

/// Returns the answer with the tokens of a generation.
func session(
    _ number: Int,
    of accountID: String = "a1",
    expires: String = "2026-03-01T10:00:00Z",
    account hasAccount: Bool = false
) -> ScriptedTransport.Answer {
    answer(
        200,
        #"""
        {\#(hasAccount ? #""account":\#(account()),"# : "")"outcome":"refreshed",
        "session":{"id":"s1","account":"\#(accountID)","level":1,"methods":["fed"],
        "authenticatedAt":"2026-03-01T09:00:00Z","createdAt":"2026-03-01T09:00:00Z","expiresAt":"2026-03-31T09:00:00Z"},
        "tokens":{"sessionToken":"lls_\#(number)","refreshToken":"llr_\#(number)","expiresAt":"\#(expires)"}}
        """#
    )
}

/// 2026-03-01T09:00:00Z, the time of the tests.
let now = Date(timeIntervalSince1970: 1_772_355_600)

/// Returns the tokens of a generation.
func tokens(_ number: Int, of accountID: String = "a1", expiresIn seconds: Double = 3600) -> CachedTokens {
    CachedTokens(
        sessionToken: "lls_\(number)",
        refreshToken: "llr_\(number)",
        service: "https://login.corp.example",
        accountID: accountID,
        expiresAt: now + seconds,
        provider: "corp"
    )
}

/// The events that the handler of a session has seen.
final class Observed: Sendable {
    private let seen = Mutex<[String]>([])
    private let closing = AsyncStream<Void>.makeStream()

    var states: [String] { seen.withLock { $0 } }

    var handler: ClientSession.StateHandler {
        { state, error in
            let code = (error as? LoginClientError).map { " \($0.code.rawValue)" } ?? ""
            self.seen.withLock { $0.append(state.rawValue + code) }
            if state.isTerminal { self.closing.continuation.finish() }
        }
    }

    /// Waits until the session is closed.
    func closed() async { for await _ in closing.stream {} }
}

/// A cache that fails while it is broken.
actor BreakableCache: TokenCachingStrategy {
    struct Broken: Error {}

    private var tokens: CachedTokens?
    private var isBroken = false

    init(_ tokens: CachedTokens?) { self.tokens = tokens }

    func setBroken(_ isBroken: Bool) { self.isBroken = isBroken }

    func prepare() throws { try check() }

    func cache(_ tokens: CachedTokens) throws {
        try check()
        self.tokens = tokens
    }

    func fetch() throws -> CachedTokens? {
        try check()
        return tokens
    }

    func clear() throws {
        try check()
        tokens = nil
    }

    private func check() throws {
        if isBroken { throw Broken() }
    }
}

/// A cache with tokens.
func cached(_ tokens: CachedTokens) async -> InMemoryTokenCache {
    let cache = InMemoryTokenCache()
    await cache.cache(tokens)
    return cache
}
