// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginProviders
public import LoginTokens

/// Accounts and sessions: sign-in, linking, second factors, and the sessions of each account.
///
/// ```swift
/// let auth = Auth(store: store, providers: providers, secrets: secrets)
///
/// // The app gets the token, and passes the nonce to the provider.
/// let attempt = try await auth.begin(.signIn, with: .facebook)
///
/// // The attempt is completed once, with the ID token that the provider issued.
/// let result = try await auth.signIn(with: .idToken(jwt, attempt: attempt.token))
/// print(result.account.id, result.tokens.sessionToken)
/// ```
///
/// The value holds the configuration: create one and pass it on. All state is in the store, which any number of servers
/// may share. `SignInProviders.apply(_:)` switches providers off and on while it is in use.
public struct Auth: Sendable {
    /// The parts of the value.
    private struct Parts: Sendable {
        let store: any AccountStore
        let providers: SignInProviders
        let mail: (any EmailSender)?
        let secrets: AccountSecrets
        let phoneCodes: (any PhoneCodeSender)?
        let allowsPhoneSignIn: Bool
        let clock: any WallClock
        let broadcaster = EventBroadcaster()
        let exports = SinglePlace()
        let deletions = SinglePlace()
        var policy: AuthPolicy
        var onUnusableClaim: (@Sendable (UnusableClaim) -> Void)? = nil
        var hooks: AnyAuthHooks? = nil
        var passwordHashing: PasswordHashingQueue
        #if DEBUG
        var gap: (@Sendable (AuthGap) -> Void)? = nil
        #endif
    }

    /// The parts in one place, because every session and every context of a request contains the value.
    private final class Shared: Sendable {
        let parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private var shared: Shared

    private mutating func change(_ body: (inout Parts) -> Void) {
        var parts = shared.parts
        body(&parts)
        shared = Shared(parts)
    }

    /// The store.
    public var store: any AccountStore { shared.parts.store }

    /// The identity providers.
    public var providers: SignInProviders { shared.parts.providers }

    /// The sender of e-mail messages; nil if passwords are not offered.
    var mail: (any EmailSender)? { shared.parts.mail }

    /// The encryption and HMAC keys of stored secrets and tokens.
    package var secrets: AccountSecrets { shared.parts.secrets }

    /// The policies for linking, sessions, passwords and factors.
    package internal(set) var policy: AuthPolicy {
        get { shared.parts.policy }
        set { change { $0.policy = newValue } }
    }

    /// A closure that is called for each claim of a verified login that the account cannot use, such as an e-mail address
    /// that cannot be stored; nil, the default, for none.
    ///
    /// It must not block. `LoginService` sets it to log each claim, unless it is set.
    public var onUnusableClaim: (@Sendable (UnusableClaim) -> Void)? {
        get { shared.parts.onUnusableClaim }
        set { change { $0.onUnusableClaim = newValue } }
    }

    /// The sender of codes to phones; nil if phones are not offered.
    var phoneCodes: (any PhoneCodeSender)? { shared.parts.phoneCodes }

    /// Whether users can sign in with a phone number.
    var allowsPhoneSignIn: Bool { shared.parts.allowsPhoneSignIn }

    /// The clock for expiry checks.
    package var clock: any WallClock { shared.parts.clock }

    /// The application's part of transactions; nil if it has none.
    var hooks: AnyAuthHooks? {
        get { shared.parts.hooks }
        set { change { $0.hooks = newValue } }
    }

    /// The queue in which passwords are hashed.
    var passwordHashing: PasswordHashingQueue {
        get { shared.parts.passwordHashing }
        set { change { $0.passwordHashing = newValue } }
    }

    /// The subscribers to events in this process.
    var broadcaster: EventBroadcaster { shared.parts.broadcaster }

    /// The place of the export of personal data that this process makes.
    var exports: SinglePlace { shared.parts.exports }

    /// The places of the deletions of accounts that this process carries out, one for each account.
    var deletions: SinglePlace { shared.parts.deletions }

