// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The policy for linking identities to accounts.
public struct LinkPolicy: Sendable {
    /// The effect of equal e-mail addresses.
    public enum EmailMatching: Sendable {
        /// No effect: a user with two logins links them.
        case never
        /// The login joins the account if both addresses are verified.
        case verifiedBoth
        /// Like ``verifiedBoth``; in addition, a login with the verified address takes over an account that has only a
        /// password with that unverified address.
        ///
        /// Everything else that belonged to the account's creator is removed.
        ///
        /// An account with any other login, or with a second factor, is never taken over, even if its e-mail address is
        /// unverified.
        case evictUnverified
    }

    /// The number of identities that an account may have of one provider.
    public enum IdentitiesPerProvider: Sendable {
        /// One.
        case one
        /// Up to 1,000.
        case many

        /// The number.
        ///
        /// Every response with the account lists all its identities.
        var maximum: Int { self == .one ? 1 : 1000 }
    }

    /// The effect of equal e-mail addresses.
    public var emailMatching: EmailMatching

    /// The number of identities that an account may have of one provider.
    public var identitiesPerProvider: IdentitiesPerProvider

    /// Whether a verified e-mail address belongs to a single account.
    ///
    /// If so, a new login with the address, verified or not, is refused with a pending credential, which links it to
    /// the account that has verified the address, unless ``emailMatching`` lets the login join that account. An
    /// unverified address belongs to no account: several accounts may have it, and they no longer show it once another
    /// account has verified it.
    public var oneAccountPerEmail: Bool

    /// The maximum age of a login for security-relevant operations.
    ///
    /// The default is 5 minutes.
    public var recentLogin: Duration

    /// The time without use after which an anonymous account may be deleted and its session expires.
    ///
    /// The default is 30 days.
    public var anonymousLifetime: Duration

    /// The maximum number of anonymous accounts that are created in an hour for requests from one network.
    ///
    /// The default is 100.
    public var anonymousPerNetworkAndHour = 100

    /// The lifetime of a pending credential.
    ///
    /// The default is 10 minutes, which is also the maximum.
    public var pendingCredentialLifetime: Duration

    /// Creates a policy.
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
