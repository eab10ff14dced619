// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The rights of the previous session token while the current one is unused: those that it had when the current one was
/// made.
///
/// A client that lost a response can continue, and a copy of its token gains nothing from a later authentication
/// (S-FIX-1).
struct PreviousToken: Sendable, Hashable, Codable {
    /// The generation of the token.
    var generation: Int64
    /// The time at which the token was issued.
    var issuedAt: StoreTime
    /// The time at which the token expires; nil if it lasts as long as the session.
    var expiresAt: StoreTime?
    /// The level of the session.
    var level: Int64
    /// The time at which the session got that level.
    var levelAt: StoreTime
    /// The authentication methods, as JSON.
    var methods: String
    /// The time of the last authentication.
    var authenticatedAt: StoreTime
    /// Whether a recovery code was the second factor.
    var isViaRecovery: Bool

    init(_ session: SessionRecord, generation: Int64) {
        self.generation = generation
        issuedAt = session.rotatedAt
        expiresAt = session.tokenExpiresAt
        level = session.level
        levelAt = session.levelAt
        methods = session.methods.text
        authenticatedAt = session.authenticatedAt
        isViaRecovery = session.isViaRecovery
    }

    /// The expiry of the token; nil if it lasts as long as the session.
    ///
    /// A token that was issued in the future has expired.
    func end(at now: StoreTime) -> StoreTime? {
        expiresAt.map { issuedAt > .latestCreation(now) ? now : $0 }
    }

    /// The JSON that the session's row stores.
    ///
    /// It has only numbers, Booleans and a text, so encoding always succeeds.
    var text: String { (try? JSONText.encode(self)) ?? "" }
}

/// The validity of the previous tokens after a session got new ones.
enum PreviousTokens: Sendable, Hashable {
    /// After a refresh: valid for ``SessionPolicy/refreshGrace`` with the same rights, and for a refresh until the new
    /// tokens are used.
    case refreshed
    /// Valid until the new tokens are used, with the rights that they had before.
    case untilNewAreShown
    /// Invalid: the session has gained rights that its holder did not have, for example when an anonymous account
    /// becomes a user's.
    case dead
}

/// The previous tokens that stay valid, and their rights.
struct KeptTokens {
    /// The generation of the previous refresh token.
    var generation: Int64
    /// The hash of the previous session token; nil if it is invalid.
    var tokenHash: [UInt8]?
    /// The rights of the previous session token; nil if it is valid for ``SessionPolicy/refreshGrace`` only, or
    /// invalid.
    var token: PreviousToken?

    /// Determines the previous tokens of a session that gets new ones.
    ///
    /// If the current tokens are unused, the caller has the ones before them, and these stay valid: two responses can
    /// be lost.
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

/// How a presented session token relates to the current one.
enum ShownToken: Sendable, Hashable {
    /// The token is the current one.
    case current
    /// A refresh replaced the token within ``SessionPolicy/refreshGrace``.
    case justReplaced
    /// The token was replaced, and the current one is unused.
    case previous(PreviousToken)
}

/// The session of a session token, and the change that is still to be stored.
struct FoundSession: Sendable {
    enum Unwritten: Sendable {
        /// The session is closed for this reason.
        case end(SessionRecord, SessionCloseReason)
        /// The use of the session with this token.
        case use(SessionRecord, ShownToken, SessionOwner)
    }

    /// The session with the rights of the token, and its owner, or the refusal.
    typealias Answer = Result<(SessionRecord, ShownToken, SessionOwner), AuthError>

    let answer: Answer
    let unwritten: Unwritten?

    /// Whether ``answer`` is valid even if the change cannot be stored.
    ///
    /// The end of a session must be stored, and so must the loss of a level and the first use of a token that has
    /// replaced another, which ends the other's validity.
    var isValidWithoutWrite: Bool {
        guard case .use(let seen, let shown, _) = unwritten, case .success((let answered, _, _)) = answer else {
            return false
        }
        let replaces = shown == .current && !seen.isUsed && seen.previousTokenHash != nil
        let hasLapsed = shown == .current && answered.level != seen.level
        return !replaces && !hasLapsed
    }

    init(_ answer: Answer, unwritten: Unwritten? = nil) {
        self.answer = answer
        self.unwritten = unwritten
    }
}

extension SessionRecord {
    /// Returns the session with the rights of the token with which it was read; nil if that token is no longer valid
    /// (S-FIX-1).
    ///
    /// - Parameters:
    ///   - generation: The generation of the token.
    ///   - now: The current time.
    ///   - grace: The time for which a token stays valid after a refresh.
    /// - Returns: The session, and the time at which the token expires; nil for a token without an expiry of its own.
    /// - Throws: ``StoreError``: `damaged`.
    func asRead(generation: Int64, at now: StoreTime, grace: Duration) throws(StoreError) -> (
        session: Self, until: StoreTime?
    )? {
        if generation == self.generation { return (self, tokenEnd(at: now)) }
        if let before = previousToken {
            guard !isUsed, before.generation == generation else { return nil }
            return (try with(before), before.end(at: now))
        }
        // After a refresh the previous token has the same rights, so an operation that began with it can finish.
        guard previousTokenHash != nil, generation &+ 1 == self.generation, isJustRotated(grace, at: now) else {
            return nil
        }
        return (self, nil)
    }

    /// Returns the session with the rights of a previous token.
    ///
    /// The token has also lost the rights that the session has lost since.
    func with(_ token: PreviousToken) throws(StoreError) -> Self {
        var record = self
        (record.level, record.levelAt) = (min(level, token.level), min(levelAt, token.levelAt))
        record.methods = try [ProvenMethod](text: token.methods)
        record.authenticatedAt = min(authenticatedAt, token.authenticatedAt)
        record.isViaRecovery = token.isViaRecovery
        return record
    }
}
