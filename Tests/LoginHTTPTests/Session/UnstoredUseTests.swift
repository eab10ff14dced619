// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import InMemoryLogging
import LoginAccounts
import LoginTesting
import Logging
import TestSupport
import Testing

@testable import LoginHTTP

/// A server whose store can be read but not written.
@Suite struct UnstoredUseTests {
    @Test func `forward-auth still authorizes a session, and one warning a minute reports the store`() async throws {
        var handler = InMemoryLogHandler()
        handler.logLevel = .debug
        let logger = Logger(label: "test") { [handler] _ in handler }
        let store = BreakableStore()
        let fixture = try await LoginFixture(store: store)
        try await fixture.run(logger: logger) { client in
            let token = try await client.signIn("ada").text("tokens.sessionToken")
            _ = try await client.ask(.get, "/v1/forward-auth", bearer: token)
            fixture.clock.advance(by: .seconds(120))
            store.writeFailure = .unavailable
            for _ in 1...3 {
                #expect(try await client.ask(.get, "/v1/forward-auth", bearer: token).status == .ok)
            }
            try await client.refused(AuthError.Code.storeUnavailable, .post, "/v1/sign-in/anonymous", "{}")
            store.failure = .unavailable
            try await client.refused(AuthError.Code.storeUnavailable, .get, "/v1/forward-auth", bearer: token)
        }
        let lines = handler.entries.filter { "\($0.message)" == "use of a session not stored" }
        #expect(lines.map(\.level) == [.warning, .debug, .debug])
        #expect(lines.first?.metadata["error.code"] == "store-unavailable")
        #expect(lines.allSatisfy { line in !line.metadata.values.contains { "\($0)".contains("ada") } })
    }
}
#endif
