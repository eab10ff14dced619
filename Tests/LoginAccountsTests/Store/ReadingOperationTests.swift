// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Dispatch
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Operations that only read, or refuse before they write: none of them begins a write transaction, for which others
/// would wait.
@Suite(.rule("STORE-17")) struct ReadingOperationTests {
    private static let email = "ada@example.com"
    private static let password = "correct horse battery"

    /// Runs an operation, and expects that it begins only read transactions.
    @discardableResult
    private func expectReading<Value>(
        _ store: RecordingStore,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ operation: () async throws -> Value
    ) async rethrows -> Value {
        store.forget()
        let value = try await operation()
        #expect(!store.transactions.isEmpty && !store.hasWritingTransaction, sourceLocation: sourceLocation)
        return value
    }

    @Test(arguments: StoreUnderTest.all)
    func `refusing an invalid token uses only read transactions`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        await expectReading(store) {
            await expectError(.invalidCredential) {
                try await fixture.auth.signIn(with: .idToken("not a token", attempt: attempt.token)).get()
            }
        }
        await expectReading(store) {
            await expectError(.missingOrInvalidNonce) {
                try await fixture.auth.signIn(with: .idToken("not a token", attempt: AttemptSecret().text)).get()
            }
        }
    }

    @Test(arguments: StoreUnderTest.databases)
    func `an invalid token is refused while another server writes`(_ kind: StoreUnderTest) async throws {
        let pair = try await kind.pair()
        let fixture = try await AuthFixture(pair.one, other: pair.other)
        let attempt = try await fixture.auth.begin(.signIn, with: .google)
        let (begun, refused) = (Latch(), Latch())
        async let written: Void = pair.other.transaction { rows in
            _ = try rows.update(AttemptRecord.table, set: [AttemptRecord.Column.purpose.becomes("link")], where: [])
            begun.open()
            refused.wait()
        }
        await withCheckedContinuation { waiting in
            DispatchQueue.global().async {
                begun.wait()
                waiting.resume()
            }
        }
        await expectError(.invalidCredential) {
            try await fixture.auth.signIn(with: .idToken("not a token", attempt: attempt.token)).get()
        }
        refused.open()
        try await written
    }

    @Test(arguments: StoreUnderTest.all)
    func `previewing a merge uses only read transactions`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let (ada, old) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "old", with: .apple))
        let preview = try await expectReading(store) {
            try await fixture.auth.previewMerge(from: old.session, into: ada.session)
        }
        #expect(preview.moves.map(\.uid) == ["old"])
    }

    @Test(arguments: StoreUnderTest.all)
    func `listing the second factors for a sign-in uses only read transactions`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        try await fixture.giveFactor(to: fixture.signIn(as: "ada").account.id)
        let token = try await expectSecondFactor { try await fixture.outcome(as: "ada") }.token
        let resolver = try await expectReading(store) { try await fixture.auth.resolver(for: token) }
        #expect(resolver.hints.count == 1)
        await expectReading(store) {
            await expectError(.invalidMultiFactorSession) {
                try await fixture.auth.resolver(for: OneTimeToken.signIn.make())
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `refusing a new password uses only read transactions`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        let token = try #require(fixture.mail.token(.resetPassword))
        await expectReading(store) {
            await expectError(.weakPassword) { try await fixture.auth.resetPassword(token: token, to: "short") }
        }
        await expectReading(store) {
            await expectError(.invalidCredential) {
                try await fixture.auth.resetPassword(token: "lle_unknown", to: "another horse")
            }
        }
        await expectReading(store) {
            await expectError(.weakPassword) { try await ada.session.setPassword("short") }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `checking for a recent login uses only read transactions`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada")
        try await expectReading(store) { try await ada.session.requireRecentLogin() }
        fixture.clock.advance(by: .seconds(301))
        await expectReading(store) {
            await expectError(.requiresRecentLogin) { try await ada.session.requireRecentLogin() }
        }
        try await ada.session.closeKeepingTokens()
        await expectReading(store) {
            await expectError(.invalidUserToken) { try await ada.session.requireRecentLogin() }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `checking whether recovery codes may be replaced uses only read transactions`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.ada().session
        await expectReading(store) {
            await expectError(.secondFactorRequired) { try await ada.multiFactor.requireRecoveryCodesAllowed() }
        }
        let enrolled = try await fixture.enrolApp(ada).enrolled.session
        try await expectReading(store) { try await enrolled.multiFactor.requireRecoveryCodesAllowed() }
    }

    @Test(arguments: StoreUnderTest.all)
    func `refusing an invalid token with an idempotency key uses only read transactions`(_ kind: StoreUnderTest)
        async throws
    {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada")
        let attempt = try await fixture.auth.begin(.link(ada.session), with: .apple)
        await expectReading(store) {
            await expectError(.invalidCredential) {
                try await ada.session.link(with: .idToken("not a token", attempt: attempt.token), idempotencyKey: "k")
            }
        }
    }

    /// The sweep deletes in write transactions, which are told apart by their statements; a store without SQL has none.
    @Test(arguments: StoreUnderTest.databases)
    func `a sweep finds unused accounts in read transactions`(_ kind: StoreUnderTest) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        _ = try await fixture.auth.signInAnonymously()
        for deleted in [0, 1] {
            store.forget()
            #expect(try await fixture.auth.sweep().deletedAccounts == deleted)
            let looking = store.transactions.filter { $0.statements.first == "SELECT login_account" }
            #expect(looking == [.init(mayWrite: false, statements: ["SELECT login_account"])])
            fixture.clock.advance(by: fixture.auth.policy.linking.anonymousLifetime + .milliseconds(1))
        }
    }
}
