// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Facebook access tokens, verified at a stand-in for the Graph API.
@Suite struct AccessTokenSignInTests {
    let facebook = FacebookStandIn()

    private func fixture(_ store: StoreUnderTest) async throws -> AuthFixture {
        try await AuthFixture(store.make(), clock: facebook.clock, transport: facebook) { providers in
            providers.removeAll { $0.id == .facebook }
            providers.append(try .facebook(facebook.app(), tracking: .enabled))
        }
    }

    private func credential(_ token: String, _ fixture: AuthFixture) async throws -> AuthCredential {
        .accessToken(token, attempt: try await fixture.auth.begin(.signIn, with: .facebook).token)
    }

    @Test(.rule("R-SIG-1", "R-PRM-1"), arguments: StoreUnderTest.all)
    func `an access token and a Limited Login token sign in to one account, and its permissions are stored`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await fixture(store)
        let token = facebook.makeAccessToken(permissions: ["public_profile", "email", "user_friends"])
        facebook.set("declined", for: "user_friends")
        let result = try await fixture.auth.signIn(with: credential(token, fixture)).get()
        #expect(result.outcome == .created)
        let person = try #require(result.account.providerData.first)
        #expect(person.providerID == .facebook && person.uid == facebook.person.id)
        #expect(person.displayName == "Ada Marie Example" && !person.isEmailVerified)
        #expect(person.hasGranted(.email) && !person.hasGranted(.userFriends))
        #expect(person.permissions?.declined == [.userFriends])
        let attempt = try await fixture.auth.begin(.signIn, with: .facebook)
        let limited = facebook.issuer.token(nonce: attempt.nonce) { $0.claims["sub"] = .string(facebook.person.id) }
        let again = try await fixture.auth.signIn(with: .idToken(limited, attempt: attempt.token)).get()
        #expect(again.outcome == .signedIn && again.account.id == result.account.id)
        #expect(again.account.providerData.first?.permissions == person.permissions)
        // A claim that is present proves its own permission, and nothing about others.
        let next = try await fixture.auth.begin(.signIn, with: .facebook)
        let friends = facebook.issuer.token(nonce: next.nonce) { token in
            token.claims["sub"] = .string(facebook.person.id)
            token.claims["user_friends"] = .array([.string("1")])
        }
        let granted = try await fixture.auth.signIn(with: .idToken(friends, attempt: next.token)).get()
        let permissions = try #require(granted.account.providerData.first?.permissions)
        #expect(permissions.hasGranted(.userFriends) && permissions.hasGranted(.email))
        #expect(permissions.declined == [])
    }

    @Test(.rule("R-SIG-1"), arguments: StoreUnderTest.all)
    func `an access token is accepted once, and so is its attempt`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store)
        let (first, second) = (facebook.makeAccessToken(), facebook.makeAccessToken())
        let used = try await credential(first, fixture)
        let other = try await credential(first, fixture)
        _ = try await fixture.auth.signIn(with: used).get()
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: used).get() }
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: other).get() }
        #expect(try await fixture.audit("nonce.replayed") == 2)
        _ = try await fixture.auth.signIn(with: credential(second, fixture)).get()
    }

    @Test(.rule("S-FOP-1"), arguments: StoreUnderTest.all)
    func `an access token that is expired, invalid or issued to another app is refused`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        for isDescribed in [false, true] {
            facebook.settings.describesForeignTokens = isDescribed
            let foreign = facebook.makeAccessToken(appID: "999")
            let credential = try await credential(foreign, fixture)
            let error = await expectError(.invalidCredential) { try await fixture.auth.signIn(with: credential).get() }
            #expect(error?.description.contains(foreign) == false)
        }
        let ended = facebook.makeAccessToken()
        facebook.endAccessToken(ended)
        let last = try await credential(ended, fixture)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: last).get() }
        await expectError(.invalidCredential) {
            try await fixture.auth.signIn(with: credential("EAA none", fixture)).get()
        }
        #expect(try await fixture.count(AccountRecord.self) == 0)
    }

    @Test(.rule("S-FOP-1"), arguments: StoreUnderTest.all)
    func `an access token can be presented again after Facebook was unavailable`(_ store: StoreUnderTest) async throws {
        let fixture = try await fixture(store)
        let credential = try await credential(facebook.makeAccessToken(), fixture)
        facebook.failNext(100, with: .graphError(code: 1))
        await expectError(.providerUnavailable) { try await fixture.auth.signIn(with: credential).get() }
        facebook.clearFaults()
        _ = try await fixture.auth.signIn(with: credential).get()
    }

    @Test(.rule("S-FOP-1"), arguments: StoreUnderTest.all)
    func `an access token is refused if no Graph API is configured`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let attempt = try await fixture.auth.begin(.signIn, with: .facebook)
        await expectError(.operationNotAllowed) {
            try await fixture.auth.signIn(with: .accessToken(facebook.makeAccessToken(), attempt: attempt.token)).get()
        }
    }
}
