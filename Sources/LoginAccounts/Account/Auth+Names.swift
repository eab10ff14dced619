// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Auth {
    /// Replaces the subject of an identity whose provider has given the user a new one.
    ///
    /// The old subject no longer signs in.
    ///
    /// Apple does this when an app is transferred to another team: for 60 days its tokens contain both subjects. For a
    /// change that keeps the old subject and can be repeated, see ``relink(_:isDryRun:)``.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - old: The previous subject, or any other subject of the identity.
    ///   - new: The new subject: 1 … 255 bytes.
    /// - Throws: ``AuthError``: `no-such-provider` if no identity has the old subject; `credential-already-in-use` if
    ///   another identity has the new one; `invalid-credential` if the new subject has an invalid length or contains NUL.
    public func rekey(providerID provider: ProviderID, from old: String, to new: String) async throws(AuthError) {
        try await rename(provider, from: old, to: new, keepingOld: false)
    }

    /// Adds a subject to an identity: the user can sign in to the account with either.
    ///
    /// - Parameters:
    ///   - alias: The additional subject: 1 … 255 bytes.
    ///   - subject: A subject of the identity.
    ///   - provider: The provider.
    /// - Throws: ``AuthError``: the errors of ``rekey(providerID:from:to:)``.
    public func addAlias(_ alias: String, to subject: String, providerID provider: ProviderID) async throws(AuthError) {
        try await rename(provider, from: subject, to: alias, keepingOld: true)
    }

    private func rename(_ provider: ProviderID, from old: String, to new: String, keepingOld: Bool)
        async throws(AuthError)
    {
        try Self.checkSubject(new)
        try await transaction { transaction in
            try transaction.revocations.rename(provider, from: old, to: new, keepingOld: keepingOld)
        }
    }
}
