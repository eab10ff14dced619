// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Users of several tenants of one provider.
@Suite struct TenantSignInTests {
    @Test(.rule("S-KEY-2"), arguments: StoreUnderTest.all)
    func `equal subjects of two tenants have two accounts, and each finds its own again`(
        _ store: StoreUnderTest
    ) async throws {
        let clock = ManualClock()
        let tenants = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]
        let issuers = tenants.map {
            TestIssuer(provider: .microsoftAnyTenant, audience: "web", clock: clock, tenant: $0)
        }
        let fixture = try await AuthFixture(store.make(), clock: clock, keys: issuers[0].keys) { providers in
            providers.append(.microsoftAnyTenant("microsoft", clientID: "web"))
        }
        func signIn(at issuer: TestIssuer) async throws -> AuthDataResult {
            let attempt = try await fixture.auth.begin(.signIn, with: "microsoft")
            let token = issuer.token(nonce: attempt.nonce) {
                $0.claims["email"] = "ada@example.com"
                $0.claims["email_verified"] = true
            }
            return try await fixture.auth.signIn(with: .idToken(token, attempt: attempt.token)).get()
        }
        let first = try await signIn(at: issuers[0])
        let second = try await signIn(at: issuers[1])
        #expect(first.account.id != second.account.id)
        #expect(first.identity?.subject == "\(tenants[0])/1000000000000001")
        #expect(second.identity?.subject == "\(tenants[1])/1000000000000001")
        for (issuer, account) in zip(issuers, [first.account.id, second.account.id]) {
            #expect(try await signIn(at: issuer).account.id == account)
        }
    }
}
