// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginAccounts
public import LoginProviders
internal import LoginTokens

/// An account system for tests: a clock, a provider that signs real tokens, captured messages, and an in-memory store.
///
/// ```swift
/// let bench = try LoginTestBench()
/// let alice = try await bench.signIn("alice@example.com")
/// request.headers[.authorization] = "Bearer \(alice.tokens.sessionToken)"
/// ```
///
/// A `LoginService` with the same store, secrets and clock accepts the sessions of the bench, so that a test can use the
/// application's own router:
///
/// ```swift
/// let login = try LoginService(
///     publicURL: "https://example.com",
///     providers: [],
///     store: bench.store,
///     secrets: bench.secrets,
///     clock: bench.clock)
/// ```
///
/// Users can also sign up with an e-mail address and a password. ``mail`` and ``codes`` contain the messages that they
/// would receive:
///
/// ```swift
/// let bob = try await bench.auth.createAccount(email: "bob@example.com", password: "correct horse battery staple")
/// let verified = try await bob.session.verifyEmail(token: bench.mail.token(.verifyEmail) ?? "")
/// ```
public struct LoginTestBench: Sendable {
    /// The clock, which the test sets.
    public let clock: ManualClock

    /// The provider, which signs ID tokens.
    public let issuer: TestIssuer

    /// The e-mail messages.
    public let mail = CapturedMail()

    /// The codes sent to phones.
    public let codes = CapturedCodes()

    /// The store of the accounts.
    public let store = InMemoryAccountStore()

    /// The encryption and HMAC keys for stored data.
    public let secrets = AccountSecrets(repeating: 7)

    /// The account operations.
    public let auth: Auth

    /// The ID of the provider.
    public static let provider = ProviderID("test")

    /// Creates a test bench.
    ///
    /// Password hashes have a low cost, so that tests are fast.
    ///
    /// - Parameters:
    ///   - policy: The policies for linking, sessions, passwords and factors.
    ///   - allowsPhoneSignIn: Whether a code sent to a phone is sufficient to sign in.
    ///   - clock: The clock.
    /// - Throws: `PolicyError`, which does not occur in practice.
    public init(
        policy: AuthPolicy = AuthPolicy(),
        allowsPhoneSignIn: Bool = false,
        clock: ManualClock = ManualClock()
    ) throws {
        self.clock = clock
        let issuer = TestIssuer(clock: clock)
        self.issuer = issuer
        let provider = SignInProvider.openID(
            Self.provider,
            issuer: issuer.provider.issuers.first ?? "",
            clientID: issuer.audience
        ).with { $0.emailTrust = .verifiedClaimOfAnyDomain }
        var policy = policy
        if let cost = PasswordCost(log2: 4) { policy.passwords.cost = cost }
        auth = Auth(
            store: store,
            providers: try SignInProviders([provider], keys: issuer.keys, transport: StubTransport(), clock: clock),
            secrets: secrets,
            policy: policy,
            mail: mail,
            phoneCodes: codes,
            allowsPhoneSignIn: allowsPhoneSignIn,
            clock: clock
        )
    }

    /// Signs a user in with an ID token that contains the address as verified.
    ///
    /// - Parameter email: The e-mail address, which is also the subject: the same address is the same user.
    /// - Returns: The account, the session and its tokens.
    /// - Throws: `AuthError`
    public func signIn(_ email: String) async throws -> AuthDataResult {
        let attempt = try await auth.begin(.signIn, with: Self.provider)
        let token = issuer.token(nonce: attempt.nonce) { token in
            token.claims["sub"] = .string(email)
            token.claims["email"] = .string(email)
            token.claims["email_verified"] = true
        }
        return try await auth.signIn(with: .idToken(token, attempt: attempt.token)).get()
    }
}
