// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import NIOCore
import Testing

@testable import LoginHummingbird

/// Routes behind `requireSession`, requested without a sufficient session.
@Suite struct RequireSessionTests {
    /// The media types that Chromium accepts in a navigation.
    private static let html = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"

    /// A redirect as pages answer it, whose location names the step and the return path.
    private static let redirect: AddedPages.Redirect = { step, returnPath in
        Response(status: .seeOther, headers: [.location: "\(step) \(returnPath)"])
    }

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

    private func ask(
        _ client: any TestClientProtocol,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: HTTPFields
    ) async throws -> Answer {
        var fields = fields
        fields[.xRequestID] = "request-1"
        return try await client.execute(uri: path, method: method, headers: fields) { response in
            Answer(status: response.status, headers: response.headers, body: String(buffer: response.body))
        }
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
        let router = Router(context: BasicLoginRequestContext.self, options: .autoGenerateHeadEndpoints)
        let own = router.group().add(middleware: login.requireSession)
        own.get("notes") { _, _ in "notes" }
        own.post("notes") { _, _ in "notes" }
        try await Application(router: router).test(.router) { client in
            for (method, fields) in navigations + others {
                login.addedPages.redirect = nil
                let before = try await ask(client, method, "/notes?of=today", fields)
                #expect(before.status == .unauthorized, "\(method) \(fields)")
                #expect(before.headers[.wwwAuthenticate]?.hasPrefix("Bearer") ?? false, "\(method) \(fields)")
                #expect(before.headers[.contentType] == "application/problem+json", "\(method) \(fields)")
                login.addedPages.redirect = Self.redirect
                let after = try await ask(client, method, "/notes?of=today", fields)
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
    }

    @Test func `a browser with a session is redirected only to step up, and a stale cookie is deleted`() async throws {
        let login = try service()
        login.addedPages.redirect = Self.redirect
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let cookie: HTTPFields = [.cookie: "\(SessionCookies.sessionName)=\(token)"]
        var browser = cookie
        browser[.accept] = Self.html
        let stale: HTTPFields = [.cookie: "\(SessionCookies.sessionName)=unknown", .accept: Self.html]
        let bearer: HTTPFields = [.authorization: "Bearer \(token)", .accept: Self.html]
        let router = Router(context: BasicLoginRequestContext.self)
        let own = router.group().add(middleware: login.requireSession)
        own.get("notes") { _, _ in "notes" }
        own.get("strict") { _, context -> String in
            try context.session.requireLevel(2)
            return "strict"
        }
        own.get("odd") { _, _ -> String in throw Problem(.missingSession) }
        router.group().add(middleware: login.requireSession(level: 2)).get("admin") { _, _ in "admin" }
        let expected: [(String, HTTPFields, HTTPResponse.Status, location: String?)] = [
            ("/notes", browser, .ok, nil), ("/notes", stale, .seeOther, "signIn /notes"),
            ("/odd", browser, .unauthorized, nil),
            ("/strict", browser, .seeOther, "stepUp /strict"), ("/strict", cookie, .unauthorized, nil),
            ("/admin", browser, .seeOther, "stepUp /admin"), ("/admin", stale, .seeOther, "signIn /admin"),
            ("/admin", cookie, .unauthorized, nil), ("/admin", bearer, .unauthorized, nil),
        ]
        try await Application(router: router).test(.router) { client in
            for (path, fields, status, location) in expected {
                let answer = try await ask(client, .get, path, fields)
                #expect(answer.status == status && answer.headers[.location] == location, "\(path) \(fields)")
                #expect(answer.headers.setsCookie(SessionCookies.sessionName) == (fields == stale), "\(path) \(fields)")
            }
        }
    }
}
#endif
