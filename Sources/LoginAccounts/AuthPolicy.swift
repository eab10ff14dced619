// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The policies of accounts.
public struct AuthPolicy: Sendable {
    /// The policy for linking identities to accounts.
    public var linking: LinkPolicy

    /// The lifetimes of sessions.
    public var sessions: SessionPolicy

    /// The policy for second factors.
    public var factors: FactorPolicy

    /// The requirements for passwords.
    public var passwords: PasswordPolicy

    /// Whether the user's profile at the provider is stored with each login: false by default.
    ///
    /// The profile consists of the claims and the permissions that the provider reported at the latest sign-in with the
    /// login. It is encrypted with ``AccountSecrets``, and part of ``Auth/exportPersonalData(of:)``. Each sign-in with
    /// the login replaces it; at a provider with permissions, claims that the sign-in lacks and did not request are
    /// kept. A revoked permission deletes its claims. The whole is deleted when the login is unlinked or revoked, with
    /// the account, and at the next sign-in after this was set to false. ``Session/storedIdentity()`` returns it as an
    /// identity.
    public var storesProfiles: Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - linking: The policy for linking identities to accounts.
    ///   - sessions: The lifetimes of sessions.
    ///   - factors: The policy for second factors.
    ///   - passwords: The requirements for passwords.
    ///   - storesProfiles: Whether the user's profile at the provider is stored with each login.
    public init(
        linking: LinkPolicy = .init(),
        sessions: SessionPolicy = .init(),
        factors: FactorPolicy = .init(),
        passwords: PasswordPolicy = .init(),
        storesProfiles: Bool = false
    ) {
        self.storesProfiles = storesProfiles
        self.passwords = passwords
        self.linking = linking
        self.sessions = sessions
        self.factors = factors
    }
}
