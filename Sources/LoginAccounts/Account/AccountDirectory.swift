// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that look accounts up.
struct AccountDirectory {
    let accounts: AccountTable
    let emails: EmailTable
    let keys: IdentityKeyTable

    /// The maximum number of merges that an old ID is followed through.
    ///
    /// A merge redirects all earlier IDs at once, so chains are short.
    private static let longestChain = 8

    /// Follows an ID to the account that it has been merged into.
    func current(_ id: AccountID) throws(StoreError) -> AccountID {
        var current = id
        for _ in 0..<Self.longestChain {
            guard let next = try accounts.find(current)?.mergedInto else { return current }
            current = next
        }
        throw StoreError(.damaged, "accounts have become part of each other")
    }

    /// Returns the accounts in use that show an address, have verified it, or have a password with it; the oldest
    /// first.
    func accounts(with address: EmailAddress) throws(StoreError) -> [AccountID] {
        let shown = try accounts.showing(address.text, isProven: true) + accounts.showing(address.text, isProven: false)
        var found = Set(shown.map(\.id))
        if let claim = try emails.find(address.text) { found.insert(claim.accountID) }
        if let named = try keys.identity(.password, address.text) { found.insert(named.accountID) }
        // The time is the first part of an ID.
        return found.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }
}
