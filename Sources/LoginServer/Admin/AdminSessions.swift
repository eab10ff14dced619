// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import HTTPTypes
internal import LoginCrypto
internal import LoginText
internal import LoginTokens
internal import Synchronization

/// Who has shown the operators' token, and until when that counts: in this process, so that a restart ends all of it.
final class AdminSessions: Sendable {
    /// How long nobody has to show the token again: a working day.
    static let lifetime = Duration.seconds(12 * 3600)

    /// How many are signed in at once; the oldest goes when there are more.
    private static let sessionLimit = 100

    /// How many wrong tokens are answered in a minute, from all together, before all others are told to wait.
    private static let guesses = 10

    /// A session.
    struct Session: Sendable {
        let author: String
        let endsAt: Date
    }

    private struct State {
        var sessions: [[UInt8]: Session] = [:]
        var guesses = 0
        var guessesEnd = Date.distantPast
    }

    private let tokenHash: [UInt8]
    private let clock: any WallClock
    private let state = Mutex(State())
    /// Of this process: forms of before a restart are not taken, and have to be loaded again.
    private let formKey = randomBytes(count: 32)

    /// - Parameters:
    ///   - token: What operators show; nil where the socket alone says who may.
    ///   - clock: Who says what time it is.
    init(token: String?, clock: any WallClock) {
        tokenHash = Digest.sha256.hash((token ?? Base64URL.encode(randomBytes(count: 32))).utf8)
        self.clock = clock
    }

    /// Signs in whoever shows the token.
    ///
    /// - Parameters:
    ///   - token: What they show.
    ///   - author: Who they say they are.
    /// - Returns: The secret of their session.
    /// - Throws: As ``check(_:)``.
    func signIn(token: String, as author: String) throws(AdminRefusal) -> String {
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
            state.sessions[Digest.sha256.hash(secret.utf8)] = Session(author: author, endsAt: endsAt)
            return secret
        }
    }

    /// Checks a token, also for who sends it with each request, as Prometheus does; wrong ones are counted.
    ///
    /// The right one is always taken: nobody guesses it, and nobody is to keep operators out.
    ///
    /// - Parameter token: What was shown.
    /// - Throws: ``AdminRefusal``, with status 429 where there were too many wrong ones.
    func check(_ token: String) throws(AdminRefusal) {
        guard !constantTimeEquals(Digest.sha256.hash(token.utf8), tokenHash) else { return }
        let now = clock.now
        let isCounted = state.withLock { state in
            if now >= state.guessesEnd { (state.guesses, state.guessesEnd) = (0, now + 60) }
            guard state.guesses < Self.guesses else { return false }
            state.guesses += 1
            return true
        }
        guard isCounted else { throw AdminRefusal(.tooManyRequests, "Too many wrong tokens: wait a minute.") }
        throw AdminRefusal(.unauthorized, "That is not the token.")
    }

    /// The session of this secret; nil where there is none, or it is over.
    func session(_ secret: String) -> Session? {
        let now = clock.now
        return state.withLock { $0.sessions[Digest.sha256.hash(secret.utf8)] }.flatMap { $0.endsAt > now ? $0 : nil }
    }

    func signOut(_ secret: String) {
        state.withLock { _ = $0.sessions.removeValue(forKey: Digest.sha256.hash(secret.utf8)) }
    }

    /// What a form of a session must carry: nobody has it who cannot read the page.
    func formToken(of secret: String) -> String {
        Base64URL.encode(Digest.sha256.authenticationCode(of: "form of an operator \(secret)".utf8, key: formKey))
    }
}
#endif
