// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Providers that are enabled, disabled or reconfigured while servers run.
@Suite struct ReplacedProviderTests {
    @Test(.rule("S-FOP-2"), arguments: StoreUnderTest.all)
    func `a disabled provider refuses sign-ins, and its users have their accounts once it is enabled again`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada").account.id
        let begun = try await fixture.credential(as: "ada", with: .google)
        // Every copy of the accounts sees the change.
        var settings = SignInProviders.Settings()
        settings.disabled = [.google]
        try fixture.auth.providers.apply(settings)
        await expectError(.operationNotAllowed) { try await fixture.auth.begin(.signIn, with: .google) }
        await expectError(.operationNotAllowed) { try await fixture.auth.signIn(with: begun).get() }
        try await fixture.signIn(as: "bob", with: .apple)
        try fixture.auth.providers.apply(.init())
        #expect(try await fixture.signIn(as: "ada").account.id == ada)
        #expect(try await fixture.auth.signIn(with: begun).get().account.id == ada)
    }

    @Test(.rule("S-FOP-2"), arguments: StoreUnderTest.all)
    func `pending credentials and sign-ins of a disabled provider are refused until it is enabled again`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        let (app, enrolled) = try await fixture.enrolApp(ada.session)
        let resolver = try await fixture.resolver()
        let bob = try await fixture.signIn(as: "bob", with: .apple)
        let known = try await fixture.credential(as: "bob", with: .apple, for: .link(enrolled.session))
        let error = await expectError(.credentialAlreadyInUse) { try await enrolled.session.link(with: known) }
        guard case .credentialAlreadyInUse(let pending?, _) = error?.reason else {
            Issue.record("nothing waits")
            return
        }
        var settings = SignInProviders.Settings()
        settings.disabled = [.google, .apple]
        try fixture.auth.providers.apply(settings)
        await expectError(.operationNotAllowed) { try await fixture.auth.signIn(with: .pending(pending)).get() }
        await expectError(.operationNotAllowed) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        try fixture.auth.providers.apply(.init())
        #expect(try await fixture.auth.signIn(with: .pending(pending)).get().account.id == bob.account.id)
        let back = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(back.account.id == ada.account.id)
    }

    @Test(.rule("S-FOP-2"), arguments: StoreUnderTest.all)
    func `a token is verified with the settings in effect when it arrives`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        func expired() async throws -> AuthCredential {
            try await fixture.credential(as: "ada", with: .google) { token in
                token.claims["iat"] = .number("\(now - 600)")
                token.claims["exp"] = .number("\(now - 30)")
            }
        }
        var settings = SignInProviders.Settings()
        settings.leeway = .seconds(60)
        try fixture.auth.providers.apply(settings)
        _ = try await fixture.auth.signIn(with: expired()).get()
        settings.leeway = .zero
        try fixture.auth.providers.apply(settings)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: expired()).get() }
    }
}
