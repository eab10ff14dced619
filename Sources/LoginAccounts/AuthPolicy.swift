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

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - linking: The policy for linking identities to accounts.
    ///   - sessions: The lifetimes of sessions.
    ///   - factors: The policy for second factors.
    ///   - passwords: The requirements for passwords.
    public init(
        linking: LinkPolicy = .init(),
        sessions: SessionPolicy = .init(),
        factors: FactorPolicy = .init(),
        passwords: PasswordPolicy = .init()
    ) {
        self.passwords = passwords
        self.linking = linking
        self.sessions = sessions
        self.factors = factors
    }
}