    #if DEBUG
    /// Called at each gap, so that a test can interleave another transaction; absent from release builds.
    package var gap: (@Sendable (AuthGap) -> Void)? {
        get { shared.parts.gap }
        set { change { $0.gap = newValue } }
    }
    #endif

    /// Creates accounts on a store.
    ///
    /// - Parameters:
    ///   - store: The store. It must have been migrated.
    ///   - providers: The identity providers.
    ///   - secrets: The encryption and HMAC keys; the same on every server.
    ///   - policy: The policies for linking, sessions, passwords and factors.
    ///   - mail: The sender of messages, with which users sign in by e-mail address and password; nil for no passwords.
    ///   - phoneCodes: The sender of codes, which makes phones second factors; nil for no phones.
    ///   - allowsPhoneSignIn: Whether a code sent to a phone signs in by itself. A number can get another owner, and
    ///     codes can be redirected: NIST SP 800-63B §5.1.3.3 calls phones restricted, so offer another way too.
    ///   - clock: The clock for expiry checks.
    public init(
        store: any AccountStore,
        providers: SignInProviders,
        secrets: AccountSecrets,
        policy: AuthPolicy = AuthPolicy(),
        mail: (any EmailSender)? = nil,
        phoneCodes: (any PhoneCodeSender)? = nil,
        allowsPhoneSignIn: Bool = false,
        clock: any WallClock = .system
    ) {
        shared = Shared(
            Parts(
                store: store,
                providers: providers,
                mail: mail,
                secrets: secrets,
                phoneCodes: phoneCodes,
                allowsPhoneSignIn: allowsPhoneSignIn,
                clock: clock,
                policy: policy,
                passwordHashing: PasswordHashingQueue(policy.passwords)
            )
        )
    }

    /// Creates accounts with hooks: the application's own rows are written in the transactions of sign-ins, links and
    /// merges.
    ///
    /// - Parameters:
    ///   - store: The store. It must have been migrated.
    ///   - providers: The identity providers.
    ///   - secrets: The encryption and HMAC keys; the same on every server.
    ///   - policy: The policies.
    ///   - mail: The sender of messages, with which users sign in by e-mail address and password; nil for no passwords.
    ///   - phoneCodes: The sender of codes to phones; nil to send none.
    ///   - allowsPhoneSignIn: Whether a code sent to a phone signs in by itself.
    ///   - clock: The clock for expiry checks.
    ///   - hooks: The hooks, for the transactions of this store.
    public init<Store: AccountStore>(
        store: Store,
        providers: SignInProviders,
        secrets: AccountSecrets,
        policy: AuthPolicy = AuthPolicy(),
        mail: (any EmailSender)? = nil,
        phoneCodes: (any PhoneCodeSender)? = nil,
        allowsPhoneSignIn: Bool = false,
        clock: any WallClock = .system,
        hooks: AuthHooks<Store.Transaction>
    ) {
        self.init(
            store: store,
            providers: providers,
            secrets: secrets,
            policy: policy,
            mail: mail,
            phoneCodes: phoneCodes,
            allowsPhoneSignIn: allowsPhoneSignIn,
            clock: clock
        )
        self.hooks = AnyAuthHooks(hooks)
    }

    /// The providers and credentials that users can sign in with now.
    public var providerIDs: Set<ProviderID> {
        Set(providers.enabled.map(\.id) + [.password, .phone].filter(allows))
    }

    /// Whether codes can be sent to phones, which makes phones second factors.
    package var sendsPhoneCodes: Bool { phoneCodes != nil }

    /// Whether users can sign in with this provider or credential now.
    package func allows(_ id: ProviderID) -> Bool {
        switch id {
        case .password: mail != nil && providers.isEnabled(id)
        case .phone: allowsPhoneSignIn && phoneCodes != nil && providers.isEnabled(id)
        default: providers.entry(id) != nil
        }
    }
}

extension Auth {
    /// The maximum number of attempts for a transaction that conflicts.
    private static let maximumAttempts = 5

    /// The time after which a conflicting transaction is not retried; each attempt may take ten seconds itself.
    private static let retryTimeout = Duration.seconds(15)

