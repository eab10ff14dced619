// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What accounts allow, and for how long.
public struct AuthPolicy: Sendable {
    /// When identities come together in one account.
    public var linking: LinkPolicy

    /// How long sessions last.
    public var sessions: SessionPolicy

    /// How second factors are asked for.
    public var factors: FactorPolicy

    /// What passwords must be like.
    public var passwords: PasswordPolicy

    /// What a policy allows.
    ///
    /// - Parameters:
    ///   - linking: When identities come together in one account.
    ///   - sessions: How long sessions last.
    ///   - factors: How second factors are asked for.
    ///   - passwords: What passwords must be like.
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
