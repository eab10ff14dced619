// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// How long sessions last.
///
/// A guest's, of an anonymous account, lasts since its last use for as long as ``LinkPolicy/anonymousLifetime`` says, where that is
/// longer than ``idle``, and has no other end: there is nobody who could sign in again.
public struct SessionPolicy: Sendable {
    /// After how long without use a session ends.
    public var idle: Duration

    /// After how long a session ends in any case.
    public var absolute: Duration

    /// After how long without use a session is no longer of level 2.
    ///
    /// It stays open, and the second factor brings it back.
    public var secondFactorIdle: Duration

    /// After how long a session is no longer of level 2 in any case.
    public var secondFactorAbsolute: Duration

    /// How long a session token lasts before it has to be refreshed; if nil, as long as the session.
    ///
    /// To within 5 % either way, so that the clients of one morning do not all come back at once.
    public var tokenLifetime: Duration?

    /// For how long the tokens before the last refresh are still answered: the refresh token with the same new ones.
    public var refreshGrace: Duration

    /// How many sessions an account may have; beyond that the oldest is closed.
    public var maximumPerAccount: Int

    /// A policy.
    ///
    /// - Parameters:
    ///   - idle: After how long without use a session ends: 14 days unless said otherwise.
    ///   - absolute: After how long a session ends in any case: 30 days unless said otherwise.
    ///   - secondFactorIdle: After how long without use a session is no longer of level 2: 1 hour unless said otherwise.
    ///   - secondFactorAbsolute: After how long it is not in any case: 24 hours unless said otherwise.
    ///   - tokenLifetime: How long a session token lasts before it has to be refreshed; if nil, as long as the session.
    ///   - refreshGrace: For how long the tokens before are still answered: 30 seconds unless said otherwise.
    ///   - maximumPerAccount: How many sessions an account may have; 1 or more.
    public init(
        idle: Duration = .seconds(14 * 86400),
        absolute: Duration = .seconds(30 * 86400),
        secondFactorIdle: Duration = .seconds(3600),
        secondFactorAbsolute: Duration = .seconds(86400),
        tokenLifetime: Duration? = nil,
        refreshGrace: Duration = .seconds(30),
        maximumPerAccount: Int = 100
    ) {
        precondition(maximumPerAccount >= 1, "an account may have one session at least")
        self.idle = idle
        self.absolute = absolute
        self.secondFactorIdle = secondFactorIdle
        self.secondFactorAbsolute = secondFactorAbsolute
        self.tokenLifetime = tokenLifetime
        self.refreshGrace = refreshGrace
        self.maximumPerAccount = maximumPerAccount
    }

    /// For services that people use for years: 30 days, 14 without use.
    ///
    /// NIST SP 800-63B-3 §4.1.3 asks for 30 days at most at its first level.
    public static let consumer = Self()

    /// 12 hours, 30 minutes without use: NIST SP 800-63B-3 §4.2.3, for its second level.
    public static let aal2 = Self(
        idle: .seconds(1800),
        absolute: .seconds(12 * 3600),
        secondFactorIdle: .seconds(1800),
        secondFactorAbsolute: .seconds(12 * 3600)
    )

    /// 12 hours, 15 minutes without use: NIST SP 800-63B-3 §4.3.3, for its third level.
    ///
    /// What people prove themselves with must be of that level too; this says only how long it is believed.
    public static let aal3 = Self(
        idle: .seconds(900),
        absolute: .seconds(12 * 3600),
        secondFactorIdle: .seconds(900),
        secondFactorAbsolute: .seconds(12 * 3600)
    )
}
