// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The SQL statements of the most frequent requests, in order, without those that begin and end a transaction.
@Suite(.rule("STORE-18")) struct StatementTests {
    private let email = "ada@example.com"

    @Test(arguments: StoreUnderTest.databases)
    func `a sign-in with a known login runs these statements`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        try await fixture.signIn(as: "ada", email: email)
        let credential = try await fixture.credential(as: "ada", with: .google, email: email)
        fixture.clock.advance(by: .seconds(1))
        store.forget()
        _ = try await fixture.auth.signIn(with: credential).get()
        #expect(
            store.statements == [
                "SELECT login_attempt",
                "UPDATE login_attempt",
                "SELECT login_identity_key login_identity",
                "UPDATE login_account",
                "SELECT login_identity",
                "SELECT login_factor",
                "UPDATE login_identity",
                "SELECT login_email",
                "UPDATE login_account",
                "INSERT login_session_family",
                "INSERT login_session",
                "INSERT login_audit",
                "INSERT login_outbox",
                "SELECT login_session",
            ]
        )
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a sign-in with a login whose address is unverified runs these statements`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        try await fixture.signIn(as: "ada", with: .facebook, email: email)
        let credential = try await fixture.credential(as: "ada", with: .facebook, email: email)
        fixture.clock.advance(by: .seconds(1))
        store.forget()
        _ = try await fixture.auth.signIn(with: credential).get()
        #expect(
            store.statements == [
                "SELECT login_attempt",
                "UPDATE login_attempt",
                "SELECT login_identity_key login_identity",
                "UPDATE login_account",
                "SELECT login_identity",
                "SELECT login_factor",
                "UPDATE login_identity",
                "SELECT login_email",
                "SELECT login_email",
                "SELECT login_account",
                "UPDATE login_account",
                "INSERT login_session_family",
                "INSERT login_session",
                "INSERT login_audit",
                "INSERT login_outbox",
                "SELECT login_session",
            ]
        )
    }

    @Test(arguments: StoreUnderTest.databases)
    func `reading an account with its session token runs these statements`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada", email: email)
        // The first use is recorded.
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        store.forget()
        _ = try await fixture.auth.session(ada.tokens.sessionToken).account()
        #expect(
            store.statements == [
                "SELECT login_session login_account",
                "SELECT login_session login_account",
                "SELECT login_identity",
                "SELECT login_factor",
            ]
        )
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a refresh runs these statements`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada", email: email)
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        store.forget()
        _ = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(
            store.statements == [
                "SELECT login_session_family",
                "UPDATE login_account",
                "SELECT login_session_family",
                "SELECT login_session",
                "UPDATE login_session_family",
                "UPDATE login_session",
            ]
        )
    }
}
