// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LimitedLogin
import LimitedLoginHTTP
import LoginAccounts
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginHTTP

@Suite struct StoredProfileTests {
    /// Requests a route that answers with the address in `Profile.current`: with two sessions of Facebook, with one of
    /// Google, and without a session.
    private func answers(_ policy: AuthPolicy) async throws -> [String] {
        let fixture = try await LoginFixture(policy: policy)
        let answers = Box<[String]>([])
        let address: TestServer.Route = { visit in
            guard let session = visit.session else { return Profile.current?.email ?? "unknown" }
            return try await session.withStoredProfile { Profile.current?.email ?? "unknown" }
        }
        try await fixture.run(routes: ["/address": address]) { client in
            let ada = try await client.signIn("ada", with: .facebook, email: "ada@example.com")
            let bob = try await client.signIn("bob", with: .facebook)
            let eve = try await client.signIn("eve", with: .google, email: "eve@example.com")
            let sessions: [String?] = try [ada, bob, eve].map { try $0.text("tokens.sessionToken") } + [nil]
            for session in sessions {
                let text = try await client.ask(.get, "/address", bearer: session).text
                answers.change { $0.append(text) }
            }
        }
        return answers.value
    }

    @Test func `requests of a session that was opened with Facebook have the stored profile, others have none`()
        async throws
    {
        let expected = ["ada@example.com", "unknown", "unknown", "unknown"]
        #expect(try await answers(AuthPolicy(storesProfiles: true)) == expected)
    }

    @Test func `without stored profiles no request has a profile`() async throws {
        #expect(try await answers(AuthPolicy()) == ["unknown", "unknown", "unknown", "unknown"])
    }
}
#endif
