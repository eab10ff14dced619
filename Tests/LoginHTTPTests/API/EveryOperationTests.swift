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

/// Refusals that are the same for every operation, requested of each of them.
@Suite struct EveryOperationTests {
    typealias Operation = LoginHTTP.Operation

    private static let ownPage: HTTPFields = [.origin: LoginFixture.publicURL]

    private func fixture(
        policy: AuthPolicy = AuthPolicy(),
        store: any AccountStore = InMemoryAccountStore()
    ) async throws -> LoginFixture {
        var fixture = try await LoginFixture(policy: policy, store: store)
        fixture.options.facebookApp = try FacebookApp(id: "1234567890", secret: "s3cret-of-a-test")
        return fixture
    }

    /// Sends a request to each matching operation, and expects the same refusal from all.
    private func everyOperation(
        of client: APIClient,
        where isMeant: (Operation) -> Bool,
        refuses code: ProblemCode,
        atLeast: Int,
        bearer: String? = nil,
        headers: HTTPFields = [:],
        body: String? = nil
    ) async throws {
        let meant = client.operations.filter(isMeant)
        #expect(meant.count >= atLeast, "\(meant.map(\.name))")
        for operation in meant {
            let (path, sample) = operation.sample
            var headers = headers
            if headers[.contentType] == nil { headers[.contentType] = operation.contentType }
            try await client.refused(
                code,
                operation.method,
                path,
                body ?? sample,
                bearer: bearer,
                headers: headers
            )
        }
    }

    private func needsSession(_ operation: Operation) -> Bool { operation.session == .required }

    private func looksAtSession(_ operation: Operation) -> Bool { operation.session != .none }

    private func hasJSON(_ operation: Operation) -> Bool {
        if case .json = operation.body { true } else { false }
    }

    @Test func `every GET operation answers HEAD with the same status and headers, without a body`() async throws {
        try await fixture().run { client in
            let token = try await client.session(of: "ada")
            let meant = client.operations.filter { $0.method == .get }
            #expect(meant.count >= 8, "\(meant.map(\.name))")
            for operation in meant {
                for bearer in [token, nil] {
                    let shown = try await client.ask(.get, operation.sample.path, bearer: bearer)
                    let head = try await client.ask(.head, operation.sample.path, bearer: bearer)
                    #expect(head.status == shown.status && head.text.isEmpty, "\(operation.name)")
                    var headers = head.headers
                    headers[.xRequestID] = shown.headers[.xRequestID]
                    #expect(headers == shown.headers, "\(operation.name)")
                }
            }
        }
    }

    @Test func `every operation that requires a session refuses a request without one`() async throws {
        try await fixture().run { client in
            try await everyOperation(of: client, where: needsSession, refuses: .missingSession, atLeast: 20)
        }
    }

    @Test func `every operation that reads a session refuses an unknown or malformed token`() async throws {
        try await fixture().run { client in
            try await everyOperation(
                of: client,
                where: looksAtSession,
                refuses: ProblemCode(.invalidUserToken),
                atLeast: 20,
                bearer: "lls_made-up"
            )
            try await everyOperation(
                of: client,
                where: looksAtSession,
                refuses: .invalidRequest,
                atLeast: 20,
                headers: [.authorization: "Bearer a b"]
            )
        }
    }

    @Test func `every operation that reads a session refuses an expired session token`() async throws {
        let policy = AuthPolicy(sessions: SessionPolicy(tokenLifetime: .seconds(600)))
        let fixture = try await fixture(policy: policy)
        try await fixture.run { client in
            let token = try await client.session(of: "ada")
            fixture.clock.advance(by: .seconds(1200))
            try await everyOperation(
                of: client,
                where: looksAtSession,
                refuses: ProblemCode(.userTokenExpired),
                atLeast: 20,
                bearer: token
            )
        }
    }

    @Test func `every operation that reads a session refuses that of a disabled account`() async throws {
        let fixture = try await fixture()
        try await fixture.run { client in
            let answer = try await client.signIn("ada")
            try await fixture.auth.disable(AccountID(rawValue: answer.text("account.id")))
            try await everyOperation(
                of: client,
                where: looksAtSession,
                refuses: ProblemCode(.userDisabled),
                atLeast: 20,
                bearer: try answer.text("tokens.sessionToken")
            )
        }
    }

