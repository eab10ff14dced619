// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens
internal import Synchronization

/// A store of attempts in the memory of this process.
///
/// - **One process.** Other servers do not know the attempts of this one: behind a load balancer, either each browser stays with
///   one server, or the servers share an ``AttemptStore`` of another kind.
/// - **A restart** forgets all attempts. A user who was about to log in begins again.
/// - **Memory is bounded.** A full store keeps no further attempt until some expire, and ``AttemptStoreError/full`` says so.
///   It pushes none out: else anyone could end the logins of all others by beginning many. Limit how often one client may begin.
/// - **The clock** may be set. Where it goes back, no time passes for the attempts, and none is revived.
public final class InMemoryAttemptStore: AttemptStore {
    private let ledger: Mutex<SingleUseLedger<SignInAttempt.ID, [UInt8]>>
    private let clock: any WallClock

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of attempts, some KiB each: those under way, those claimed, and those just expired while there is
    ///     room.
    ///   - clock: The clock for expiry checks. It is read under a lock, so it must not call the store.
    public init(capacity: Int = 20_000, clock: any WallClock = .system) {
        precondition(capacity > 0, "a store of attempts has room for one at least")
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
            // The clock is read under the lock: times that arrive in another order would look like a clock that goes back.
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
    /// - Returns: What was encrypted, or the reason why the attempt cannot be claimed.
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
