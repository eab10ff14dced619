// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Providers that are switched off, on, or to other terms while servers run.
@Suite struct ReplacedProviderTests {
    private static func google(_ fixture: AuthFixture, leeway: Duration) throws -> AuthProvider {
        let policy = try TokenPolicy(
            provider: fixture.google.provider,
            audiences: [fixture.google.audience],
            leeway: leeway
        )
        return .openID(
            .google,
            verifier: TokenVerifier(policy: policy, keys: fixture.google.keys, clock: fixture.clock)
        )
    }

    @Test(.rule("S-FOP-2"), arguments: StoreUnderTest.all)
    func `a provider that is switched off lets nobody in, and when it is back everybody has their account`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada").account.id
        let all = Array(fixture.auth.providers.values)
        let begun = try await fixture.credential(as: "ada", with: .google)
        // Whoever holds a copy of the value sees the same.
        let copy = fixture.auth
        copy.replaceProviders(all.filter { $0.id != .google })
        await expectError(.operationNotAllowed) { try await fixture.auth.begin(.signIn, with: .google) }
        await expectError(.operationNotAllowed) { try await fixture.auth.signIn(with: begun).get() }
        try await fixture.signIn(as: "bob", with: .apple)
        fixture.auth.replaceProviders(all)
        #expect(try await fixture.signIn(as: "ada").account.id == ada)
        #expect(try await fixture.auth.signIn(with: begun).get().account.id == ada)
    }

    @Test(.rule("S-FOP-2"), arguments: StoreUnderTest.all)
    func `tokens are verified on the terms that count when they come`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        func expired() async throws -> AuthCredential {
            try await fixture.credential(as: "ada", with: .google) { token in
                token.claims["iat"] = .number("\(now - 600)")
                token.claims["exp"] = .number("\(now - 30)")
            }
        }
        fixture.auth.replaceProviders([try Self.google(fixture, leeway: .seconds(60))])
        _ = try await fixture.auth.signIn(with: expired()).get()
        fixture.auth.replaceProviders([try Self.google(fixture, leeway: .zero)])
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: expired()).get() }
    }
}
