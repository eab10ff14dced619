// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Auth {
    /// Gives an identity another name, because its provider calls the person otherwise from now on: the old one signs in to nothing.
    ///
    /// Apple does so when an app moves to another team: for 60 days its tokens name both.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - old: What it called the person; any name of the identity.
    ///   - new: What it calls the person now: 1 … 255 bytes.
    /// - Throws: ``AuthError``: `no-such-provider` where nobody has the old name; `credential-already-in-use` where somebody else has the
    ///   new one; `invalid-credential` where that cannot be a name.
    public func rekey(providerID provider: ProviderID, from old: String, to new: String) async throws(AuthError) {
        try await rename(provider, from: old, to: new, keepingOld: false)
    }

    /// Gives an identity a further name: with either, the person signs in to the same account.
    ///
    /// - Parameters:
    ///   - alias: What the provider calls the person too: 1 … 255 bytes.
    ///   - subject: What it calls the person; any name of the identity.
    ///   - provider: The provider.
    /// - Throws: ``AuthError``, as ``rekey(providerID:from:to:)``.
    public func addAlias(_ alias: String, to subject: String, providerID provider: ProviderID) async throws(AuthError) {
        try await rename(provider, from: subject, to: alias, keepingOld: true)
    }

    private func rename(_ provider: ProviderID, from old: String, to new: String, keepingOld: Bool)
        async throws(AuthError)
    {
        guard (1...255).contains(new.utf8.count) else {
            throw AuthError(.invalidCredential, "what a provider calls a person has 1 to 255 bytes")
        }
        try await transaction { transaction in
            try transaction.revocations.rename(provider, from: old, to: new, keepingOld: keepingOld)
        }
    }
}
