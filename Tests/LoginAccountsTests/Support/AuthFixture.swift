// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginCrypto
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Accounts with providers that sign real tokens, and a clock that a test advances; a test only sets what it is about.
///
/// ```swift
/// let fixture = try await AuthFixture(store)
/// let ada = try await fixture.signIn(as: "ada", with: .google)
/// ```
///
/// Google and Apple are trusted when they call an address verified, Facebook is not; Apple's apps hash their nonces.
struct AuthFixture: Sendable {
    let store: any AccountStore

    /// The store of another server: the same database, through a separate object if the test asks for it.
    let otherStore: any AccountStore

    let clock: ManualClock
    let google: TestIssuer
    let apple: TestIssuer
    let facebook: TestIssuer

    let mail: CapturedMail

    /// The codes sent to phones.
    let codes = CapturedCodes()

    /// The accounts under test, which a test may reconfigure.
    var auth: Auth

    /// A provider whose tokens carry no nonce.
    static let bare = ProviderID("bare")

    static let secrets = AccountSecrets(repeating: 7)

    init(
        _ store: any AccountStore,
        other otherStore: (any AccountStore)? = nil,
        policy: AuthPolicy = AuthPolicy(),
        clock: ManualClock = ManualClock(),
        keys: (any KeySource)? = nil,
        transport: any HTTPTransport = StubTransport(),
        mail: (any EmailSender)? = CapturedMail(),
        allowsPhoneSignIn: Bool = true,
        providers change: (inout [SignInProvider]) throws -> Void = { _ in }
    ) async throws {
        self.store = store
        self.otherStore = otherStore ?? store
        self.clock = clock
        google = TestIssuer(provider: .google, audience: "google-client", clock: clock)
        apple = TestIssuer(provider: .apple, audience: "apple-client", clock: clock)
        facebook = TestIssuer.facebook(clock: clock)
        var providers: [SignInProvider] = [
            .google(clientID: google.audience).with { $0.emailTrust = .verifiedClaimOfAnyDomain },
            .apple(clientID: apple.audience).with { $0.appNonce = .sha256 },
            try .facebook(appID: facebook.audience, tracking: .limited),
            SignInProvider.google(id: Self.bare, clientID: google.audience).with { $0.appNonce = .absent },
        ]
        try change(&providers)
        // With the real cost of a password hash, a test would take minutes.
        var policy = policy
        policy.passwords.cost = try #require(PasswordCost(log2: 4))
        auth = Auth(
            store: store,
            providers: try SignInProviders(
                providers,
                keys: keys ?? KeySnapshot([google.keys, apple.keys, facebook.keys]),
                transport: transport,
                clock: clock
            ),
            secrets: Self.secrets,
            policy: policy,
            mail: mail,
            phoneCodes: codes,
            allowsPhoneSignIn: allowsPhoneSignIn,
            clock: clock
        )
        self.mail = mail as? CapturedMail ?? CapturedMail()
        try await store.migrate()
    }

    /// Creates the accounts for two servers, each with a store object of its own.
    init(_ pair: StorePair, policy: AuthPolicy = AuthPolicy()) async throws {
        try await self.init(pair.one, other: pair.other, policy: policy)
    }

    /// Returns the accounts with hooks, for the transactions of any store.
    func hooked<Transaction>(_ hooks: AuthHooks<Transaction>) -> Auth {
        var auth = auth
        auth.hooks = AnyAuthHooks(hooks)
        return auth
    }

    /// Returns the accounts with hooks for a merge, for the transactions of any store.
    func hooked(onMerge: @escaping @Sendable (AccountMerge, any StoreTransaction) throws -> Void) -> Auth {
        hooked(AuthHooks(onMerge: onMerge))
    }

    /// Another server with the same database.
    var otherServer: Auth {
        Auth(
            store: otherStore,
            providers: auth.providers,
            secrets: Self.secrets,
            policy: auth.policy,
            mail: auth.mail,
            phoneCodes: codes,
            allowsPhoneSignIn: auth.allowsPhoneSignIn,
            clock: clock
        )
    }

    /// Returns one provider with this ID.
    static func providers(named id: ProviderID) throws -> SignInProviders {
        try SignInProviders(
            [.openID(id, issuer: "https://issuer.example", clientID: "client")],
            keys: KeySnapshot([]),
            transport: StubTransport()
        )
    }

    static func verifier(_ issuer: TestIssuer) throws -> TokenVerifier {
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        return TokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
    }

    /// Returns the issuer of a provider's tokens.
    func issuer(of provider: ProviderID) -> TestIssuer {
        switch provider {
        case .apple: apple
        case .facebook: facebook
        default: google
        }
    }
}

