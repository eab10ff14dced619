// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import LoginTesting
import Testing

@Suite struct LoginTestBenchTests {
    @Test func `the same address is the same user, whose session ends with the bench's clock`() async throws {
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
}
