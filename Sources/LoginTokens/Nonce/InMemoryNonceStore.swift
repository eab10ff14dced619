// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A store of nonces in the memory of this process.
///
/// ```swift
/// let nonces = InMemoryNonceStore()
///
/// // An attempt begins. The client gets both, the secret as a cookie `__Host-attempt`.
/// let secret = Nonce.random()
/// let nonce = try await nonces.issue(purpose: .signIn, binding: NonceBinding(secret: secret))
///
/// // It ends. `cookie` is what the request carries.
/// let binding = NonceBinding(secret: cookie)
/// let token = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
/// ```
///
/// - **One process.** Other servers do not know the nonces of this one: behind a load balancer, either each client stays
///   with one server, or the servers share a ``NonceStore`` of another kind. Two stores that are each asked about the same
///   token must not exist: make one, and give it to every verifier.
/// - **A restart** forgets all nonces. Who was about to sign in begins anew; nothing that was used becomes usable again,
///   for what the store does not know is refused.
/// - **Memory is bounded.** A full store issues no nonce until some expire, and ``NonceStoreError/full`` says so. It pushes
///   none out: else anyone could end the attempts of all others by beginning many. Limit how often one client may begin.
/// - **The clock** may be set. Where it goes back, no time passes for the nonces, and none is revived.
public final class InMemoryNonceStore: NonceStore {
    private let ledger: Mutex<NonceLedger>
    private let clock: any WallClock

    /// An empty store.
    ///
    /// - Parameters:
    ///   - capacity: How many nonces it may hold: those under way, those used, and those just expired while there is room.
    ///   - clock: Who says what time it is. It is asked under a lock, so it must not ask the store.
    public init(capacity: Int = Limits.storedNonces, clock: any WallClock = .system) {
        precondition(capacity > 0, "a store of nonces has room for one at least")
        self.ledger = Mutex(NonceLedger(capacity: capacity))
        self.clock = clock
    }

    /// Makes a nonce of 128 random bits, and remembers its digest.
    ///
    /// - Parameters:
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    ///   - lifetime: How long it may be used, within `Limits.nonceLifetime`.
    /// - Returns: The nonce, for the request to the provider.
    /// - Throws: ``NonceStoreError``.
    public func issue(
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Duration
    ) async throws(NonceStoreError) -> String {
        let nonce = Nonce.random()
        let digest = NonceDigest(of: nonce)
        // The clock is read under the lock: times that arrive in another order would look like a clock that goes back.
        try ledger.withLock { ledger throws(NonceStoreError) in
            try ledger.issue(digest, purpose: purpose, binding: binding, lifetime: lifetime, now: clock.now)
        }
        return nonce
    }

    /// Takes a nonce back, once.
    ///
    /// - Parameters:
    ///   - nonce: The digest of the nonce that a proven token carries.
    ///   - purpose: What the token is used for.
    ///   - binding: Who sent it.
    /// - Returns: Whether it was consumed now, or why not.
    public func consume(_ nonce: NonceDigest, purpose: NoncePurpose, binding: NonceBinding) async -> NonceUse {
        ledger.withLock { $0.consume(nonce, purpose: purpose, binding: binding, now: clock.now) }
    }
}

extension InMemoryNonceStore: Redacted {
    /// A fixed text, without the nonces.
    public var description: String { "nonces in memory" }
}
