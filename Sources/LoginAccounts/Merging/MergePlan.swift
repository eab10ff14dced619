// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// The resolution of a merge if both accounts have an identity of the same provider, and an account may have one.
public enum MergeConflicts: String, Sendable, Hashable {
    /// The merge is refused; the error names the providers.
    case refuse
    /// The target keeps its identity; that of the source is removed.
    case keepTarget
    /// The target gets the identity of the source; its own is removed.
    case keepSource
}

/// The preview of a merge.
public struct MergePreview: Sendable {
    /// The account that would be merged into the other.
    public let source: AccountID

    /// The account that would stay.
    public let target: AccountID

    /// The identities that the target would get.
    public let moves: [UserInfo]

    /// The identities that would be removed, by the given resolution.
    public let drops: [UserInfo]

    /// The providers of which both accounts have an identity, and an account may have one.
    ///
    /// The merge is refused unless a resolution is given.
    public let conflicts: [ProviderID]

    /// The second factors that the target would have.
    public let factors: [MultiFactorInfo]

    /// The codes of the refusals that these sessions would get, besides ``conflicts``: `requires-recent-login`,
    /// `second-factor-required`, `unsupported-first-factor`; `too-many-requests` if more than a thousand IDs would
    /// redirect to the target.
    public let obstacles: [AuthError.Code]

    /// Whether the accounts were merged before, or are the same.
    public let isDone: Bool
}

/// The effect of a merge and its obstacles, decided from the rows before anything is written.
struct MergePlan {
    /// The identities of the source that become the target's.
    var moves: [IdentityRecord] = []
    /// The identities that are removed.
    var drops: [IdentityRecord] = []
    /// The providers of which both accounts have an identity, in the order of their names.
    var conflicts: [ProviderID] = []
    /// The requirements that are not met, in the order in which they are checked.
    var obstacles: [AuthError] = []

    /// The codes of the obstacles, each once.
    var obstacleCodes: [AuthError.Code] {
        var codes: [AuthError.Code] = []
        for obstacle in obstacles where !codes.contains(obstacle.code) { codes.append(obstacle.code) }
        return codes
    }

    /// The maximum number of accounts that are merged into one, directly or with another.
    ///
    /// Each merge of the account updates their rows, and anybody can create guests.
    static let maximumMerged = 1000

    /// One of the two accounts.
    struct Side {
        /// The session in which the user has the account.
        let held: HeldSession
        /// The identities of the account.
        let identities: [IdentityRecord]
        /// The confirmed second factors of the account.
        let factors: [FactorRecord]
        /// The number of accounts that were merged into the account, up to one more than ``MergePlan/maximumMerged``.
        var mergedCount = 0

        var hasPhoneFactor: Bool { factors.contains { $0.kind == MultiFactorKind.phone.rawValue } }
    }

    /// Decides.
    ///
    /// - Parameters:
    ///   - source: The account that is merged into the other.
    ///   - target: The account that stays.
    ///   - policy: The policy.
    ///   - resolution: The resolution if both have an identity of the same provider.
    ///   - now: The time of the transaction.
    init(
        from source: Side,
        into target: Side,
        policy: LinkPolicy,
        resolution: MergeConflicts,
        at now: StoreTime
    ) {
        resolve(source.identities, target.identities, policy.identitiesPerProvider, resolution)
        let sides = [source, target]
        // The target's is required even if the source is anonymous: anybody can create such an account, and the
        // response contains the refresh token of the target's session.
        obstacles = sides.compactMap { side in
            side.held.recentLoginObstacle(hasFactors: !side.factors.isEmpty, within: policy.recentLogin, at: now)
        }
        if sides.contains(where: { $0.identities.contains { $0.providerID == .phone } }),
            sides.contains(where: \.hasPhoneFactor)
        {
            obstacles.append(.phoneIsSecondFactor)
        }
        if source.mergedCount + target.mergedCount + 1 > Self.maximumMerged {
            obstacles.append(
                AuthError(
                    .tooManyRequests(retryAfter: .seconds(86_400)),
                    "more than \(Self.maximumMerged) accounts would be merged into one"
                )
            )
        }
    }

    private mutating func resolve(
        _ source: [IdentityRecord],
        _ target: [IdentityRecord],
        _ perProvider: LinkPolicy.IdentitiesPerProvider,
        _ resolution: MergeConflicts
    ) {
        let kept = Set(target.map(\.providerID))
        let shared = Set(source.map(\.providerID)).intersection(kept).filter { provider in
            (source + target).count { $0.providerID == provider } > perProvider.maximum
        }
        conflicts = shared.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        switch resolution {
        case .refuse:
            moves = source.filter { !shared.contains($0.providerID) }
        case .keepTarget:
            moves = source.filter { !shared.contains($0.providerID) }
            drops = source.filter { shared.contains($0.providerID) }
        case .keepSource:
            moves = source
            drops = target.filter { shared.contains($0.providerID) }
        }
    }
}
