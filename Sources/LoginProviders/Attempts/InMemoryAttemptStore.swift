// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A store of attempts in the memory of this process.
///
/// - **One process.** Other servers do not know the attempts of this one. Behind a load balancer, use sticky sessions
///   or a shared ``AttemptStore``.
/// - **A restart** deletes all attempts. Users begin their logins again.
/// - **Memory is bounded.** A full store throws ``AttemptStoreError/full`` until attempts expire. It evicts none;
///   otherwise anyone could end all other logins by beginning many. Rate-limit the begin of logins per client.
/// - **The clock** may be adjusted. If it goes back, no time passes for the attempts, and none is revived.
public final class InMemoryAttemptStore: AttemptStore {
    private let ledger: Mutex<SingleUseLedger<SignInAttempt.ID, [UInt8]>>
    private let clock: any WallClock

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of attempts, some KiB each. Pending and claimed attempts count, and expired
    ///     ones until their memory is needed.
    ///   - clock: The clock for expiry checks. It is read under a lock, so it must not call the store.
    public init(capacity: Int = 20_000, clock: any WallClock = .system) {
        precondition(capacity > 0, "capacity must be at least 1")
        self.ledger = Mutex(SingleUseLedger(capacity: capacity))
        self.clock = clock
    }

    /// Stores an attempt until its lifetime has passed.
    ///
    /// - Parameter attempt: The attempt.
    /// - Throws: ``AttemptStoreError``.
    public func insert(_ attempt: SignInAttempt) async throws(AttemptStoreError) {
        typealias Fault = SingleUseLedger<SignInAttempt.ID, [UInt8]>.Fault
        do throws(Fault) {
            // The clock is read under the lock. Out-of-order times would look like a clock that goes back.
            try ledger.withLock { ledger throws(Fault) in
                try ledger.enter(
                    attempt.id,
                    content: attempt.sealed,
                    purpose: attempt.purpose,
                    binding: attempt.binding,
                    lifetime: attempt.lifetime,
                    now: clock.now
                )
            }
        } catch {
            switch error {
            case .known: throw .known
            case .full: throw .full
            case .lifetime: throw .lifetime
            }
        }
    }

    /// Claims an attempt, once.
    ///
    /// - Parameters:
    ///   - id: The ID of the attempt.
    ///   - purpose: The purpose of the current request.
    ///   - binding: The browser of the current request.
    /// - Returns: The encrypted content, or the reason why the attempt cannot be claimed.
    public func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async -> AttemptClaim {
        let use = ledger.withLock { $0.use(id, purpose: purpose, binding: binding, now: clock.now) }
        return switch use {
        case .used(let sealed): .claimed(sealed: sealed)
        case .replayed: .replayed
        case .expired: .expired
        case .startedElsewhere: .startedElsewhere
        case .unknown: .unknown
        }
    }
}

extension InMemoryAttemptStore: Redacted {
    /// A fixed text, without the attempts.
    public var description: String { "attempts in memory" }
}
