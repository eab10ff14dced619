// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// What a refresh token leads to.
///
/// A token is exchanged once (RFC 9700 §4.14.2). But clients refresh twice at the same moment, and answers get lost; whoever
/// is signed out by that has done nothing wrong. So the token before the last one is still answered, with the tokens that
/// are there already: for a moment, and for as long as nobody has shown the new ones. Beyond that two clients have the token,
/// of which one is not the person's, and the session ends for both. As long as nobody has shown the new tokens, nobody can be
/// told from the person, and nothing ends (S-RFR-3).
enum RefreshDecision: Sendable, Hashable {
    /// The session gets new tokens.
    case rotate
    /// The tokens of the last refresh are the answer once more.
    case answerAgain
    /// The session was closed, and its device opens another.
    case open
    /// Somebody has a copy: the session is closed, and its device revoked.
    case reused
    /// There is no session to refresh.
    case refused
    /// The session is over.
    case expired
    /// The account is disabled.
    case disabled

    /// Decides.
    ///
    /// - Parameters:
    ///   - family: The device that the token names, which has made it.
    ///   - session: The session of that device.
    ///   - account: Whose it is.
    ///   - presented: The token.
    ///   - now: What time it is.
    ///   - policy: For how long what is good.
    ///   - opens: Whether a session may be opened where the last one was closed.
    /// - Returns: What happens.
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
            // Its device may still be good; what ends sessions ends devices too.
            guard account?.disabledAt == nil else { return .disabled }
            guard family.epoch == account?.sessionEpoch else { return .refused }
            guard !session.isOver(at: now) else { return .expired }
        case .closed, .outdated: return .refused
        case .expiring, .expired: return .expired
        case .disabled: return .disabled
        }
        guard family.revokedAt == nil else { return .refused }
        guard now < family.expiresAt else { return .expired }
        switch standing(of: presented, family: family, session: session, now: now, policy: policy) {
        case .rotate where isKept: return opens ? .open : .refused
        case .answerAgain where isKept: return opens ? .open : .refused
        case let standing: return standing
        }
    }

    /// What the generation of a token leads to, wherever the session stands.
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
        // A generation that is to come: the store was set back to what it was before.
        guard presented.generation < family.generation else { return .refused }
        // A later one was shown since.
        guard presented.generation >= family.previousGeneration else { return .reused }
        let isPrevious = presented.generation == family.previousGeneration && !family.isPreviousDead
        guard session.isUsed else { return isPrevious ? .answerAgain : .refused }
        guard now < family.rotatedAt + policy.refreshGrace else { return .reused }
        // Only a refresh gives no more than there was: who has another old token must not get further, and need not be a thief.
        return isPrevious && session.previousToken == nil ? .answerAgain : .refused
    }
}
