// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import Synchronization

/// The answers of one endpoint: cached ones, and those that requests in flight will bring.
final class IntrospectionAnswers: Sendable {
    private struct State {
        var cache: IntrospectionCache
        var inFlight: [TokenFingerprint: Task<IntrospectionAnswer, Never>] = [:]
    }

    /// The next step of a verification.
    private enum Step: Sendable {
        case use(IntrospectionAnswer)
        case wait(Task<IntrospectionAnswer, Never>)
    }

    private let endpoint: IntrospectionEndpoint
    private let key = randomBytes(count: 32)
    private let state: Mutex<State>

    /// Creates an empty cache for the answers of an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - lifetime: The maximum time for which an answer is cached, in seconds.
    init(endpoint: IntrospectionEndpoint, lifetime: Double) {
        self.endpoint = endpoint
        state = Mutex(State(cache: IntrospectionCache(lifetime: lifetime)))
    }

    /// Returns the answer about a token: the cached one, or that of a request.
    ///
    /// Looking up the cache, joining a request and starting one are a single step, so there is one request at a time for
    /// a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - now: The current time, in seconds since 1970.
    /// - Returns: The answer.
    func answer(about token: String, now: Double) async -> IntrospectionAnswer {
        let fingerprint = TokenFingerprint(of: token, key: key)
        let step: Step = state.withLock { state in
            if let answer = state.cache.answer(about: fingerprint, now: now) { return .use(answer) }
            if let request = state.inFlight[fingerprint] { return .wait(request) }
            guard state.inFlight.count < Limits.introspectionsInFlight else {
                let detail = "more than \(Limits.introspectionsInFlight) requests are in flight"
                return .use(.unavailable(IntrospectionEndpoint.unavailable(detail)))
            }
            // Other verifications may wait for the request, so it must not be cancelled with the one that started it.
            let request = Task { await self.request(token, fingerprint, now: now) }
            state.inFlight[fingerprint] = request
            return .wait(request)
        }
        switch step {
        case .use(let answer): return answer
        case .wait(let request): return await request.value
        }
    }

    /// Asks the endpoint, and caches its answer.
    ///
    /// The answer counts from the start of the request, so it is not used longer than its lifetime.
    private func request(_ token: String, _ fingerprint: TokenFingerprint, now: Double) async -> IntrospectionAnswer {
        let answer = await endpoint.answer(about: token)
        state.withLock { state in
            state.inFlight[fingerprint] = nil
            if !answer.repeats(token) { state.cache.insert(answer, about: fingerprint, now: now) }
        }
        return answer
    }
}

/// The HMAC of a token with a random key, by which a cache identifies it.
///
/// Without the key, nobody can find two tokens with the same fingerprint, or the token of one.
struct TokenFingerprint: Sendable, Hashable {
    private let bytes: [UInt8]

    /// Creates the fingerprint of a token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - key: The random key, 32 bytes.
    init(of token: String, key: [UInt8]) {
        bytes = Digest.sha256.authenticationCode(of: token.utf8, key: key)
    }
}

extension TokenFingerprint: Redacted {
    /// A fixed text without the fingerprint.
    var description: String { "fingerprint of a token" }
}

extension IntrospectionAnswer {
    /// Returns whether a string of the answer, at any depth, is the token itself, as `jti` may be at some servers.
    ///
    /// Such an answer is not cached, because the cache holds no tokens.
    fileprivate func repeats(_ token: String) -> Bool {
        guard case .active(let claims) = self else { return false }
        let document = claims.value.document
        return document.nodes.contains { $0.kind == .string && document.string($0, equals: token) }
    }
}
