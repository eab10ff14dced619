// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The lifetime of a pending credential, and its dependence on the credential that was verified.
@Suite struct PendingCredentialTests {
    private static let email = "bob@example.com"
    private static let password = "correct horse battery"

    /// Links a login of another account in a session, and returns the pending credential of the conflict.
    private func meetConflict(_ credential: AuthCredential, in session: Session) async throws -> PendingCredential {
        let error = await expectError(.credentialAlreadyInUse) { try await session.link(with: credential) }
        return try #require(error?.pendingCredential)
    }

    @Test(.rule("R-CON-7"), arguments: StoreUnderTest.all)
    func `a pending credential that a password verified is void after the password changes`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let bob = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let ada = try await fixture.signIn(as: "ada")
        var password = Self.password
        for step in ["none", "reset", "change"] {
            let credential = AuthCredential.password(email: Self.email, password: password)
            let pending = try await meetConflict(credential, in: ada.session)
            let rows = try await fixture.read { try $0.tables.rows.all(PendingCredentialRecord.self) }
            fixture.clock.advance(by: .milliseconds(1))
            password += "."
            if step == "reset" {
                try await fixture.auth.sendPasswordReset(to: Self.email)
                try await fixture.auth.resetPassword(token: #require(fixture.mail.token(.resetPassword)), to: password)
            } else if step == "change" {
                let session = try await fixture.auth.signIn(with: credential).get().session
                _ = try await session.setPassword(password)
            } else {
                password = Self.password
                #expect(try await fixture.auth.signIn(with: .pending(pending)).get().account.id == bob.account.id)
                continue
            }
            #expect(try await fixture.count(PendingCredentialRecord.self) == 0)
            await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(pending)).get() }
            // It is refused as well if it was stored in the same millisecond in which the password changed.
            try await fixture.read { transaction in for row in rows { try transaction.tables.rows.add(row) } }
            await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(pending)).get() }
            try await fixture.read { transaction in
                try transaction.tables.rows.delete(
                    PendingCredentialRecord.self,
                    where: PendingCredentialRecord.Column.hash.isNotNull
                )
                return
            }
        }
    }

    @Test(.rule("R-CON-7"), arguments: StoreUnderTest.all)
    func `a sign-in that waits for its second factor is void after the password changes`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        let set = try await ada.session.setPassword(Self.password)
        let (app, enrolled) = try await fixture.enrolApp(set.session)
        for isChanged in [false, true] {
            let resolver = try await expectSecondFactor {
                try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password))
            }
            let rows = try await fixture.read { try $0.tables.rows.all(PendingSignInRecord.self) }
            fixture.clock.advance(by: .seconds(30))
            let assertion = MultiFactorAssertion.totp(app.uid, code: app.code(fixture.clock))
            guard isChanged else {
                _ = try await resolver.resolveSignIn(with: assertion)
                continue
            }
            _ = try await enrolled.session.setPassword("another horse")
            #expect(try await fixture.count(PendingSignInRecord.self) == 0)
            // As if it had been stored in the same millisecond in which the password changed.
            try await fixture.read { transaction in for row in rows { try transaction.tables.rows.add(row) } }
            await expectError(.invalidCredential) { try await resolver.resolveSignIn(with: assertion) }
        }
    }

    @Test(.rule("R-CON-7"), arguments: StoreUnderTest.all)
    func `a pending credential is void after its login is unlinked`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob", with: .apple)
        let linked = try await fixture.link("bob-f", with: .facebook, in: bob.session)
        let credential = try await fixture.credential(as: "bob-f", with: .facebook, for: .link(ada.session))
        let pending = try await meetConflict(credential, in: ada.session)
        _ = try await linked.session.unlink(fromProvider: .facebook)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(pending)).get() }
        #expect(try await fixture.count(AccountRecord.self) == 2)
    }

    @Test(.rule("R-CON-8"), arguments: StoreUnderTest.all)
    func `a repeated conflict does not extend its pending credential, and is recorded once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "ada", email: "ada@example.com")
        let first = try await expectConflict {
            try await fixture.outcome(as: "ada-a", with: .apple, email: "ada@example.com")
        }
        var pending = first.pendingCredential
        let end = pending.expiresAt
        for seconds in [300, 299] {
            fixture.clock.advance(by: .seconds(seconds))
            let conflict = try await expectConflict { [pending] in
                try await fixture.auth.signIn(with: .pending(pending))
            }
            pending = conflict.pendingCredential
            #expect(pending.expiresAt == end)
        }
        fixture.clock.advance(by: .seconds(1))
        await expectError(.invalidCredential) { [pending] in
            try await fixture.auth.signIn(with: .pending(pending)).get()
        }
        #expect(try await fixture.audit("identity.conflict") == 1)
    }

    @Test(.rule("R-CON-8"), arguments: StoreUnderTest.all)
    func `a sign-in with a pending credential has the authentication time of the credential's verification`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.signIn(as: "bob", with: .apple)
        let credential = try await fixture.credential(as: "bob", with: .apple, for: .link(ada.session))
        let pending = try await meetConflict(credential, in: ada.session)
        let proven = fixture.clock.now
        fixture.clock.advance(by: .seconds(300))
        let bob = try await fixture.auth.signIn(with: .pending(pending)).get()
        #expect(bob.session.authenticatedAt == proven && bob.session.createdAt == fixture.clock.now)
        #expect(bob.session.methods == [AuthenticationMethod(name: "fed", at: proven)])
        try await bob.session.requireRecentLogin()
        fixture.clock.advance(by: .milliseconds(1))
        await expectError(.requiresRecentLogin) { try await bob.session.requireRecentLogin() }
    }

    @Test(.rule("R-CON-8"), arguments: StoreUnderTest.all)
    func `a pending credential replaces older provider data, but not newer data`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.signIn(as: "bob", with: .apple)
        for isLater in [false, true] {
            let credential = try await fixture.credential(
                as: "bob",
                with: .apple,
                email: Self.email,
                isVerified: false,
                for: .link(ada.session)
            )
            fixture.clock.advance(by: .seconds(1))
            if !isLater { try await fixture.signIn(as: "bob", with: .apple, email: Self.email) }
            let pending = try await meetConflict(credential, in: ada.session)
            fixture.clock.advance(by: .seconds(1))
            if isLater { try await fixture.signIn(as: "bob", with: .apple, email: Self.email) }
            let bob = try await fixture.auth.signIn(with: .pending(pending)).get()
            #expect(bob.account.providerData.first?.isEmailVerified == isLater)
        }
    }

    @Test(.rule("S-BND-1"), arguments: StoreUnderTest.all)
    func `a pending credential is refused with another provider, or if its stored row was changed`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob", with: .apple)
        let credential = try await fixture.credential(as: "bob", with: .apple, for: .link(ada.session))
        let pending = try await meetConflict(credential, in: ada.session)
        let other = PendingCredential(token: pending.token, providerID: .google)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(other)).get() }
        typealias Column = PendingCredentialRecord.Column
        let row = try #require(try await fixture.read { try $0.tables.rows.first(PendingCredentialRecord.self) })
        // The content is encrypted with a key derived from the token, so write access to the store does not allow
        // forging it.
        #expect(!row.content.contains(Array("bob".utf8)))
        var content = row.content
        content[content.count / 2] ^= 1
        for change in [Column.subject.becomes("ada"), Column.content.becomes(content)] {
            try await fixture.read { transaction in
                try transaction.tables.rows.update(
                    PendingCredentialRecord.self,
                    set: change,
                    where: Column.hash.equals(row.hash)
                )
                return
            }
            await expectError(.internalError) { try await fixture.auth.signIn(with: .pending(pending)).get() }
            try await fixture.read { transaction in
                try transaction.tables.rows.delete(PendingCredentialRecord.self, where: Column.hash.equals(row.hash))
                try transaction.tables.rows.add(row)
            }
        }
        #expect(try await fixture.auth.signIn(with: .pending(pending)).get().account.id == bob.account.id)
    }

    @Test(.rule("R-CON-6"), arguments: StoreUnderTest.all)
    func `a resumed session does not count as a new sign-in for a pending credential`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let older = try await fixture.signIn(as: "ada", email: "ada@example.com")
        fixture.clock.advance(by: .seconds(1))
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "ada-a", with: .apple, email: "ada@example.com")
        }
        let pending = conflict.pendingCredential
        try await older.session.closeKeepingTokens()
        let resumed = try await fixture.auth.resume(older.tokens.refreshToken)
        #expect(resumed.session.createdAt > older.session.createdAt)
        await expectError(.invalidCredential) { try await resumed.session.link(with: .pending(pending)) }
        let again = try await fixture.signIn(as: "ada", email: "ada@example.com")
        #expect(try await again.session.link(with: .pending(pending)).outcome == .linked)
    }
}
