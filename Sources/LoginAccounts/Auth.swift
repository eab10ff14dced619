// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginProviders
public import LoginTokens

/// Accounts and sessions: says whose account it is, and whether they are still signed in.
///
/// ```swift
/// let auth = Auth(store: store, providers: [.federated(.facebook(verifier: verifier))], secrets: secrets)
///
/// // An attempt begins. The app gets the token, and has the nonce signed by the provider.
/// let attempt = try await auth.begin(.signIn, with: .facebook)
///
/// // It ends, once.
/// let result = try await auth.signIn(with: .idToken(jwt, attempt: attempt.token))
/// print(result.account.id, result.tokens.sessionToken)
/// ```
///
/// A value that holds what is configured; make one and pass it on. All that is remembered is in the store, so any number of
/// servers may share one. Only the providers may be replaced while it is in use, by ``replaceProviders(_:)``.
public struct Auth: Sendable {
    /// Where everything is kept.
    public let store: any AccountStore

    /// Who vouches for people: one table for all copies of this value, since it may be replaced.
    private let providerTable: ProviderTable

    /// Who vouches for people now, by name.
    var providers: [ProviderID: AuthProvider] { providerTable.current }

    /// The keys that close what is kept.
    package let secrets: AccountSecrets

    /// What is allowed, and for how long.
    package internal(set) var policy: AuthPolicy

    /// Who sends codes to phones; nil where none are sent.
    let phoneCodes: (any PhoneCodeSender)?

    /// Who says what time it is.
    let clock: any WallClock

    /// The application's part of transactions; nil if it has none.
    var hooks: AnyAuthHooks?

    /// The queue in which passwords are hashed.
    var passwordHashing: PasswordHashingQueue

    /// Those in this process who listen.
    let broadcaster = EventBroadcaster()

    #if DEBUG
    /// Called where a race could happen, so that a test can hold the gap open.
    ///
    /// There is none in release builds.
    package var gap: (@Sendable (AuthGap) -> Void)?
    #endif

    /// Accounts.
    ///
    /// - Parameters:
    ///   - store: Where everything is kept. It must have been migrated.
    ///   - providers: Who vouches for people, each under another name of 1 … 64 bytes.
    ///   - secrets: The keys that close what is kept; the same on every server.
    ///   - policy: What is allowed, and for how long.
    ///   - phoneCodes: Who sends codes to phones; nil to send none.
    ///   - clock: Who says what time it is.
    public init(
        store: any AccountStore,
        providers: [AuthProvider],
        secrets: AccountSecrets,
        policy: AuthPolicy = AuthPolicy(),
        phoneCodes: (any PhoneCodeSender)? = nil,
        clock: any WallClock = .system
    ) {
        self.store = store
        providerTable = ProviderTable(providers)
        self.secrets = secrets
        self.policy = policy
        passwordHashing = PasswordHashingQueue(policy.passwords)
        self.phoneCodes = phoneCodes
        self.clock = clock
    }

    /// Creates accounts with hooks: the application's own rows are written in the transactions of sign-ins and merges.
    ///
    /// - Parameters:
    ///   - store: The store. It must have been migrated.
    ///   - providers: The providers, each with a name of its own of 1 to 64 bytes.
    ///   - secrets: The keys; the same on every server.
    ///   - policy: The policies.
    ///   - phoneCodes: The sender of codes to phones; nil to send none.
    ///   - clock: The clock.
    ///   - hooks: The hooks, for the transactions of this store.
    public init<Store: AccountStore>(
        store: Store,
        providers: [AuthProvider],
        secrets: AccountSecrets,
        policy: AuthPolicy = AuthPolicy(),
        phoneCodes: (any PhoneCodeSender)? = nil,
        clock: any WallClock = .system,
        hooks: AuthHooks<Store.Transaction>
    ) {
        self.init(
            store: store,
            providers: providers,
            secrets: secrets,
            policy: policy,
            phoneCodes: phoneCodes,
            clock: clock
        )
        self.hooks = AnyAuthHooks(hooks)
    }