    @Test func `every operation that changes something refuses a session cookie from another origin`() async throws {
        try await fixture().run { client in
            let shown = try client.credential("ada", of: .google, attempt: try await client.begin(.google))
            let answer = try await client.ask(
                .post,
                "/v1/sign-in",
                #"{"credential":\#(shown),"cookies":true}"#,
                headers: Self.ownPage
            )
            let session = try #require(answer.cookie(SessionCookies.sessionName))
            try await everyOperation(
                of: client,
                where: { looksAtSession($0) && $0.method != .get },
                refuses: .crossSite,
                atLeast: 15,
                headers: [.cookie: "\(SessionCookies.sessionName)=\(session)", .origin: "https://evil.example"]
            )
        }
    }

    @Test(arguments: [
        (StoreError.Code.unavailable, AuthError.Code.storeUnavailable), (.busy, .conflictRetry),
    ])
    func `every operation that reads a session reports an unavailable or busy store`(
        failure: StoreError.Code,
        code: AuthError.Code
    ) async throws {
        let store = BreakableStore()
        try await fixture(store: store).run { client in
            let token = try await client.session(of: "ada")
            store.failure = failure
            try await everyOperation(
                of: client,
                where: looksAtSession,
                refuses: ProblemCode(code),
                atLeast: 20,
                bearer: token
            )
        }
    }

    @Test func `every operation with a JSON body refuses unknown members, other content types and long bodies`()
        async throws
    {
        try await fixture().run { client in
            let token = try await client.session(of: "ada")
            for (code, body, type) in [
                (ProblemCode.invalidRequest, #"{"made-up":1}"#, "application/json"),
                (.unsupportedType, "{}", "text/plain"),
                (.tooLarge, "{}" + String(repeating: " ", count: 64 * 1024), "application/json"),
            ] {
                try await everyOperation(
                    of: client,
                    where: hasJSON,
                    refuses: code,
                    atLeast: 15,
                    bearer: token,
                    headers: [.contentType: type],
                    body: body
                )
            }
        }
    }

    @Test func `every operation is refused if its network exceeds the rate limit`() async throws {
        let fixture = try await fixture()
        // The clock stands still: however long the requests take, the second one of each group is refused.
        let start = ContinuousClock.now
        var login = try fixture.service()
        login.counts = RequestCounts(now: { start })
        login.limits = RequestLimits(requests: 1, verifications: 1, forwarded: 1)
        var client = APIClient(server: TestServer(login), fixture: fixture, operations: login.operations)
        client.peer = .address("192.0.2.1")
        for path in ["/v1/session", "/v1/verify", "/v1/forward-auth"] {
            let first = try await client.ask(path == "/v1/verify" ? .post : .get, path)
            #expect(first.status != .tooManyRequests)
        }
        try await everyOperation(
            of: client,
            where: { $0.group != .health },
            refuses: ProblemCode(.tooManyRequests),
            atLeast: 38
        )
        for _ in 0..<3 { #expect(try await client.ask(.get, "/healthz").status == .ok) }
    }

    private struct Unforeseen: Error {}

    @Test func `every operation answers an unexpected error as an internal error`() async throws {
        let fixture = try await fixture()
        let login = try fixture.service()
        let server = TestServer { request in try await login.serve(request) { _ in throw Unforeseen() } }
        try await everyOperation(
            of: APIClient(server: server, fixture: fixture, operations: login.operations),
            where: { _ in true },
            refuses: ProblemCode(.internalError),
            atLeast: 40
        )
    }

    @Test func `the documented problems of every operation are recorded, to be compared with the tested ones`()
        async throws
    {
        let fixture = try await fixture()
        let operations = try fixture.service().operations
        for operation in operations {
            for code in operation.allProblems {
                recordCode("\(operation.name)/\(code.rawValue)", of: "Operation.allProblems")
            }
        }
        #expect(operations.count >= 40)
    }
}
#endif
