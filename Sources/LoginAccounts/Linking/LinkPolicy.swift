// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// When identities come together in one account.
public struct LinkPolicy: Sendable {
    /// What an equal e-mail address does.
    public enum EmailMatching: Sendable {
        /// Nothing: whoever has two logins links them.
        case never
        /// The login joins the account, where both addresses are proven.
        case verifiedBoth
        /// As ``verifiedBoth``; and where an account has nothing but a password with the address, which was never proven, the one who
        /// proves it gets the account, and what was there before goes.
        ///
        /// An account with any other login, or with a second factor, is somebody's: that it names the address, and no provider
        /// vouches for it, gives it to nobody.
        case evictUnverified
    }

    /// How many identities of one provider an account may have.
    public enum IdentitiesPerProvider: Sendable {
        /// One.
        case one
        /// Any number.
        case many
    }

    /// What an equal e-mail address does.
    public var emailMatching: EmailMatching

    /// How many identities of one provider an account may have.
    public var identitiesPerProvider: IdentitiesPerProvider

    /// Whether a proven e-mail address belongs to one account.
    ///
    /// A sign-in to another account that names or proves it is refused with a pending credential, which links the two. An address that nobody has proven belongs to
    /// nobody: several accounts may name it, and they no longer show it once another account has proven it.
    public var oneAccountPerEmail: Bool

    /// How recently a person must have been proven for what matters: 5 minutes unless said otherwise.
    public var recentLogin: Duration

    /// After how long an anonymous account that nobody uses may be removed, and its session ends: 30 days unless said otherwise.
    public var anonymousLifetime: Duration

    /// How many anonymous accounts are made in an hour for requests from one network.
    public var anonymousPerNetworkAndHour = 100

    /// How long a credential that could not be used waits: 10 minutes, which is the longest.
    public var pendingCredentialLifetime: Duration

    /// A policy.
    public init(
        emailMatching: EmailMatching = .never,
        identitiesPerProvider: IdentitiesPerProvider = .one,
        oneAccountPerEmail: Bool = true,
        recentLogin: Duration = .seconds(300),
        anonymousLifetime: Duration = .seconds(30 * 86400),
        pendingCredentialLifetime: Duration = .seconds(600)
    ) {
        self.emailMatching = emailMatching
        self.identitiesPerProvider = identitiesPerProvider
        self.oneAccountPerEmail = oneAccountPerEmail
        self.recentLogin = recentLogin
        self.anonymousLifetime = anonymousLifetime
        self.pendingCredentialLifetime = pendingCredentialLifetime
    }
}
