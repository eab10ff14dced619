// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// What happens where both accounts of a merge have an identity of the same provider, and one may have one.
public enum MergeConflicts: String, Sendable, Hashable {
    /// Nothing is merged: the error says of which providers.
    case refuse
    /// The target keeps its own; that of the source signs in to nothing any longer.
    case keepTarget
    /// The target gets that of the source; its own signs in to nothing any longer.
    case keepSource
}

/// What a merge would do.
public struct MergePreview: Sendable {
    /// The account that would become part of the other.
    public let source: AccountID

    /// The account that would stay.
    public let target: AccountID

    /// The identities that the target would get.
    public let moves: [UserInfo]

    /// The identities that nobody could sign in with afterwards, as `conflicts` says.
    public let drops: [UserInfo]

    /// The providers of which both have an identity, and one may have one.
    ///
    /// Unless `conflicts` says what to do, nothing is merged.
    public let conflicts: [ProviderID]

    /// The second factors that the target would have.
    public let factors: [MultiFactorInfo]

    /// Why nothing would be merged by these sessions, besides ``conflicts``.
    ///
    /// `requires-recent-login`, `second-factor-required` and `unsupported-first-factor` are what there can be.
    public let obstacles: [AuthError.Code]

    /// Whether that has been done already, or both are the same.
    public let isDone: Bool
}

/// Which identities move when two accounts become one: decided on what was read, before anything is written.
struct MergePlan {
    /// Those of the source that become the target's.
    var moves: [IdentityRecord] = []
    /// Those that nobody signs in with afterwards.
    var drops: [IdentityRecord] = []
    /// The providers of which both have one, in order of their names.
    var conflicts: [ProviderID] = []

    /// Decides.
    ///
    /// - Parameters:
    ///   - source: The identities of the account that goes.
    ///   - target: Those of the account that stays.
    ///   - perProvider: How many of one provider an account may have.
    ///   - resolution: What happens where both have one.
    init(
        from source: [IdentityRecord],
        into target: [IdentityRecord],
        perProvider: LinkPolicy.IdentitiesPerProvider,
        resolution: MergeConflicts
    ) {
        let kept = Set(target.map(\.providerID))
        let shared = perProvider == .one ? Set(source.map(\.providerID)).intersection(kept) : []
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
