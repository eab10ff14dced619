// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What the session token before may do, as long as nobody has shown the one of today: what it could do when that was made.
///
/// So a client that never got an answer goes on, and whoever has a copy of its token gains nothing by what its person proved
/// (S-FIX-1).
struct PreviousToken: Sendable, Hashable, Codable {
    /// The generation that it is of.
    var generation: Int64
    /// When it has to be refreshed; nil where it lasts as long as the session.
    var expiresAt: StoreTime?
    /// The level that it had.
    var level: Int64
    /// Since when.
    var levelAt: StoreTime
    /// How the person was proven, as the row of a session has it.
    var methods: String
    /// When the person was last proven.
    var authenticatedAt: StoreTime
    /// Whether a recovery code opened it.
    var isViaRecovery: Bool

    init(_ session: SessionRecord, generation: Int64) {
        self.generation = generation
        expiresAt = session.tokenExpiresAt
        level = session.level
        levelAt = session.levelAt
        methods = session.methods.text
        authenticatedAt = session.authenticatedAt
        isViaRecovery = session.isViaRecovery
    }

    /// As the row of a session has it: numbers, and a text that needs nothing escaped but its quotes, so it always has one.
    var text: String { (try? JSONText.encode(self)) ?? "" }
}

/// How long the tokens before are good once a session has new ones.
enum PreviousTokens: Sendable, Hashable {
    /// For a moment, and to refresh as long as nobody has shown the new ones: they were refreshed, and may do the same.
    case refreshed
    /// As long as nobody has shown the new ones, and for what they could do before.
    case untilNewAreShown
    /// No longer: the session leads to more than what was its owner's before, such as a guest's account that is somebody's now.
    case dead
}

/// Which tokens before are still good, and for what.
struct KeptTokens {
    /// The generation of the refresh token.
    var generation: Int64
    /// The hash of the session token; nil where none is good.
    var tokenHash: [UInt8]?
    /// What the session token may do; nil where it is good for a moment, or not at all.
    var token: PreviousToken?

    /// Decides it for a session that gets new tokens.
    ///
    /// Where nobody has shown those of today, whoever asks has the ones before, and keeps them: two answers can get lost.
    init(_ previous: PreviousTokens, of session: SessionRecord, family: SessionFamilyRecord) {
        (generation, tokenHash, token) = (family.generation, session.tokenHash, nil)
        switch previous {
        case .refreshed: break
        case .untilNewAreShown:
            if !session.isUsed, let hash = session.previousTokenHash {
                (generation, tokenHash) = (family.previousGeneration, hash)
                token = session.previousToken ?? PreviousToken(session, generation: generation)
            } else {
                token = PreviousToken(session, generation: generation)
            }
        case .dead: tokenHash = nil
        }
    }
}

/// As what a session token was shown.
enum ShownToken: Sendable, Hashable {
    /// It is the one of today.
    case current
    /// It was replaced by a refresh a moment ago, and is on its way.
    case justReplaced
    /// It was replaced, and nobody has shown the one of today.
    case previous(PreviousToken)
}

/// What a session token was found to open, and what of it is yet to be written.
struct FoundSession: Sendable {
    enum Unwritten: Sendable {
        /// The session is over, for this reason.
        case end(SessionRecord, SessionCloseReason)
        /// It was used, with this token.
        case use(SessionRecord, ShownToken, isGuest: Bool)
    }

    /// The session, with no more than the token may do, or why it is refused.
    let answer: Result<(SessionRecord, ShownToken), AuthError>
    let unwritten: Unwritten?

    init(_ answer: Result<(SessionRecord, ShownToken), AuthError>, unwritten: Unwritten? = nil) {
        self.answer = answer
        self.unwritten = unwritten
    }
}

extension SessionRecord {
    /// The session as whoever has read it with a token has it; nil where that token is good no longer (S-FIX-1).
    ///
    /// - Parameters:
    ///   - generation: The generation of that token.
    ///   - now: What time it is.
    ///   - grace: For how long a token is good that was refreshed.
    /// - Returns: The session, with no more than that token may do, and until when that is to be refreshed, if ever.
    /// - Throws: ``StoreError``: `damaged`.
    func asRead(generation: Int64, at now: StoreTime, grace: Duration) throws(StoreError) -> (
        session: Self, until: StoreTime?
    )? {
        if generation == self.generation { return (self, tokenExpiresAt) }
        if let before = previousToken {
            guard !isUsed, before.generation == generation else { return nil }
            return (try with(before), before.expiresAt)
        }
        // After a refresh it may do the same, and what has begun with the token before may end.
        guard previousTokenHash != nil, generation &+ 1 == self.generation, now < rotatedAt + grace else { return nil }
        return (self, nil)
    }

    /// The session with no more than a token may do.
    ///
    /// What the session has lost since, the token has lost too.
    func with(_ token: PreviousToken) throws(StoreError) -> Self {
        var record = self
        (record.level, record.levelAt) = (min(level, token.level), min(levelAt, token.levelAt))
        record.methods = try [ProvenMethod](text: token.methods)
        record.authenticatedAt = min(authenticatedAt, token.authenticatedAt)
        record.isViaRecovery = token.isViaRecovery
        return record
    }
}
