// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The result of presenting a refresh token.
///
/// A token is exchanged once (RFC 9700 §4.14.2). But clients refresh twice at the same moment, and responses get lost;
/// neither is a reason to sign a user out. The previous token is therefore answered with the current tokens, for a
/// short time and until those are used. After that, two clients have the token, one of which is not the user's, and the
/// session is closed for both. While the current tokens are unused, an attacker cannot be distinguished from the user,
/// and the session stays open (S-RFR-3).
enum RefreshDecision: Sendable, Hashable {
    /// The session gets new tokens.
    case rotate
    /// The current tokens are returned again.
    case repeatTokens
    /// The session was closed, and its device opens another.
    case open
    /// The token was reused: the session is closed, and its device revoked.
    case reused
    /// The session cannot be refreshed.
    case refused
    /// The session has expired.
    case expired
    /// The session or its device was opened in the future, and has expired by this server's clock only.
    case ahead
    /// The account is disabled.
    case disabled

    /// Decides on a refresh token.
    ///
    /// - Parameters:
    ///   - family: The device that the token names. The token was verified as made for it.
    ///   - session: The session of that device.
    ///   - account: The account of the session.
    ///   - presented: The token.
    ///   - now: The current time.
    ///   - policy: The lifetimes of sessions.
    ///   - opens: Whether a session may be opened if the last one was closed.
    /// - Returns: The decision.
    static func decide(
        family: SessionFamilyRecord,
        session: SessionRecord,
        account: AccountRecord?,
        presented: OpaqueToken,
        now: StoreTime,
        policy: SessionPolicy,
        opening opens: Bool
    ) -> Self {
        let isKept = session.closeReason.map { SessionCloseReason($0) } == .kept
        switch SessionFault.of(session, account: account, now: now) {
        case nil: break
        case .closed where isKept && account?.isInUse == true:
            // The device may still be valid. A reason that closes sessions for good revokes devices too.
            guard account?.disabledAt == nil else { return .disabled }
            guard family.epoch == account?.sessionEpoch else { return .refused }
            guard !session.hasEnded(at: now) else { return .expired }
            guard !session.isAhead(of: now) else { return .ahead }
        case .closed, .outdated: return .refused
        case .expiring, .expired: return .expired
        case .ahead: return .ahead
        case .disabled: return .disabled
        }
        guard family.revokedAt == nil else { return .refused }
        guard now < family.expiresAt else { return .expired }
        guard family.createdAt <= .latestCreation(now) else { return .ahead }
        switch standing(of: presented, family: family, session: session, now: now, policy: policy) {
        case .rotate where isKept: return opens ? .open : .refused
        case .repeatTokens where isKept: return opens ? .open : .refused
        case let standing: return standing
        }
    }

    /// Decides by the generation of the token alone, whether the session is open or not.
    private static func standing(
        of presented: OpaqueToken,
        family: SessionFamilyRecord,
        session: SessionRecord,
        now: StoreTime,
        policy: SessionPolicy
    ) -> Self {
        if presented.generation == family.generation {
            return constantTimeEquals(presented.hash, family.refreshHash) ? .rotate : .refused
        }
        // A future generation: the store was restored from a backup.
        guard presented.generation < family.generation else { return .refused }
        // A later token was presented since.
        guard presented.generation >= family.previousGeneration else { return .reused }
        let isPrevious = presented.generation == family.previousGeneration && !family.isPreviousDead
        guard session.isUsed else { return isPrevious ? .repeatTokens : .refused }
        // A rotation in the future is no evidence of a reuse, nor of a request in flight.
        guard !family.rotatedAt.isAhead(of: now) else { return .refused }
        guard now < family.rotatedAt + policy.refreshGrace else { return .reused }
        // Only after a refresh do the new tokens have the same rights. Otherwise an old token must not gain any, and is
        // no sign of theft.
        return isPrevious && session.previousToken == nil ? .repeatTokens : .refused
    }
}
