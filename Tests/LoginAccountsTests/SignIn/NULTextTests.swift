// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Texts with NUL, which no store has.
@Suite struct NULTextTests {
    @Test(.rule("BOUND-1", "STORE-3"), arguments: StoreUnderTest.all)
    func `a login whose subject contains NUL is refused, and nothing is used up`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        for subject in ["\0", "ada\0", "\0ada"] {
            let credential = try await fixture.credential(as: subject, with: .google)
            let before = try await fixture.everything()
            await expectError(.invalidCredential) { try await fixture.auth.signIn(with: credential) }
            #expect(try await fixture.everything() == before)
            await expectError(.invalidCredential) {
                try await fixture.link(subject, with: .apple, in: ada.session)
            }
            await expectError(.invalidCredential) { try await fixture.reauthenticate(subject, in: ada.session) }
        }
    }

    @Test(.rule("BOUND-1", "STORE-3"), arguments: StoreUnderTest.all)
    func `a name, a picture and an address with NUL are left out, and no text is stored with one`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let credential = try await fixture.credential(as: "ada", with: .google, email: "ada\0@example.com") {
            $0.claims["name"] = "Ada\0Lovelace"
            $0.claims["picture"] = "https://example.com/\0"
            $0.claims["locale"] = "\0"
        }
        let origin = RequestOrigin(address: "203.0.113.7", device: "a\0b")
        let ada = try await fixture.auth.signIn(with: credential, from: origin).get()
        #expect(ada.account.displayName == nil && ada.account.photoURL == nil && ada.account.email == nil)
        #expect(ada.session.device?.contains("\0") == false)
        await expectError(.invalidProfile) { try await ada.session.updateProfile(displayName: "a\0b") }
        await expectError(.noSuchProvider) { try await ada.session.unlink(fromProvider: .google, uid: "ada\0") }
        #expect(try await !fixture.texts().contains { $0.contains("\0") })
    }
}
