// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import LoginTesting
import Testing

@testable import LoginHTTP

/// Navigations of browsers that a proxy asks about.
@Suite struct ForwardedNavigationTests {
    private static let html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    private static let navigation: HTTPFields = [
        .accept: html, .secFetchMode: "navigate", .xForwardedMethod: "GET", .xForwardedURI: "/app/?a=1&b=%26#",
    ]
    private static let pages = AddedPages.Functions(
        redirect: { step, returnPath in
            ServerResponse(status: .seeOther, headers: [.location: "/\(step)?\(returnPath)"])
        },
        page: { problem, _ in ServerResponse(status: problem.status) }
    )

    private func service(
        trusting proxies: TrustedProxies = TrustedProxies([]),
        pages: AddedPages.Functions? = Self.pages
    ) async throws -> (login: LoginService, server: TestServer) {
        var login = try await LoginFixture().service()
        login.trustedProxies = proxies
        login.addedPages.functions = pages
        return (login, TestServer(login))
    }

    @Test(arguments: [("303", HTTPResponse.Status.seeOther), ("401", .unauthorized)])
    func `a navigation without a session gets the location of the sign-in page, with the status that the proxy wants`(
        navigation: String,
        status: HTTPResponse.Status
    ) async throws {
        let server = try await service().server
        for query in ["navigation=\(navigation)", "level=2&navigation=\(navigation)"] {
            let answer = try await server.send(.get, "/v1/forward-auth?\(query)", Self.navigation, from: .unixSocket)
            #expect(answer.status == status)
            #expect(answer.headers[.location] == "https://login.example.com/signIn?/app/?a=1&b=%26#")
            #expect(answer.headers[.vary] == "Accept, Cookie, Sec-Fetch-Mode")
            #expect(answer.headers.contains(.wwwAuthenticate) == (status == .unauthorized))
        }
    }

    @Test func `other requests are refused with 401 and no location`() async throws {
        let changes: [(HTTPField.Name, String?)] = [
            (.secFetchMode, "cors"), (.secFetchMode, "no-cors"), (.accept, "*/*"), (.accept, nil),
            (.accept, "application/json"), (.xForwardedMethod, "POST"), (.xForwardedMethod, nil),
            (.xForwardedURI, nil), (.xForwardedURI, "https://evil.example/"), (.authorization, "Bearer unknown"),
        ]
        let server = try await service().server
        for (name, value) in changes {
            var fields = Self.navigation
            fields[name] = value
            let answer = try await server.send(.get, "/v1/forward-auth?navigation=303", fields, from: .unixSocket)
            #expect(answer.status == .unauthorized, "\(name) \(value ?? "")")
            #expect(!answer.headers.contains(.location), "\(name) \(value ?? "")")
        }
    }

    @Test func `an older browser without Sec-Fetch-Mode navigates by its Accept`() async throws {
        var fields = Self.navigation
        fields[.secFetchMode] = nil
        let server = try await service().server
        let answer = try await server.send(.get, "/v1/forward-auth?navigation=303", fields, from: .unixSocket)
        #expect(answer.status == .seeOther)
    }

    @Test func `without the parameter, a trusted proxy and pages, a navigation is refused as any request`() async throws
    {
        let asked = [
            (try await service(), "/v1/forward-auth"),
            (try await service(trusting: .none), "/v1/forward-auth?navigation=303"),
            (try await service(pages: nil), "/v1/forward-auth?navigation=303"),
        ]
        for ((_, server), path) in asked {
            let answer = try await server.send(.get, path, Self.navigation, from: .unixSocket)
            #expect(answer.status == .unauthorized && !answer.headers.contains(.location), "\(path)")
        }
    }

    @Test(arguments: [
        "navigation=", "navigation=302", "navigation=303&navigation=303", "navigation=303&level=3", "x=1",
    ])
    func `an unknown value of a parameter is an invalid request`(query: String) async throws {
        let (login, server) = try await service()
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let fields: HTTPFields = [.authorization: "Bearer \(token)"]
        let answer = try await server.send(.get, "/v1/forward-auth?\(query)", fields, from: .unixSocket)
        #expect(answer.status == .badRequest)
    }

    @Test func `a session in a cookie passes, is sent to step up, or is forgotten if it has ended`() async throws {
        let (login, server) = try await service()
        let token = try await login.auth.signInAnonymously().tokens.sessionToken
        let expected: [(token: String, query: String, status: HTTPResponse.Status, page: String?)] = [
            (token, "navigation=303", .ok, nil), (token, "level=2&navigation=303", .seeOther, "stepUp"),
            ("unknown", "navigation=303", .seeOther, "signIn"),
        ]
        for (token, query, status, page) in expected {
            var fields = Self.navigation
            fields[.cookie] = "\(SessionCookies.sessionName)=\(token)"
            let answer = try await server.send(.get, "/v1/forward-auth?\(query)", fields, from: .unixSocket)
            #expect(answer.status == status, "\(query)")
            #expect(answer.headers[.location] == page.map { "https://login.example.com/\($0)?/app/?a=1&b=%26#" })
        }
    }
}
#endif