    /// Runs `body` as one transaction, and retries it after a conflict.
    ///
    /// - Throws: Rethrows `AuthError` of `body`; ``AuthError``: `conflict-retry`, `store-unavailable` or
    ///   `internal-error` for errors of the store.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (TransactionSteps) throws -> Value
    ) async throws(AuthError) -> Value {
        try await run(.write, body)
    }

    /// Runs `body` on one snapshot of the store, without a lock and without writes.
    ///
    /// - Throws: The errors of ``transaction(_:)``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (TransactionSteps) throws -> Value
    ) async throws(AuthError) -> Value {
        try await run(.read, body)
    }

    /// Runs `body`, which reads with one statement.
    ///
    /// - Throws: The errors of ``transaction(_:)``.
    func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (TransactionSteps) throws -> Value
    ) async throws(AuthError) -> Value {
        try await run(.readOnce, body)
    }

    private enum Access {
        case write, read, readOnce
    }

    private func run<Value: Sendable>(
        _ access: Access,
        _ body: @escaping @Sendable (TransactionSteps) throws -> Value
    ) async throws(AuthError) -> Value {
        var attempt = 1
        let end = ContinuousClock.now + Self.retryTimeout
        while true {
            do {
                let run: @Sendable (any StoreTransaction) throws -> (Value, [AuthEvent]) = { rows in
                    let transaction = TransactionSteps(rows, auth: self, now: StoreTime(clock.now))
                    return (try body(transaction), transaction.context.events)
                }
                let (value, events) =
                    switch access {
                    case .write: try await store.transaction(run)
                    case .read: try await store.read(run)
                    case .readOnce: try await store.readOnce(run)
                    }
                broadcaster.publish(events)
                return value
            } catch let error as AuthError {
                throw error
            } catch let replay as Replay {
                await record(replay)
                throw replay.error
            } catch let error as StoreError
                where error.code == .busy && attempt < Self.maximumAttempts && ContinuousClock.now < end
                && !Task.isCancelled
            {
                // Jitter: transactions that conflicted would otherwise conflict again.
                let jitter = Int64(randomBytes(count: 1)[0]) * Int64(attempt)
                try? await Task.sleep(for: .microseconds(100 * jitter))
                attempt += 1
            } catch let error as StoreError {
                throw AuthError(error)
            } catch {
                throw AuthError(.internalError, "the transaction threw \(type(of: error))")
            }
        }
    }
}

extension Auth {
    /// Runs `body` as one transaction that is committed even if it ends with a refusal.
    ///
    /// - Throws: The refusal, after the writes are committed; or what ``transaction(_:)`` throws.
    func commit<Value: Sendable>(
        _ body: @escaping @Sendable (TransactionSteps) throws -> TransactionEnding<Value>
    ) async throws(AuthError) -> Value {
        try await transaction(body).get()
    }

    /// Records a replay, after the transaction was rolled back.
    ///
    /// It is recorded once, however often the same token is presented again: otherwise the holder of a used token could
    /// fill the audit. If it cannot be recorded, the response is the same.
    private func record(_ replay: Replay) async {
        let now = StoreTime(clock.now)
        let events = try? await store.transaction { rows in
            let transaction = TransactionSteps(rows, auth: self, now: now)
            try transaction.credentialUse.record(replay)
            return transaction.context.events
        }
        broadcaster.publish(events ?? [])
    }
}

extension AuthError {
    init(_ error: StoreError) {
        let reason: Reason =
            switch error.code {
            case .busy: .conflictRetry
            case .unavailable: .storeUnavailable
            default: .internalError
            }
        self.init(reason, error.description)
    }
}

/// A point between a transaction's reads and its writes where a test can interleave another transaction.
package enum AuthGap: String, Sendable, CaseIterable {
    case signInBeforeAccount, linkBeforeIdentity, unlinkBeforeDelete, mergeBeforeMove, factorBeforeUse,
        recoveryBeforeUse, refreshBeforeRotation, sessionBeforeTouch, closeBeforeEpoch, deleteBeforeRemoval,
        attemptBeforeUse, attemptBeforeClaim, challengeBeforeUse, tweakBeforeWrite, relinkBeforeKey
}
