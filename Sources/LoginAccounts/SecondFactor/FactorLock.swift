// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The lock of an account's second factors after failures: decided on what was counted.
enum FactorLock {
    /// The maximum length of a lock.
    static let longest = Duration.seconds(86400)

    /// The length of a lock: each is twice as long as the one before.
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
    /// The refusal while the factors of the account are locked; nil if they are not.
    func factorLock(at now: StoreTime) -> AuthError? {
        guard let until = factorLockedUntil, until > now else { return nil }
        let wait = Duration.milliseconds(until.milliseconds - now.milliseconds)
        return AuthError(.tooManyRequests(retryAfter: wait), "too many second factors in a row were wrong")
    }

    /// The account after a second factor was correct, or after its factors were removed: earlier failures no longer count.
    var withoutFactorFailures: Self {
        var account = self
        (account.factorFailures, account.factorLocks, account.factorLockedUntil) = (0, 0, nil)
        return account
    }

    /// The account after a failure that was counted, if it locks the factors; nil if there are attempts left.
    func lockedAfterFailure(_ policy: FactorPolicy, at now: StoreTime) -> Self? {
        guard factorFailures >= Int64(policy.failuresBeforeLock) else { return nil }
        var account = self
        account.factorFailures = 0
        account.factorLocks = factorLocks &+ 1
        account.factorLockedUntil = now + FactorLock.duration(after: factorLocks, first: policy.lock)
        return account
    }
}
