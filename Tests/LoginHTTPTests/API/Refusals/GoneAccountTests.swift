// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Accounts and sessions that are deleted, merged or closed before or during a request.
@Suite struct GoneAccountTests {
    /// An event on another server after the session of a request was found, and before it is used.
    private typealias Event = @Sendable (Session) async throws -> Void

    private func run(
        _ test: @Sendable (APIClient, _ meanwhile: Box<Event?>) async throws -> Void
    ) async throws {
        let fixture = try await LoginFixture()
        let meanwhile = Box<Event?>(nil)
        let login = try fixture.service()
        let operations = login.operations
        let whole = TestServer(login)
        let server = TestServer { request in
            guard let operation = operations.first(where: { $0.method == request.method && $0.path == request.path }),
                operation.session == .required, let event = meanwhile.change({ $0.take() })
            else { return try await whole.respond(request) }
            return try await login.serve(request) { visit in
                try await login.authenticator.authenticate(&visit, staleCookie: .refuse)
                try await event(try #require(visit.session))
                return try await operation.respond(to: visit, parameters: [:], longestBody: 65_536)
            }
        }
        try await test(APIClient(server: server, fixture: fixture, operations: operations), meanwhile)
    }

    /// Returns otherwise valid requests, each with the codes it is refused with if the account is deleted or merged.
    private func requests(_ client: APIClient, bearer: String) async throws -> [(TableRequest, [AuthError.Code])] {
        let linked = try await client.good("another", of: .facebook, for: "link", bearer: bearer)
        let own = try await client.good("ada", for: "reauthenticate", bearer: bearer)
        let source = try await client.session(of: "joan", with: .facebook)
        return [
            (TableRequest(method: .delete, path: "/v1/account", bearer: bearer), [.userNotFound, .accountMerged]),
            (TableRequest(method: .get, path: "/v1/account/data", bearer: bearer), [.userNotFound]),
            (
                TableRequest(path: "/v1/link", body: #"{"credential":\#(linked)}"#, bearer: bearer),
                [.userNotFound, .accountMerged]
            ),
            (
                TableRequest(path: "/v1/reauthenticate", body: #"{"credential":\#(own)}"#, bearer: bearer),
                [.userNotFound, .accountMerged]
            ),
            (TableRequest(path: "/v1/merge", body: #"{"source":"\#(source)"}"#, bearer: bearer), [.accountMerged]),
        ]
    }

    @Test func `a request is refused with user-not-found if its account is deleted meanwhile`() async throws {
        try await run { client, meanwhile in
            let auth = client.fixture.auth
            for index in 0..<5 {
                let bearer = try await client.session(of: "ada")
                let (request, codes) = try await requests(client, bearer: bearer)[index]
                guard codes.contains(.userNotFound) else { continue }
                meanwhile.change { $0 = { try await auth.delete($0.accountID) } }
                try await client.refused(.userNotFound, request)
                // The next request finds no session.
                try await client.refused(.invalidUserToken, request)
            }
        }
    }

    @Test func `a request is refused with account-merged and the target if its account is merged meanwhile`()
        async throws
    {
        try await run { client, meanwhile in
            let auth = client.fixture.auth
            for index in 0..<5 {
                let bearer = try await client.session(of: "ada")
                let (request, codes) = try await requests(client, bearer: bearer)[index]
                guard codes.contains(.accountMerged) else { continue }
                let target = try await client.session(of: "target\(index)", with: .facebook)
                meanwhile.change {
                    $0 = { try await auth.merge(from: $0, into: auth.session(target)) }
                }
                let answer = try await client.refused(.accountMerged, request)
                let merged = try await client.ask(.get, "/v1/account", bearer: target).text("id")
                #expect(try answer.text("mergedInto") == merged)
                // The login is unlinked, so that the next round starts anew.
                try await client.accepted(
                    TableRequest(path: "/v1/unlink", body: #"{"provider":"google"}"#, bearer: target)
                )
            }
        }
    }

    /// Otherwise valid requests of operations without a specific refusal for a deleted account.
    private static let ofTheSession: [(HTTPRequest.Method, String, String?)] = [
        (.get, "/v1/account", nil), (.patch, "/v1/account", #"{"displayName":"Ada"}"#),
        (.put, "/v1/account/password", #"{"password":"a long enough pass phrase"}"#),
        (.post, "/v1/unlink", #"{"provider":"google"}"#), (.post, "/v1/second-factors/totp", "{}"),
        (.post, "/v1/second-factors/recovery-codes", nil), (.delete, "/v1/second-factors/none", nil),
        (.get, "/v1/sessions", nil), (.delete, "/v1/sessions", nil), (.delete, "/v1/sessions/none", nil),
    ]

    @Test(arguments: [false, true])
    func `other operations report an invalid session if the account is deleted or merged meanwhile`(isMerged: Bool)
        async throws
    {
        try await run { client, meanwhile in
            let auth = client.fixture.auth
            var codes: [String] = []
            for (index, (method, path, body)) in Self.ofTheSession.enumerated() {
                let bearer = try await client.session(of: "ada\(index)")
                let request = TableRequest(method: method, path: path, body: body, bearer: bearer)
                let target = try await client.session(of: "target\(index)", with: .facebook)
                meanwhile.change {
                    $0 = { session in
                        if isMerged {
                            try await auth.merge(from: session, into: auth.session(target))
                        } else {
                            try await auth.delete(session.accountID)
                        }
                    }
                }
                let answer = try await client.ask(request)
                codes.append(answer.status.kind == .successful ? "done" : try answer.text("code"))
            }
            #expect(!codes.contains("user-not-found") && !codes.contains("account-merged"), "\(codes)")
            #expect(codes.count { $0 == "invalid-user-token" } >= 5, "\(codes)")
        }
    }

    @Test func `a refresh token is refused if it is expired or unknown, or its account is disabled`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            for path in ["/v1/refresh", "/v1/resume"] {
                let disabled = try await client.signIn("ada")
                func request(_ token: String) -> TableRequest {
                    TableRequest(path: path, body: #"{"refreshToken":"\#(token)"}"#)
                }
                let first = try await client.accepted(request(try disabled.text("tokens.refreshToken")))
                let next = try first.text("tokens.refreshToken")
                let id = AccountID(rawValue: try disabled.text("account.id"))
                try await fixture.auth.disable(id)
                try await client.refused(.userDisabled, request(next))
                try await fixture.auth.enable(id)
                let unused = try await client.signIn("grace").text("tokens.refreshToken")
                fixture.clock.advance(by: .seconds(14 * 86400))
                try await client.refused(.userTokenExpired, request(unused))
                try await client.refused(.invalidUserToken, request("made-up"))
                // Before its expiry the token is valid.
                let used = try await client.signIn("grace").text("tokens.refreshToken")
                fixture.clock.advance(by: .seconds(14 * 86400 - 1))
                try await client.accepted(request(used))
            }
        }
    }
}
#endif
