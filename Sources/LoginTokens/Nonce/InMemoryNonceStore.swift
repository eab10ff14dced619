// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A nonce store in the memory of this process.
///
/// ```swift
/// let nonces = InMemoryNonceStore()
///
/// // When an attempt begins: send the client the nonce, and the secret as a cookie `__Host-attempt`.
/// let secret = Nonce.random()
/// let nonce = try await nonces.issue(purpose: .signIn, binding: NonceBinding(secret: secret))
///
/// // When it ends: `cookie` is the cookie value of the request.
/// let binding = NonceBinding(secret: cookie)
/// let token = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
/// ```
///
/// - **One process.** Other servers do not know the nonces of this one. Behind a load balancer, either route each
///   client to one server, or use a shared ``NonceStore`` of another kind. Within a process, create one store and pass
///   it to every verifier, so that no token is ever checked against two stores.
/// - **A restart** discards all nonces. A user in the middle of a sign-in must begin again. No used nonce becomes
///   usable again, because the store refuses unknown nonces.
/// - **Bounded memory.** A full store issues no nonce until some expire, and throws ``NonceStoreError/full``. It evicts
///   none: otherwise an attacker could end the attempts of all other users by beginning many. Limit how often one
///   client may begin an attempt.
/// - **The clock** may be adjusted. If it is set back, time stands still for the nonces, and no expired nonce becomes
///   valid again.
public final class InMemoryNonceStore: NonceStore {
    private let ledger: Mutex<NonceLedger>
    private let clock: any WallClock

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of stored nonces: pending, used, and recently expired ones while there is
    ///     space.
    ///   - clock: The clock used for nonce expiry. It is read while the store holds a lock, so it must not call the
    ///     store.
    public init(capacity: Int = Limits.storedNonces, clock: any WallClock = .system) {
        precondition(capacity > 0, "capacity must be at least 1")
        self.ledger = Mutex(NonceLedger(capacity: capacity))
        self.clock = clock
    }

    /// Creates a nonce of 128 random bits, and stores its digest.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the nonce.
    ///   - binding: The binding to the client.
    ///   - lifetime: The lifetime of the nonce, within `Limits.nonceLifetime`.
    /// - Returns: The nonce, for the request to the provider.
    /// - Throws: ``NonceStoreError``.
    public func issue(
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Duration
    ) async throws(NonceStoreError) -> String {
        let nonce = Nonce.random()
        let digest = NonceDigest(of: nonce)
        // The clock is read under the lock: readings in another order would look like a clock that was set back.
        try ledger.withLock { ledger throws(NonceStoreError) in
            try ledger.issue(digest, purpose: purpose, binding: binding, lifetime: lifetime, now: clock.now)
        }
        return nonce
    }

    /// Consumes a nonce, once.
    ///
    /// - Parameters:
    ///   - nonce: The digest of the nonce in a verified token.
    ///   - purpose: The purpose for which the token is used.
    ///   - binding: The binding of the client that sent the token.
    /// - Returns: `consumed`, or the reason why the nonce was not consumed.
    public func consume(_ nonce: NonceDigest, purpose: NoncePurpose, binding: NonceBinding) async -> NonceUse {
        ledger.withLock { $0.consume(nonce, purpose: purpose, binding: binding, now: clock.now) }
    }
}

extension InMemoryNonceStore: Redacted {
    /// A fixed text that contains no nonce.
    public var description: String { "nonces in memory" }
}
