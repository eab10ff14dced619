// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The accounts of a merge.
public struct AccountMerge: Sendable {
    /// The account that is merged into the other.
    public let source: AccountID

    /// The account that stays.
    public let target: AccountID
}
