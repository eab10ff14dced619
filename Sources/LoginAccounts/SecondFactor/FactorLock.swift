// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The lock of an account's second factors after failures.
enum FactorLock {
    /// The maximum length of a lock.
    static let longest = Duration.seconds(86400)

    /// Returns the length of a lock.
    ///
    /// Each is twice as long as the previous one.
    ///
    /// - Parameters:
    ///   - locks: The number of consecutive locks before.
    ///   - first: The length of the first.
    /// - Returns: The length of this one.
    static func duration(after locks: Int64, first: Duration) -> Duration {
        var duration = min(first, longest)
        for _ in 0..<min(max(locks, 0), 20) { duration = min(duration + duration, longest) }
        return duration
    }
}

extension AccountRecord {
    /// Returns the refusal while the factors of the account are locked; nil if they are not.
    func factorLock(at now: StoreTime) -> AuthError? {
        // A lock that ends later was written by a server whose clock was ahead.
        let latest = StoreTime.latestCreation(now) + FactorLock.longest
        guard let until = factorLockedUntil, until > now, until <= latest else { return nil }
        let wait = Duration.milliseconds(until.milliseconds - now.milliseconds)
        return AuthError(.tooManyRequests(retryAfter: wait), "too many second factors in a row were wrong")
    }

    /// The account with its failures reset, after a second factor was correct or its factors were removed.
    var withoutFactorFailures: Self {
        var account = self
        (account.factorFailures, account.factorLocks, account.factorLockedUntil) = (0, 0, nil)
        return account
    }

    /// Returns the account with its factors locked, if a counted failure was the last one permitted; nil if attempts
    /// are left.
    func lockedAfterFailure(_ policy: FactorPolicy, at now: StoreTime) -> Self? {
        guard factorFailures >= Int64(policy.failuresBeforeLock) else { return nil }
        var account = self
        account.factorFailures = 0
        account.factorLocks = factorLocks &+ 1
        account.factorLockedUntil = now + FactorLock.duration(after: factorLocks, first: policy.lock)
        return account
    }
}