extension AuthFixture {
    /// Begins an attempt, and returns a credential with a token for its nonce.
    ///
    /// - Parameters:
    ///   - subject: The user's subject at the provider.
    ///   - provider: The provider.
    ///   - email: The address in the token; nil for none.
    ///   - isVerified: Whether the provider calls the address verified.
    ///   - purpose: The purpose of the attempt.
    ///   - change: Changes the token before it is signed.
    /// - Returns: The credential.
    /// - Throws: The error of beginning the attempt.
    func credential(
        as subject: String,
        with provider: ProviderID,
        email: String? = nil,
        isVerified: Bool = true,
        for purpose: AttemptPurpose = .signIn,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> AuthCredential {
        let attempt = try await auth.begin(purpose, with: provider)
        let token = token(
            of: attempt,
            as: subject,
            with: provider,
            email: email,
            isVerified: isVerified,
            change
        )
        return .idToken(token, attempt: attempt.token)
    }

    /// Returns a token that completes an attempt.
    func token(
        of attempt: AuthAttempt,
        as subject: String,
        with provider: ProviderID,
        email: String? = nil,
        isVerified: Bool = true,
        _ change: (inout TestToken) -> Void = { _ in }
    ) -> String {
        let nonce: String? =
            switch provider {
            case .apple: hexadecimal(Digest.sha256.hash(attempt.nonce.utf8))
            case Self.bare: nil
            default: attempt.nonce
            }
        return issuer(of: provider).token(nonce: nonce) { token in
            token.claims["sub"] = .string(subject)
            token.claims["email"] = email.map { .string($0) }
            if email != nil, isVerified, provider != .facebook { token.claims["email_verified"] = true }
            change(&token)
        }
    }

    /// Signs in with a provider.
    @discardableResult
    func signIn(
        as subject: String,
        with provider: ProviderID = .google,
        email: String? = nil,
        isVerified: Bool = true
    ) async throws -> AuthDataResult {
        try await outcome(as: subject, with: provider, email: email, isVerified: isVerified).get()
    }

    /// Returns the outcome of a sign-in with a provider.
    func outcome(
        as subject: String,
        with provider: ProviderID = .google,
        email: String? = nil,
        isVerified: Bool = true
    ) async throws -> SignInOutcome {
        try await auth.signIn(
            with: credential(as: subject, with: provider, email: email, isVerified: isVerified)
        )
    }

    /// Runs a body in a transaction of its own, and returns its result.
    func read<Value: Sendable>(_ body: @escaping @Sendable (TransactionSteps) throws -> Value) async throws -> Value {
        try await auth.transaction(body)
    }

    /// Returns the number of rows of a kind.
    func count<Record: StoredRecord>(_ type: Record.Type, where condition: StoreCondition? = nil) async throws -> Int {
        try await store.transaction { rows in
            try rows.select(from: Record.table, where: condition.map { [$0] } ?? [], order: nil, limit: nil).count
        }
    }

    /// Returns the number of audit records of an action.
    func audit(_ action: String) async throws -> Int {
        try await count(AuditRecord.self, where: AuditRecord.Column.action.equals(action))
    }
}

/// Expects that an operation throws an error with this code.
///
/// - Returns: The error, for further expectations; nil if there was none.
@discardableResult
func expectError<Value>(
    _ code: AuthError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async -> AuthError? {
    do {
        _ = try await body()
        Issue.record("accepted, expected \(code)", sourceLocation: sourceLocation)
    } catch let error as AuthError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        if error.code == code { recordCode(code.rawValue, of: "AuthError.Code") }
        return error
    } catch {
        Issue.record("\(error), expected \(code)", sourceLocation: sourceLocation)
    }
    return nil
}

/// Expects that a sign-in requires a second factor.
@discardableResult
func expectSecondFactor(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> SignInOutcome
) async throws -> MultiFactorResolver {
    var resolver: MultiFactorResolver?
    if case .secondFactorRequired(let found) = try await body() { resolver = found }
    return try #require(resolver, "no second factor was asked for", sourceLocation: sourceLocation)
}

/// Expects that the address of a new login belongs to an existing account.
@discardableResult
func expectConflict(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> SignInOutcome
) async throws -> AccountConflict {
    var conflict: AccountConflict?
    if case .accountExists(let found) = try await body() { conflict = found }
    return try #require(conflict, "no account has the address", sourceLocation: sourceLocation)
}

// The associated values of an error, for expectations that compare one of them.
extension AuthError {
    var pendingCredential: PendingCredential? {
        switch reason {
        case .credentialAlreadyInUse(let pending, _), .emailAlreadyInUse(let pending, _): pending
        default: nil
        }
    }

    var ownerID: AccountID? {
        switch reason {
        case .credentialAlreadyInUse(_, let owner), .emailAlreadyInUse(_, let owner): owner
        default: nil
        }
    }

    var mergedInto: AccountID? {
        if case .accountMerged(let target) = reason { target } else { nil }
    }

    var providers: [ProviderID] {
        if case .mergeConflict(let providers) = reason { providers } else { [] }
    }

    var refusal: TokenRefusal? {
        if case .tokenRefused(let refusal) = reason { refusal } else { nil }
    }

    var application: (any Error)? {
        if case .application(let error) = reason { error } else { nil }
    }

    var isReplayedCode: Bool {
        if case .replayedVerificationCode = reason { true } else { false }
    }
}