    /// Has others vouch for people from now on, or the same on other terms; for all copies of this value.
    ///
    /// Each request finds either those of before or those that are given here, and goes on with the one that it has found. What was
    /// kept stays: who has a login of a provider that is gone signs in with another, and has this one again when the provider is back.
    ///
    /// - Parameter providers: All who vouch for people now, each under another name of 1 … 64 bytes.
    public func replaceProviders(_ providers: [AuthProvider]) {
        providerTable.replace(with: providers)
    }

    /// Who vouches for people now, by name.
    public var providerIDs: Set<ProviderID> { Set(providers.keys) }
}

extension Auth {
    /// How often a transaction is tried that others were faster than.
    private static let tries = 5

    /// How long it is tried again; each time may take ten seconds itself.
    private static let patience = Duration.seconds(15)

    /// Runs `body` as one transaction, again where others were faster.
    ///
    /// - Throws: What `body` throws, as ``AuthError``; `conflict-retry`, `store-unavailable` or `internal-error` where the
    ///   store does not do it. No error of a database comes through.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (AccountTransaction) throws -> Value
    ) async throws(AuthError) -> Value {
        try await run(isReading: false, body)
    }

    /// Runs `body` on the rows as they are at one moment: it takes no lock, and writes nothing.
    ///
    /// - Throws: As ``transaction(_:)``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (AccountTransaction) throws -> Value
    ) async throws(AuthError) -> Value {
        try await run(isReading: true, body)
    }

    private func run<Value: Sendable>(
        isReading: Bool,
        _ body: @escaping @Sendable (AccountTransaction) throws -> Value
    ) async throws(AuthError) -> Value {
        var attempt = 1
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                let run: @Sendable (any StoreTransaction) throws -> (Value, [AuthEvent]) = { rows in
                    let transaction = AccountTransaction(rows, auth: self, now: StoreTime(clock.now))
                    return (try body(transaction), transaction.events)
                }
                let (value, events) = try await isReading ? store.read(run) : store.transaction(run)
                broadcaster.publish(events)
                return value
            } catch let error as AuthError {
                if let afterwards = error.afterwards { try await undone(afterwards) }
                throw error
            } catch let error as StoreError
                where error.code == .busy && attempt < Self.tries && ContinuousClock.now < end && !Task.isCancelled
            {
                // Who lost together would otherwise lose together again.
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
    /// Runs `body` as one transaction that is kept even where it ends with a refusal.
    ///
    /// - Throws: The failure that `body` returned, once all it wrote is kept; or what ``transaction(_:)`` throws.
    func settle<Value: Sendable>(
        _ body: @escaping @Sendable (AccountTransaction) throws -> Result<Value, AuthError>
    ) async throws(AuthError) -> Value {
        try await transaction(body).get()
    }

    /// Writes what a refusal leaves; that it could not is no reason to answer otherwise.
    private func undone(_ body: @escaping @Sendable (AccountTransaction) throws -> Void) async throws(AuthError) {
        let now = StoreTime(clock.now)
        let events = try? await store.transaction { rows in
            let transaction = AccountTransaction(rows, auth: self, now: now)
            try body(transaction)
            return transaction.events
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

/// A place where a race could happen: between what a transaction has read and what it writes.
package enum AuthGap: String, Sendable, CaseIterable {
    case signInBeforeAccount, linkBeforeIdentity, unlinkBeforeDelete, mergeBeforeMove, factorBeforeUse,
        recoveryBeforeUse, refreshBeforeRotation, sessionBeforeTouch, closeBeforeEpoch,
        attemptBeforeUse, challengeBeforeUse, browserAttemptBeforeUse, tweakBeforeWrite
}

extension AccountTransaction {
    /// Says that a race could happen here.
    func pause(at gap: AuthGap) {
        #if DEBUG
        auth.gap?(gap)
        #endif
    }
}
