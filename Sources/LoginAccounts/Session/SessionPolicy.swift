// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The lifetimes of sessions.
///
/// A session of an anonymous account expires ``LinkPolicy/anonymousLifetime`` after its last use if that is longer than
/// ``idle``, and has no maximum age, because its user cannot sign in again.
public struct SessionPolicy: Sendable {
    /// The time without use after which a session expires.
    public var idle: Duration

    /// The maximum age of a session.
    public var absolute: Duration

    /// The time without use after which a session loses level 2.
    ///
    /// The session stays open, and a second factor restores the level.
    public var secondFactorIdle: Duration

    /// The time after the second factor at which a session loses level 2 in any case.
    public var secondFactorAbsolute: Duration

    /// The lifetime of a session token, after which it must be refreshed; nil for the lifetime of the session.
    ///
    /// The actual lifetime varies by 5 % either way, so that tokens which were issued together do not expire together.
    public var tokenLifetime: Duration?

    /// The time for which the previous tokens stay valid after a refresh.
    ///
    /// The previous refresh token returns the same new tokens.
    public var refreshGrace: Duration

    /// The maximum number of sessions of an account.
    ///
    /// If there are more, the oldest is closed.
    public var maximumPerAccount: Int

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - idle: The time without use after which a session expires. The default is 14 days.
    ///   - absolute: The maximum age of a session. The default is 30 days.
    ///   - secondFactorIdle: The time without use after which a session loses level 2. The default is 1 hour.
    ///   - secondFactorAbsolute: The time after the second factor at which a session loses level 2 in any case. The
    ///     default is 24 hours.
    ///   - tokenLifetime: The lifetime of a session token; nil for the lifetime of the session.
    ///   - refreshGrace: The time for which the previous tokens stay valid after a refresh. The default is 30 seconds.
    ///   - maximumPerAccount: The maximum number of sessions of an account, 1 or more. The default is 100.
    public init(
        idle: Duration = .seconds(14 * 86400),
        absolute: Duration = .seconds(30 * 86400),
        secondFactorIdle: Duration = .seconds(3600),
        secondFactorAbsolute: Duration = .seconds(86400),
        tokenLifetime: Duration? = nil,
        refreshGrace: Duration = .seconds(30),
        maximumPerAccount: Int = 100
    ) {
        precondition(maximumPerAccount >= 1, "maximumPerAccount must be at least 1")
        self.idle = idle
        self.absolute = absolute
        self.secondFactorIdle = secondFactorIdle
        self.secondFactorAbsolute = secondFactorAbsolute
        self.tokenLifetime = tokenLifetime
        self.refreshGrace = refreshGrace
        self.maximumPerAccount = maximumPerAccount
    }

    /// The policy for consumer services: 30 days, or 14 days without use.
    ///
    /// NIST SP 800-63B-3 §4.1.3 requires reauthentication at least every 30 days at AAL1.
    public static let consumer = Self()

    /// The policy for AAL2: 12 hours, or 30 minutes without use (NIST SP 800-63B-3 §4.2.3).
    public static let aal2 = Self(
        idle: .seconds(1800),
        absolute: .seconds(12 * 3600),
        secondFactorIdle: .seconds(1800),
        secondFactorAbsolute: .seconds(12 * 3600)
    )

    /// The policy for AAL3: 12 hours, or 15 minutes without use (NIST SP 800-63B-3 §4.3.3).
    ///
    /// AAL3 also requires authenticators of that level; this policy only sets the lifetimes.
    public static let aal3 = Self(
        idle: .seconds(900),
        absolute: .seconds(12 * 3600),
        secondFactorIdle: .seconds(900),
        secondFactorAbsolute: .seconds(12 * 3600)
    )
}
