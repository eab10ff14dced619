// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHTTP

/// Routes that need a session, requested without a sufficient one.
@Suite struct SessionDecisionTests {
    /// The media types that Chromium accepts in a navigation.
    private static let html = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"

    /// Pages whose redirects name the step and the return path.
    private static let pages = AddedPages.Functions(
        redirect: { step, returnPath in
            ServerResponse(status: .seeOther, headers: [.location: "\(step) \(returnPath)"])
        },
        page: { problem, _ in ServerResponse(status: problem.status) }
    )

    private func service() throws -> LoginService {
        var login = try LoginService(
            publicURL: "https://login.example.com",
            providers: [.google(clientID: "client-1")],
            store: InMemoryAccountStore(),
            secrets: LoginFixture.secrets,
            transport: StubTransport(),
            clock: ManualClock()
        )
        // The test chooses the ID of the request, which is part of the answer.
        login.trustedProxies = TrustedProxies([])
        return login
    }

    private struct Answer: Equatable {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var body: String
    }

    /// A route of an application.
    private typealias Route = @Sendable (Session) async throws -> String

    private func ask(
        _ login: LoginService,
        _ method: HTTPRequest.Method,
        _ target: String,
        _ fields: HTTPFields,
        level: Int = 1,
        _ route: Route = { _ in "notes" }
    ) async throws -> Answer {
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target, headerFields: fields)
        head.headerFields[.xRequestID] = "request-1"
        let request = ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
        let response = try await login.respond(to: request, level: level) { session, _ in
            ServerResponse(status: .ok, body: ServerResponse.Body(try await route(session).utf8))
        }
        return Answer(status: response.status, headers: response.headers, body: response.text)
    }

    @Test func `only navigations are redirected, and all other responses are the same as without pages`() async throws {
        let navigations: [(HTTPRequest.Method, HTTPFields)] = [
            (.get, [.accept: Self.html]), (.head, [.accept: Self.html]), (.get, [.accept: "TEXT/HTML"]),
            (.get, [.accept: Self.html, .secFetchMode: "navigate"]),
            (.get, [.accept: "application/json;q=0.8, text/html; q=0.9"]),
            (.get, [.accept: Self.html, .authorization: "Basic YTpi"]),
        ]
        let others: [(HTTPRequest.Method, HTTPFields)] = [
            (.get, [:]), (.get, [.accept: "*/*"]), (.get, [.accept: "application/json"]),
            (.get, [.accept: "text/html, application/json"]),
            (.get, [.accept: "text/html;q=0.5, application/problem+json"]), (.get, [.accept: "text/html;q=0, */*"]),
            (.get, [.accept: Self.html, .secFetchMode: "cors"]),
            (.get, [.accept: Self.html, .secFetchMode: "no-cors"]),
            (.post, [.accept: Self.html]), (.post, [.accept: Self.html, .secFetchMode: "navigate"]),
            (.get, [.accept: Self.html, .authorization: "Bearer unknown"]),
            (.get, [.accept: Self.html, .authorization: "Bearer"]),
        ]
        let login = try service()
        for (method, fields) in navigations + others {
            login.addedPages.functions = nil
            let before = try await ask(login, method, "/notes?of=today", fields)
            #expect(before.status == .unauthorized, "\(method) \(fields)")
            #expect(before.headers[.wwwAuthenticate]?.hasPrefix("Bearer") ?? false, "\(method) \(fields)")
            #expect(before.headers[.contentType] == "application/problem+json", "\(method) \(fields)")
            login.addedPages.functions = Self.pages
            let after = try await ask(login, method, "/notes?of=today", fields)
            if navigations.contains(where: { $0 == (method, fields) }) {
                #expect(after.status == .seeOther, "\(method) \(fields)")
                #expect(after.headers[.location] == "signIn /notes?of=today", "\(method) \(fields)")
                #expect(after.headers[.vary] == "Accept, Cookie, Sec-Fetch-Mode", "\(method) \(fields)")
                #expect(after.headers[.wwwAuthenticate] == nil && after.body.isEmpty, "\(method) \(fields)")
            } else {
                #expect(after == before, "\(method) \(fields)")
            }
        }
    }

    @Test func `a browser with a session is redirected only to step up, and a stale cookie is deleted`() async throws {
        let login = try service()
        login.addedPages.functions = Self.pages
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let cookie: HTTPFields = [.cookie: "\(SessionCookies.sessionName)=\(token)"]
        var browser = cookie
        browser[.accept] = Self.html
        let stale: HTTPFields = [.cookie: "\(SessionCookies.sessionName)=unknown", .accept: Self.html]
        let bearer: HTTPFields = [.authorization: "Bearer \(token)", .accept: Self.html]
        let routes: [String: (level: Int, route: Route)] = [
            "/notes": (1, { _ in "notes" }), "/admin": (2, { _ in "admin" }),
            "/strict": (
                1,
                { session in
                    try session.requireLevel(2)
                    return "strict"
                }
            ),
            "/odd": (1, { _ in throw Problem(.missingSession) }),
        ]
        let expected: [(String, HTTPFields, HTTPResponse.Status, location: String?)] = [
            ("/notes", browser, .ok, nil), ("/notes", stale, .seeOther, "signIn /notes"),
            ("/odd", browser, .unauthorized, nil),
            ("/strict", browser, .seeOther, "stepUp /strict"), ("/strict", cookie, .unauthorized, nil),
            ("/admin", browser, .seeOther, "stepUp /admin"), ("/admin", stale, .seeOther, "signIn /admin"),
            ("/admin", cookie, .unauthorized, nil), ("/admin", bearer, .unauthorized, nil),
        ]
        for (path, fields, status, location) in expected {
            let (level, route) = try #require(routes[path])
            let answer = try await ask(login, .get, path, fields, level: level, route)
            #expect(answer.status == status && answer.headers[.location] == location, "\(path) \(fields)")
            #expect(answer.headers.setsCookie(SessionCookies.sessionName) == (fields == stale), "\(path) \(fields)")
        }
    }
}
#endif
