// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct AttemptTests {
    @Test(.rule("S-NON-1", "S-NON-6"), arguments: StoreUnderTest.all)
    func `an attempt has a 256-bit secret, and the store holds only its hash`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        let other = try await fixture.auth.begin(.signIn, with: .google)
        #expect(attempt.token.hasPrefix("lla_"))
        #expect(attempt.token.utf8.count == 47)
        #expect(attempt.token != other.token)
        #expect(attempt.nonce != other.nonce)
        #expect(attempt.nonce.utf8.count == 43)
        #expect(attempt.nonce.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(attempt.expiresAt.timeIntervalSince(fixture.clock.now) == 600)
        #expect("\(attempt)" == "attempt")
        let rows = try await fixture.read { try $0.tables.rows.all(AttemptRecord.self) }
        #expect(rows.allSatisfy { $0.hash.count == 32 })
    }

    @Test func `an attempt at Facebook has the configuration of the declared permissions and tracking`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore()) { providers in
            providers.removeAll { $0.id == .facebook }
            providers.append(try .facebook(appID: "1", permissions: [.email, .userLink], tracking: .limited))
        }
        let attempt = try await fixture.auth.begin(.signIn, with: .facebook)
        let configuration = try #require(attempt.configuration(as: LoginConfiguration.self))
        #expect(configuration.requestedPermissions == [.email, .userLink] && configuration.tracking == .limited)
        #expect(configuration.nonce == attempt.nonce)
        let other = try await fixture.auth.begin(.signIn, with: .facebook).configuration(as: LoginConfiguration.self)
        #expect(configuration.codeVerifier != other?.codeVerifier && configuration.nonce != other?.nonce)
        #expect(attempt.configuration(as: String.self) == nil)
        let google = try await fixture.auth.begin(.signIn, with: .google)
        #expect(google.configuration(as: LoginConfiguration.self) == nil)
    }

    @Test func `the nonce of a configuration is hashed if the provider's apps hash it`() async throws {
        let fixture = try await AuthFixture(InMemoryAccountStore()) { providers in
            for index in providers.indices where providers[index].id == .facebook {
                providers[index].appNonce = .sha256
            }
        }
        let attempt = try await fixture.auth.begin(.signIn, with: .facebook)
        let configuration = try #require(attempt.configuration(as: LoginConfiguration.self))
        let token = fixture.facebook.token(nonce: configuration.nonce) { $0.claims["sub"] = "1" }
        let result = try await fixture.auth.signIn(with: .idToken(token, attempt: attempt.token)).get()
        #expect(result.outcome == .created)
    }

    @Test(.rule("S-NON-3", "R-SIG-1"), arguments: StoreUnderTest.all)
    func `an ID token signs in once, and the audit records its replay once`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let credential = try await fixture.credential(as: "ada", with: .google)
        _ = try await fixture.auth.signIn(with: credential).get()
        // The audit records the replay once, however often the token is presented.
        for _ in 1...3 {
            await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: credential).get() }
            #expect(try await fixture.audit("nonce.replayed") == 1)
        }
        #expect(try await fixture.count(SessionRecord.self) == 1)
        let other = try await fixture.credential(as: "ada", with: .google)
        _ = try await fixture.auth.signIn(with: other).get()
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: other).get() }
        #expect(try await fixture.audit("nonce.replayed") == 2)
    }

    @Test(.rule("S-NON-1"), arguments: StoreUnderTest.all)
    func `an attempt expires after ten minutes`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let good = try await fixture.credential(as: "ada", with: .google)
        fixture.clock.advance(by: .milliseconds(599_999))
        _ = try await fixture.auth.signIn(with: good).get()
        let late = try await fixture.credential(as: "ada", with: .google)
        fixture.clock.advance(by: .seconds(600))
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: late).get() }
        #expect(try await fixture.audit("nonce.replayed") == 0)
    }

    @Test(.rule("S-NON-2", "S-CSR-4"), arguments: StoreUnderTest.all)
    func `an attempt to link or to reauthenticate does not sign in`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let session = try await fixture.signIn(as: "ada").session
        for purpose in [AttemptPurpose.link(session), .reauthenticate(session)] {
            let credential = try await fixture.credential(as: "bob", with: .google, for: purpose)
            await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: credential).get() }
        }
        #expect(try await fixture.count(AccountRecord.self) == 1)
    }

    @Test(.rule("S-NON-2", "S-CSR-3"), arguments: StoreUnderTest.all)
    func `an attempt is completed only in its session and for its purpose`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada").session
        let bob = try await fixture.signIn(as: "bob").session
        let credential = try await fixture.credential(as: "new", with: .facebook, for: .link(ada))
        for purpose in [AttemptPurpose.link(bob), .reauthenticate(ada), .signIn] {
            await expectError(.missingOrInvalidNonce) { try await fixture.use(credential, for: purpose) }
        }
        #expect(try await fixture.use(credential, for: .link(ada)).subject == "new")
    }

    @Test(.rule("S-NON-5"), arguments: StoreUnderTest.all)
    func `a token that fails verification does not consume its attempt`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        let expired = fixture.token(of: attempt, as: "ada", with: .google) { $0.claims["exp"] = 1 }
        let error = await expectError(.invalidCredential) {
            try await fixture.auth.signIn(with: .idToken(expired, attempt: attempt.token)).get()
        }
        #expect(error?.refusal?.code == .expired)
        let good = fixture.token(of: attempt, as: "ada", with: .google)
        _ = try await fixture.auth.signIn(with: .idToken(good, attempt: attempt.token)).get()
    }

    @Test(.rule("S-NON-3", "S-BND-2", "S-BND-3"), arguments: StoreUnderTest.all)
    func `a token of another attempt, provider or app is refused`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        let other = try await fixture.auth.begin(.signIn, with: .google)
        let refused: [(String, AuthError.Code)] = [
            (fixture.token(of: other, as: "ada", with: .google), .missingOrInvalidNonce),
            (fixture.token(of: attempt, as: "ada", with: .google) { $0.claims["nonce"] = nil }, .missingOrInvalidNonce),
            (fixture.token(of: attempt, as: "ada", with: .facebook), .invalidCredential),
            (fixture.token(of: attempt, as: "ada", with: .google) { $0.claims["aud"] = "another" }, .invalidCredential),
            ("", .invalidCredential),
        ]
        for (token, code) in refused {
            await expectError(code) {
                try await fixture.auth.signIn(with: .idToken(token, attempt: attempt.token)).get()
            }
        }
    }

    @Test(.rule("S-NON-1"), arguments: ["", "lla_", "lla_AAAA", "123", String(repeating: "x", count: 100_000)])
    func `a malformed attempt token is refused without using the store`(_ token: String) async throws {
        let fixture = try await AuthFixture(BrokenStore())
        await expectError(.missingOrInvalidNonce) {
            try await fixture.auth.signIn(with: .idToken("", attempt: token)).get()
        }
    }

    @Test(.rule("S-NON-7"), arguments: StoreUnderTest.all)
    func `a plain nonce is refused if the provider is configured to hash it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let apple = try await fixture.auth.begin(.signIn, with: .apple)
        let plain = fixture.apple.token(nonce: apple.nonce)
        await expectError(.missingOrInvalidNonce) {
            try await fixture.auth.signIn(with: .idToken(plain, attempt: apple.token)).get()
        }
        let hashed = fixture.token(of: apple, as: "ada", with: .apple)
        _ = try await fixture.auth.signIn(with: .idToken(hashed, attempt: apple.token)).get()
    }

    @Test(.rule("S-NON-4"), arguments: StoreUnderTest.all)
    func `a token without a nonce is accepted once, whichever attempt it is presented with`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.auth.begin(.signIn, with: AuthFixture.bare)
        let second = try await fixture.auth.begin(.signIn, with: AuthFixture.bare)
        let token = fixture.token(of: first, as: "ada", with: AuthFixture.bare)
        _ = try await fixture.auth.signIn(with: .idToken(token, attempt: first.token)).get()
        for _ in 1...2 {
            await expectError(.missingOrInvalidNonce) {
                try await fixture.auth.signIn(with: .idToken(token, attempt: second.token)).get()
            }
        }
        #expect(try await fixture.audit("nonce.replayed") == 1)
        fixture.clock.advance(by: .seconds(1))
        let next = fixture.token(of: second, as: "ada", with: AuthFixture.bare)
        _ = try await fixture.auth.signIn(with: .idToken(next, attempt: second.token)).get()
    }

    @Test(.rule("S-FOP-1"), arguments: StoreUnderTest.all)
    func `a provider that is not configured can neither begin nor complete an attempt`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        for provider in [ProviderID("unknown"), .password, .phone] {
            await expectError(.operationNotAllowed) { try await fixture.auth.begin(.signIn, with: provider) }
        }
        let credential = try await fixture.credential(as: "ada", with: .google)
        let later = try await AuthFixture(fixture.store, clock: fixture.clock) { $0.removeAll { $0.id == .google } }
        await expectError(.operationNotAllowed) { try await later.auth.signIn(with: credential).get() }
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        await expectError(.operationNotAllowed) {
            try await fixture.auth.signIn(with: .accessToken("token", attempt: attempt.token)).get()
        }
    }

    @Test(.rule("S-FOP-1")) func `a sign-in fails as providerUnavailable if the provider's keys are unavailable`()
        async throws
    {
        let unavailable = VerificationUnavailable(detail: "as the test wants it")
        let keys = SpyKeySource(.failure(unavailable), then: .failure(unavailable))
        let fixture = try await AuthFixture(InMemoryAccountStore(), keys: keys)
        let credential = try await fixture.credential(as: "ada", with: .google)
        await expectError(.providerUnavailable) { try await fixture.auth.signIn(with: credential).get() }
        #expect(try await fixture.count(AccountRecord.self) == 0)
    }
}

extension AuthFixture {
    /// Verifies a credential and consumes its attempt, for any purpose.
    func use(_ credential: AuthCredential, for purpose: AttemptPurpose) async throws -> VerifiedCredential {
        let proof = try await auth.prove(credential, for: purpose)
        return try await auth.transaction { try $0.credentialUse.use(proof) }
    }
}

/// A store that must not be used.
struct BrokenStore: AccountStore {
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        throw StoreError(.unavailable, "as the test wants it")
    }

    func migrate() async throws(StoreError) -> [String] { [] }
}
