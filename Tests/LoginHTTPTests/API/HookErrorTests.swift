// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import Testing

@testable import LoginHTTP

/// Errors of the application's hooks over HTTP.
@Suite struct HookErrorTests {
    private struct Refusal: Error {}

    private func auth(_ fixture: LoginFixture, throwing error: any Error) -> Auth {
        Auth(
            store: InMemoryAccountStore(),
            providers: fixture.auth.providers,
            secrets: LoginFixture.secrets,
            clock: fixture.clock,
            hooks: AuthHooks(onSignIn: { _, _ in throw error })
        )
    }

    @Test func `an error that a hook throws is answered as if a route handler had thrown it`() async throws {
        let fixture = try await LoginFixture()
        let refusing = auth(fixture, throwing: Problem(ProblemCode(.operationNotAllowed)))
        try await fixture.run(of: refusing) { client in
            try await client.refused(.operationNotAllowed, .post, "/v1/sign-in/anonymous", "{}")
        }
        let failing = auth(fixture, throwing: Refusal())
        try await fixture.run(of: failing) { client in
            let answer = try await client.ask(.post, "/v1/sign-in/anonymous", "{}")
            #expect(answer.status == .internalServerError)
        }
    }
}
#endif
