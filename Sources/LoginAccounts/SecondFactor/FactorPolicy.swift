// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// How second factors are asked for.
///
/// The defaults are those of NIST SP 800-63B and OWASP ASVS 5 where they name a number; change what you have a reason for.
public struct FactorPolicy: Sendable {
    /// How many factors an account may have: 10 unless said otherwise.
    public var maximumPerAccount: Int

    /// Whether an account must have a proven e-mail address or phone number before it gets a factor.
    ///
    /// Who loses the factor can be reached then. Without it, people who sign in with Limited Login alone can have factors too.
    public var requiresVerifiedContact = true

    /// How many steps of 30 seconds a code of an app may be old: 1, for the way that it has to travel (RFC 6238 §5.2).
    public var stepsBack = 1

    /// How many steps of 30 seconds a code may be early, for clocks that are fast: none.
    public var stepsForward = 0

    /// How long the second factor is waited for, once the first was right.
    public var signInLifetime: Duration = .seconds(600)

    /// How long a factor waits to be confirmed.
    public var enrollmentLifetime: Duration = .seconds(600)

    /// For how long a code that was sent is good: 5 minutes; no more than 10 (NIST SP 800-63B §5.1.3.2).
    public var codeLifetime: Duration = .seconds(300)

    /// How many codes are looked at in one sign-in, and of one that was sent.
    public var attemptsPerSignIn = 5

    /// After how many wrong factors in a row none is looked at for a while; so many in one session sign its device out instead.
    public var failuresBeforeLock = 10

    /// For how long the first time; each further time it is twice as long, up to a day.
    public var lock: Duration = .seconds(900)

    /// How many factors are looked at in an hour, of one account; one that is right in between does not give them back.
    public var attemptsPerAccountAndHour = 30

    /// How many factors are looked at in a minute, from one network.
    public var attemptsPerAddressAndMinute = 30

    /// After how long a code may be sent to the same number again.
    public var resendInterval: Duration = .seconds(30)

    /// How many codes are sent to one number in an hour, for requests from one network; those of second factors that count are counted
    /// apart.
    public var sendsPerNumberAndHour = 5

    /// How many codes are sent to one number in an hour at all: more, so that a stranger elsewhere keeps nobody from signing in.
    public var sendsPerNumberFromAnywhere = 25

    /// How many codes are sent in an hour for requests from one network.
    public var sendsPerAddressAndHour = 20

    /// How many codes are sent in an hour at all, those of second factors that count apart: numbers that cost whoever calls them are somebody's income.
    public var sendsPerHour = 1000

    /// How long a sender of codes may take.
    public var sendDeadline: Duration = .seconds(10)

    /// A policy.
    ///
    /// - Parameter maximumPerAccount: How many factors an account may have.
    public init(maximumPerAccount: Int = 10) {
        self.maximumPerAccount = maximumPerAccount
    }
}
