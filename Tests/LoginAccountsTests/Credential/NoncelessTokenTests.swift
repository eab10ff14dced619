// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// ID tokens of apps that pass no nonce to the provider.
@Suite(.rule("S-NON-4")) struct NoncelessTokenTests {
    private func signIn(
        _ fixture: AuthFixture,
        as subject: String = "ada",
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> AuthDataResult {
        let credential = try await fixture.credential(as: subject, with: AuthFixture.bare, change)
        return try await fixture.auth.signIn(with: credential).get()
    }

    @Test(arguments: StoreUnderTest.all)
    func `a token without a nonce is accepted until it is five minutes old`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let now = Int(fixture.clock.now.timeIntervalSince1970)
        let attempt = try await fixture.auth.begin(.signIn, with: AuthFixture.bare)
        func token(age: Int) -> String {
            fixture.token(of: attempt, as: "ada", with: AuthFixture.bare) { $0.claims["iat"] = .number("\(now - age)") }
        }
        let leeway = 30
        let error = await expectError(.invalidCredential) {
            try await fixture.auth.signIn(with: .idToken(token(age: 301 + leeway), attempt: attempt.token)).get()
        }
        #expect(error?.refusal?.code == .tooOld)
        // The refusal consumed nothing.
        let young = token(age: 300 + leeway)
        _ = try await fixture.auth.signIn(with: .idToken(young, attempt: attempt.token)).get()
    }

    @Test(arguments: StoreUnderTest.all)
    func `a token with a nonce is refused where it must have none`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        for nonce: TestJSON in ["another", ""] {
            await expectError(.missingOrInvalidNonce) {
                try await signIn(fixture) { $0.claims["nonce"] = nonce }
            }
        }
        #expect(try await fixture.count(SeenTokenRecord.self) == 0)
    }

    @Test(arguments: StoreUnderTest.all)
    func `the hash of an accepted token is kept until it has expired, and for the leeway`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let end = Int(fixture.clock.now.timeIntervalSince1970) + 100
        _ = try await signIn(fixture) { $0.claims["exp"] = .number("\(end)") }
        let rows = try await fixture.read { try $0.tables.rows.all(SeenTokenRecord.self) }
        #expect(rows.map(\.hash.count) == [32] && rows.map(\.providerID) == [AuthFixture.bare])
        fixture.clock.advance(by: .seconds(129))
        #expect(try await fixture.auth.sweep().removed[SeenTokenRecord.table.name] == nil)
        fixture.clock.advance(by: .seconds(2))
        #expect(try await fixture.auth.sweep().removed[SeenTokenRecord.table.name] == 1)
    }

    @Test(.rule("S-RAC-1"), arguments: StoreUnderTest.all)
    func `of two attempts on two servers, one is completed by the same token`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let first = try await one.begin(.signIn, with: AuthFixture.bare)
            let second = try await other.begin(.signIn, with: AuthFixture.bare)
            let token = fixture.token(of: first, as: "ada \(round)", with: AuthFixture.bare)
            let contenders: [Race.Contender<AuthDataResult>] = [
                { try await one.signIn(with: .idToken(token, attempt: first.token)).get() },
                { try await other.signIn(with: .idToken(token, attempt: second.token)).get() },
            ]
            let results = await Race.run(contenders)
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["missing-or-invalid-nonce"])
        }
        #expect(try await fixture.count(AccountRecord.self) == Race.rounds)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a link with a token without a nonce uses up the token for sign-ins too`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        let session = try await fixture.signIn(as: "ada").session
        let link = try await fixture.auth.begin(.link(session), with: AuthFixture.bare)
        let token = fixture.token(of: link, as: "bare ada", with: AuthFixture.bare)
        _ = try await session.link(with: .idToken(token, attempt: link.token))
        let attempt = try await fixture.auth.begin(.signIn, with: AuthFixture.bare)
        await expectError(.missingOrInvalidNonce) {
            try await fixture.auth.signIn(with: .idToken(token, attempt: attempt.token)).get()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `a verifier without a maximum age completes no attempt without a nonce`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let google = fixture.google
        func verify(within age: Duration?) async throws -> VerifiedToken {
            let attempt = try await fixture.auth.begin(.signIn, with: AuthFixture.bare)
            let token = fixture.token(of: attempt, as: "ada", with: AuthFixture.bare)
            let policy = try TokenPolicy(provider: google.provider, audiences: [google.audience], maximumAge: age)
            let verifier = TokenVerifier(policy: policy, keys: google.keys, clock: google.clock)
            return try await fixture.auth.verify(
                token,
                attempt: attempt.token,
                of: AuthFixture.bare,
                by: verifier
            )
        }
        for age in [nil, .seconds(301)] as [Duration?] {
            await expectError(.operationNotAllowed) { try await verify(within: age) }
        }
        #expect(try await verify(within: .seconds(300)).subject == "ada")
        await expectError(.missingOrInvalidNonce) { try await verify(within: .seconds(300)) }
    }
}
