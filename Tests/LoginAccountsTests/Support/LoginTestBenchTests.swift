// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import LoginTesting
import Testing

@Suite struct LoginTestBenchTests {
    @Test func `the same address is the same user, whose session expires by the clock of the bench`() async throws {
        let bench = try LoginTestBench()
        let alice = try await bench.signIn("alice@example.com")
        #expect(alice.isNewUser && alice.account.isEmailVerified)
        let again = try await bench.signIn("alice@example.com")
        #expect(!again.isNewUser && again.account.id == alice.account.id)
        #expect(try await bench.signIn("bob@example.com").account.id != alice.account.id)
        #expect(try await bench.auth.session(alice.tokens.sessionToken).accountID == alice.account.id)
        bench.clock.advance(by: .seconds(365 * 86400))
        await #expect(throws: AuthError.self) { try await bench.auth.session(alice.tokens.sessionToken) }
    }

    @Test func `a user signs up by mail and verifies the address with the captured message`() async throws {
        let bench = try LoginTestBench()
        let bob = try await bench.auth.createAccount(email: "bob@example.com", password: "correct horse battery staple")
        #expect(!bob.account.isEmailVerified && bench.mail.token(.resetPassword) == nil)
        let token = try #require(bench.mail.token(.verifyEmail))
        #expect(try await bob.session.verifyEmail(token: token).account.isEmailVerified)
    }

    @Test func `a user signs in with the captured code, if the bench allows sign-in by phone`() async throws {
        let number = "+14155550100"
        let bench = try LoginTestBench(allowsPhoneSignIn: true)
        let sent = try await bench.auth.sendPhoneCode(to: number)
        let code = try #require(bench.codes.last(to: number)?.code)
        #expect(try await bench.auth.signIn(with: .phone(verificationID: sent.id, code: code)).get().isNewUser)
        let other = try LoginTestBench()
        await #expect(throws: AuthError.self) { try await other.auth.sendPhoneCode(to: number) }
        #expect(other.codes.messages.isEmpty)
    }
}
