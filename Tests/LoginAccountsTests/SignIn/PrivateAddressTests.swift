// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Addresses that a provider marks as private.
@Suite struct PrivateAddressTests {
    private static let email = "ada@example.com"

    /// Signs in with a token that marks its address as private.
    private func signIn(
        as subject: String,
        with provider: ProviderID,
        _ fixture: AuthFixture,
        email: String = Self.email
    ) async throws -> AuthDataResult {
        let credential = try await fixture.credential(as: subject, with: provider, email: email) {
            $0.claims["is_private_email"] = true
        }
        return try await fixture.auth.signIn(with: credential).get()
    }

    @Test(.rule("S-EML-3", "S-EML-4"), arguments: StoreUnderTest.all)
    func `the claim is_private_email of another provider than Apple has no effect`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        await expectError(.accountExistsWithDifferentCredential) { try await signIn(as: "eve", with: .google, fixture) }
        // Nor does Apple's domain, from a provider that cannot have created the address.
        let relay = "x@privaterelay.appleid.com"
        let first = try await fixture.signIn(as: "first", email: relay)
        await expectError(.accountExistsWithDifferentCredential) {
            try await fixture.signIn(as: "second", email: relay)
        }
        #expect(first.account.isEmailVerified)
        #expect(try await fixture.auth.account(ada.account.id).isEmailVerified)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-EML-3"), arguments: StoreUnderTest.all)
    func `an address that Apple calls private keeps its owner out of no account, and lets nobody in`(
        _ store: StoreUnderTest
    ) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(emailMatching: .verifiedBoth))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let hidden = try await signIn(as: "eve", with: .apple, fixture)
        #expect(hidden.account.isEmailVerified)
        let owner = try await fixture.signIn(as: "ada", email: Self.email)
        #expect(owner.outcome == .created && owner.account.id != hidden.account.id && owner.account.isEmailVerified)
    }

    @Test(arguments: StoreUnderTest.all)
    func `the check finds an account that shows a verified address of another`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "ada", email: Self.email)
        let eve = try await fixture.signIn(as: "eve", with: .facebook)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
        let id = eve.account.id.rawValue
        try await fixture.read { transaction in
            let rows = transaction.tables.rows
            try rows.update(
                IdentityRecord.self,
                set: IdentityRecord.Column.email.becomes(Self.email),
                IdentityRecord.Column.emailVerified.becomes(1),
                IdentityRecord.Column.isEmailPrivate.becomes(1),
                where: IdentityRecord.Column.accountID.equals(id)
            )
            try rows.update(
                AccountRecord.self,
                set: AccountRecord.Column.email.becomes(Self.email),
                AccountRecord.Column.emailVerified.becomes(1),
                where: AccountRecord.Column.id.equals(id)
            )
        }
        let violations = try await AccountInvariants.violations(in: fixture.store)
        #expect(violations == ["account \(id) shows a verified address that belongs to another account"])
    }
}
