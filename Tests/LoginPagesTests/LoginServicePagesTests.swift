// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginAccounts
import LoginHummingbird
import LoginPages
import LoginProviders
import LoginTesting
import Testing

/// The pages of a server created from one declaration.
@Suite struct LoginServicePagesTests {
    @Test func `the API and the pages can be routes of one router`() async throws {
        let login = try LoginService(
            publicURL: PageBench.publicURL,
            providers: [.google(clientID: "client-1")],
            store: InMemoryAccountStore(),
            secrets: PageBench.secrets,
            transport: StubTransport(),
            clock: ManualClock()
        )
        let router = Router(context: BasicLoginRequestContext.self)
        login.addAPI(to: router)
        login.addPages(to: router)
        try await Application(router: router).test(.router) { client in
            for path in ["/healthz", "/login"] {
                try await client.execute(uri: path, method: .get) { #expect($0.status == .ok, "\(path)") }
            }
            try await client.execute(uri: "/v1/account", method: .get) { #expect($0.status == .unauthorized) }
        }
    }
}
#endif
