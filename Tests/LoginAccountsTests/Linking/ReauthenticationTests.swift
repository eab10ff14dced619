// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct ReauthenticationTests {
    @Test(.rule("R-LNK-9"), arguments: StoreUnderTest.all)
    func `reauthentication with a login of the account makes the session recent`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(3600))
        let again = try await fixture.reauthenticate("ada", in: ada.session)
        #expect(again.outcome == .reauthenticated)
        #expect(again.session.id == ada.session.id)
        #expect(again.session.isRecent)
        try await again.session.requireRecentLogin()
        #expect(try await fixture.audit("session.reauthenticated") == 1)
    }

    @Test(.rule("R-LNK-9"), arguments: StoreUnderTest.all)
    func `reauthentication with a login that is not the account's is refused and changes nothing`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.signIn(as: "eve")
        fixture.clock.advance(by: .seconds(3600))
        for subject in ["eve", "nobody"] {
            let credential = try await fixture.credential(as: subject, with: .google, for: .reauthenticate(ada.session))
            let before = try await fixture.everything()
            await expectError(.userMismatch) { try await ada.session.reauthenticate(with: credential) }
            #expect(try await fixture.everything() == before)
        }
        await expectError(.requiresRecentLogin) { try await ada.session.requireRecentLogin() }
    }

    @Test(.rule("R-LNK-9"), arguments: StoreUnderTest.all)
    func `reauthentication requires a session with the second factor if the account has one`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.giveFactor(to: ada.account.id)
        await expectError(.secondFactorRequired) { try await fixture.reauthenticate("ada", in: ada.session) }
        try await fixture.raise(ada.session)
        #expect(try await fixture.reauthenticate("ada", in: ada.session).outcome == .reauthenticated)
    }
}
