// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import HTTPTypes
internal import LoginCrypto
internal import LoginText
internal import LoginTokens
internal import Logging
internal import Synchronization
internal import TweaksHummingbird

/// The sessions of operators, in memory: a restart ends all of them.
final class AdminSessions: Sendable {
    /// The lifetime of a session: a working day.
    static let lifetime = Duration.seconds(12 * 3600)

    /// The maximum number of sessions, beyond which the oldest ends.
    private static let sessionLimit = 100

    /// The maximum number of wrong tokens a minute from all clients together, beyond which wrong tokens get status 429.
    private static let guesses = 10

    /// An operator's session.
    struct Session: Sendable {
        let author: TweakOperator
        let endsAt: Date
    }

    private struct State {
        var sessions: [[UInt8]: Session] = [:]
        var guesses = 0
        var guessesEnd = Date.distantPast
    }

    /// Whether the admin token is required.
    let needsToken: Bool
    private let tokenHash: [UInt8]
    private let clock: any WallClock
    private let logger: Logger
    private let state = Mutex(State())
    /// The CSRF tokens of the operators' forms.
    let forms = FormTokens()

    /// Creates the sessions.
    ///
    /// - Parameters:
    ///   - token: The admin token; nil if only the permissions of the socket control access.
    ///   - clock: The clock used for expiry checks.
    ///   - logger: The logger for wrong tokens.
    init(token: String?, clock: any WallClock, logger: Logger) {
        needsToken = token != nil
        tokenHash = Digest.sha256.hash((token ?? Base64URL.encode(randomBytes(count: 32))).utf8)
        self.clock = clock
        self.logger = logger
    }

    /// Opens a session for an operator with the token.
    ///
    /// - Parameters:
    ///   - token: The presented token.
    ///   - author: The name that the operator has entered, for the audit log.
    /// - Returns: The secret of the session.
    /// - Throws: The errors of ``check(_:)``.
    func signIn(token: String, as author: String) throws(PageRefusal) -> String {
        try check(token)
        let now = clock.now
        return state.withLock { state in
            state.sessions = state.sessions.filter { $0.value.endsAt > now }
            if state.sessions.count >= Self.sessionLimit,
                let oldest = state.sessions.min(by: { $0.value.endsAt < $1.value.endsAt })
            {
                state.sessions[oldest.key] = nil
            }
            let secret = Base64URL.encode(randomBytes(count: 32))
            let endsAt = now + Double(Self.lifetime.components.seconds)
            let author = TweakOperator(name: author, session: Base64URL.encode(randomBytes(count: 16)))
            state.sessions[Digest.sha256.hash(secret.utf8)] = Session(author: author, endsAt: endsAt)
            return secret
        }
    }

    /// Checks a token, and counts and logs wrong ones.
    ///
    /// The correct token is always accepted, also after too many wrong ones: it cannot be guessed, and nobody can lock
    /// operators out. Clients such as Prometheus send the token with each request.
    ///
    /// - Parameter token: The presented token.
    /// - Throws: ``PageRefusal``, with status 429 after too many wrong tokens.
    func check(_ token: String) throws(PageRefusal) {
        guard !constantTimeEquals(Digest.sha256.hash(token.utf8), tokenHash) else { return }
        let now = clock.now
        let isCounted = state.withLock { state in
            if now >= state.guessesEnd { (state.guesses, state.guessesEnd) = (0, now + 60) }
            guard state.guesses < Self.guesses else { return false }
            state.guesses += 1
            return true
        }
        guard isCounted else { throw PageRefusal(.tooManyRequests, "Too many wrong tokens. Try again in a minute.") }
        logger.warning("admin token refused")
        throw PageRefusal(.unauthorized, "The token is wrong.")
    }

    /// Returns the session with this secret; nil if it does not exist, or has expired.
    func session(_ secret: String) -> Session? {
        let now = clock.now
        return state.withLock { $0.sessions[Digest.sha256.hash(secret.utf8)] }.flatMap { $0.endsAt > now ? $0 : nil }
    }

    func signOut(_ secret: String) {
        state.withLock { _ = $0.sessions.removeValue(forKey: Digest.sha256.hash(secret.utf8)) }
    }
}
#endif
