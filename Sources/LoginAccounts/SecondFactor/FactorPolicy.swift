// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The policy for second factors.
///
/// The defaults follow NIST SP 800-63B and OWASP ASVS 5 where these specify a value. Change one only for a reason.
public struct FactorPolicy: Sendable {
    /// The maximum number of factors of an account.
    ///
    /// The default is 10.
    public var maximumPerAccount: Int

    /// Whether an account must have a verified e-mail address or a phone number before it gets a factor.
    ///
    /// It makes a user who loses the factor reachable. If false, users who sign in with Limited Login alone can have
    /// factors too.
    public var requiresVerifiedContact = true

    /// The number of past time steps of 30 seconds in which a code is accepted.
    ///
    /// The default is 1, for the transmission delay (RFC 6238 §5.2).
    public var stepsBack = 1

    /// The number of future time steps of 30 seconds in which a code is accepted, for devices whose clock is fast.
    ///
    /// The default is 0.
    public var stepsForward = 0

    /// The lifetime of a sign-in that is pending its second factor.
    ///
    /// The default is 10 minutes.
    public var signInLifetime: Duration = .seconds(600)

    /// The time in which an enrollment must be confirmed.
    ///
    /// The default is 10 minutes.
    public var enrollmentLifetime: Duration = .seconds(600)

    /// The lifetime of a code that was sent.
    ///
    /// The default is 5 minutes. NIST SP 800-63B §5.1.3.2 permits 10 at most.
    public var codeLifetime: Duration = .seconds(300)

    /// The maximum number of attempts per sign-in, per code that was sent, and per session within ``signInLifetime``.
    ///
    /// The default is 5.
    public var attemptsPerSignIn = 5

    /// The number of consecutive failures after which the factors of an account are locked.
    ///
    /// In a session, they sign its device out instead. The default is 10.
    public var failuresBeforeLock = 10

    /// The length of the first lock.
    ///
    /// Each further lock is twice as long, up to a day. The default is 15 minutes.
    public var lock: Duration = .seconds(900)

    /// The maximum number of attempts with second factors in an hour for one account.
    ///
    /// A correct factor does not reset it. The default is 30.
    public var attemptsPerAccountAndHour = 30

    /// The maximum number of attempts in a minute for requests from one network.
    ///
    /// The default is 30.
    public var attemptsPerAddressAndMinute = 30

    /// The maximum number of wrong codes for a number that signs in, in a day, for requests from all networks that its
    /// account does not know; and the same again for those that it knows.
    ///
    /// The default is 20, for sign-ins, links and reauthentications together. A correct code is not counted.
    ///
    /// A code has 10⁶ values, so a year of guesses at one number succeeds with a probability below 1.5 %. Once the
    /// limit is used up, no code for the number is accepted from an unknown network until the day has passed. An
    /// account knows a network as in ``PasswordPolicy/attemptsPerAddressFromKnownNetworks``.
    public var failuresPerNumberAndDay = 20

    /// The prefixes of the numbers to which codes are sent, such as `+49`: `+` and the first digits, in general the
    /// calling code of a country; empty for all numbers.
    ///
    /// The default is empty. Codes to other numbers are refused, except to second factors that are confirmed already:
    /// their users would be locked out. Toll fraud mostly uses countries in which a service has no users.
    public var allowedNumberPrefixes: [String] = []

    /// The minimum interval between two codes to the same number.
    ///
    /// The default is 30 seconds.
    public var resendInterval: Duration = .seconds(30)

    /// The maximum number of codes to one number in an hour, for requests from one network.
    ///
    /// The default is 5.
    ///
    /// Codes for confirmed second factors are counted separately, for requests from all networks.
    public var sendsPerNumberAndHour = 5

    /// The maximum number of codes to one number in an hour, for requests from all networks that its account does not
    /// know; and the same again for those that it knows.
    ///
    /// The default is 25. It is higher, so that an attacker elsewhere does not keep a user from signing in.
    public var sendsPerNumberFromAnywhere = 25

    /// The maximum number of codes to one number in a day, counted like ``sendsPerNumberFromAnywhere``.
    ///
    /// The default is 50. A limit below that of an hour has no effect.
    public var sendsPerNumberAndDay = 50

    /// The maximum number of codes in an hour for requests from one network.
    ///
    /// The default is 20. Codes for confirmed second factors are counted separately.
    public var sendsPerAddressAndHour = 20

    /// The maximum number of codes in an hour for all requests.
    ///
    /// The default is 1000. Codes for confirmed second factors are counted separately. The limit bounds toll fraud with
    /// premium-rate numbers.
    public var sendsPerHour = 1000

    /// The maximum duration of a call of the sender of codes.
    ///
    /// The default is 10 seconds.
    public var sendDeadline: Duration = .seconds(10)

    /// Creates a policy.
    ///
    /// - Parameter maximumPerAccount: The maximum number of factors of an account.
    public init(maximumPerAccount: Int = 10) {
        self.maximumPerAccount = maximumPerAccount
    }

    /// Refuses a number that has none of the allowed prefixes.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed`.
    func check(_ number: PhoneNumber) throws(AuthError) {
        let prefixes = allowedNumberPrefixes
        guard prefixes.isEmpty || prefixes.contains(where: { number.text.hasPrefix($0) }) else {
            throw AuthError(.operationNotAllowed, "the policy allows no codes to numbers of this country")
        }
    }
}
