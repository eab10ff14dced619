// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that look accounts up.
struct AccountDirectory {
    let accounts: AccountTable
    let emails: EmailTable
    let keys: IdentityKeyTable

    /// Returns the account that an account has been merged into, or the account itself.
    ///
    /// A merge redirects the accounts that were merged before, so one step is enough.
    func current(_ id: AccountID) throws(StoreError) -> AccountID { try accounts.find(id)?.mergedInto ?? id }

    /// Returns the accounts in use that show an address, have verified it, or have a password with it; the oldest
    /// first.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - limit: The maximum number of those that have verified the address, and of those that only show it: anybody
    ///     can create these.
    /// - Returns: The accounts.
    /// - Throws: ``StoreError``
    func accounts(with address: EmailAddress, limit: Int = 1000) throws(StoreError) -> [AccountID] {
        var found: Set<AccountID> = []
        for isProven in [true, false] {
            found.formUnion(try accounts.showing(address.text, isProven: isProven, limit: limit).map(\.id))
        }
        if let claim = try emails.find(address.text) { found.insert(claim.accountID) }
        if let named = try keys.identity(.password, address.text) { found.insert(named.accountID) }
        // The time is the first part of an ID.
        return found.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }
}
