// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The rule for a merge of two accounts that both have a login of the same provider.
public enum ClientMergeConflicts: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The merge is refused with `merge-conflict`.
    case refuse
    /// The login of the account that remains is kept.
    case keepTarget
    /// The login of the account that is merged into the other is kept.
    case keepSource
}

/// The result that a merge would have.
public struct ClientMergePreview: Sendable, Hashable, Decodable {
    /// The logins that would move to the account that remains.
    public let moves: [ClientAccount.Login]

    /// The logins that would be lost.
    public let drops: [ClientAccount.Login]

    /// The providers of which both accounts have a login.
    public let conflicts: [String]

    /// The second factors after the merge.
    public let secondFactors: [ClientFactor]

    /// The codes of the reasons for which a merge would be refused now.
    public let obstacles: [LoginClientError.Code]

    /// Whether the accounts are merged already.
    public let isDone: Bool
}

extension ClientMergePreview: RedactedValue {
    /// The numbers of logins, without the user.
    public var description: String { "merge of \(moves.count) logins, \(drops.count) dropped" }
}
