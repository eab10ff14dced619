// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import LoginTesting
import LoginTokens
import Testing

@testable import LoginHTTP
@testable import LoginPages

/// The way of requests through a service with the API and pages: which responses are pages, and what all of them have.
@Suite struct PipelineTests {
    private struct Unforeseen: Error {}

    private static let page = "text/html; charset=utf-8"
    private static let problem = "application/problem+json"

    /// The values of the header field Accept of a browser and of a program.
    private static let (browser, program) = ("text/html,*/*;q=0.8", "*/*")

    /// The values of Accept with the media type of the response to an error for which the client decides.
    private static let clients = [(browser, page), (program, problem)]

    /// Both clients, with the methods of their requests.
    private static let requests = clients.flatMap { client in
        [HTTPRequest.Method.get, .post].map { (method: $0, accept: client.0, type: client.1) }
    }

    private func request(
        _ method: HTTPRequest.Method,
        _ path: String,
        accept: String = program,
        _ headers: HTTPFields = [:]
    ) -> ServerRequest {
        ServerRequest(method, path, headers: [.accept: accept] + headers, from: .address("198.51.100.7"))
    }

    @Test(arguments: requests)
    func `an unknown path is a page for a browser and a problem document for a program`(
        method: HTTPRequest.Method,
        accept: String,
        type: String
    ) async throws {
        let bench = try await PageBench()
        let response = try await bench.respond(to: request(method, "/nowhere", accept: accept))
        #expect(response.status == .notFound && response.headers[.contentType] == type)
        #expect(response.route == nil && response.text.contains(type == Self.page ? "<h1>" : "\"not-found\""))
    }

    @Test(arguments: requests)
    func `a request over the limit of its network is refused with a page or a problem document`(
        method: HTTPRequest.Method,
        accept: String,
        type: String
    ) async throws {
        let bench = try await PageBench(limits: RequestLimits(requests: 1))
        #expect(try await bench.respond(to: request(method, "/v1/account", accept: accept)).status != .tooManyRequests)
        for path in ["/v1/account", "/nowhere"] {
            let response = try await bench.respond(to: request(method, path, accept: accept))
            #expect(response.status == .tooManyRequests && response.headers[.contentType] == type)
            #expect(response.headers[.retryAfter] != nil && response.text.contains("too-many-requests"))
        }
    }

    @Test func `the API, the pages and the application share one limit, and health checks have none`() async throws {
        let bench = try await PageBench(limits: RequestLimits(requests: 4))
        let paths = ["/v1/account", "/login", StyleSheet.asset.route]
        func statuses() async throws -> [HTTPResponse.Status] {
            var statuses: [HTTPResponse.Status] = []
            for path in paths { statuses.append(try await bench.respond(to: request(.get, path)).status) }
            if case .answer(let response) = try await bench.login.session(of: request(.get, "/notes")) {
                statuses.append(response.status)
            }
            return statuses
        }
        #expect(try await statuses() == [.unauthorized, .ok, .ok, .unauthorized])
        #expect(try await statuses() == Array(repeating: .tooManyRequests, count: 4))
        #expect(try await bench.respond(to: request(.get, "/healthz")).status == .ok)
    }

    @Test func `errors are pages at the paths of pages, and problem documents at others, whoever asks`() async throws {
        let bench = try await PageBench()
        let own = bench.login.visit(request(.get, "/notes", accept: Self.browser))
        let responses = [
            (
                try await bench.respond(to: request(.get, "/login/facebook/callback?code=x&state=y")),
                HTTPResponse.Status.forbidden, Self.page
            ),
            (try await bench.respond(to: request(.put, "/login")), .methodNotAllowed, Self.page),
            (
                try await bench.respond(to: request(.get, "/v1/account", accept: Self.browser)), .unauthorized,
                Self.problem
            ),
            (
                try await bench.respond(to: request(.put, "/v1/account", accept: Self.browser)), .methodNotAllowed,
                Self.problem
            ),
            (try await bench.login.answer(to: Problem(.notFound), of: own), .notFound, Self.problem),
            (try await bench.login.answer(to: Unforeseen(), of: own), .internalServerError, Self.problem),
        ]
        for (response, status, type) in responses {
            #expect(response.status == status && response.headers[.contentType] == type)
        }
    }

    @Test func `an unforeseen error is a page, or a problem document if the page fails too`() async throws {
        let bench = try await PageBench()
        let route = bench.login.pageRoute(
            "/broken",
            [(.get, { _, _ in throw Unforeseen() })],
            refusesOtherMethods: true
        )
        let page = try await route.respond(to: request(.get, "/broken"))
        #expect(page.status == .internalServerError && page.headers[.contentType] == Self.page)
        #expect(page.text.contains("internal-error") && !page.text.contains("Unforeseen"))
        let functions = try #require(bench.login.addedPages.functions)
        bench.login.addedPages.functions = AddedPages.Functions(redirect: functions.redirect) { _, _ in
            throw Unforeseen()
        }
        let problem = try await route.respond(to: request(.get, "/broken"))
        #expect(problem.status == .internalServerError && problem.headers[.contentType] == Self.problem)
    }

    @Test func `a form that is too large is refused with a page, after which the connection is closed`() async throws {
        let bench = try await PageBench()
        for (size, status) in [(64 * 1024, HTTPResponse.Status.forbidden), (64 * 1024 + 1, .contentTooLarge)] {
            let response = try await bench.respond(
                to: ServerRequest(
                    .post,
                    "/login/password",
                    headers: [.contentType: "application/x-www-form-urlencoded", .secFetchSite: "same-origin"],
                    body: String(repeating: "a", count: size)
                )
            )
            #expect(response.status == status && response.headers[.contentType] == Self.page)
            #expect(response.closesConnection == (status == .contentTooLarge))
        }
    }

    @Test func `every response has a request ID and the security headers`() async throws {
        let bench = try await PageBench()
        for (path, status) in [
            ("/login", 200), ("/", 303), (StyleSheet.asset.route, 200), ("/login/facebook/callback?code=x", 403),
            ("/healthz", 200), ("/openapi.json", 200), ("/problems/not-found", 200), ("/v1/account", 401),
            ("/nowhere", 404),
        ] {
            let response = try await bench.respond(to: request(.get, path))
            let headers = response.headers
            #expect(response.status.code == status, "\(path)")
            #expect(headers[.xRequestID]?.utf8.count == 16, "\(path)")
            for field in SecurityHeaders(publicURL: PageBench.publicURL).everywhere {
                #expect(headers[values: field.name] == [field.value], "\(path)")
            }
            #expect(headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; ") == true, "\(path)")
        }
    }

    @Test func `HEAD gets the status and the fields of GET without a body`() async throws {
        let bench = try await PageBench()
        let pages = bench.login.pageRoutes().filter { $0.methods.contains(.get) && $0.parameterNames.isEmpty }.map(
            \.path
        )
        #expect(pages.contains("/login") && pages.contains("/"))
        for path in pages + ["/permissions/facebook", "/healthz", "/v1/account", "/openapi.json", "/nowhere"] {
            for accept in [Self.browser, Self.program] {
                let got = try await bench.respond(to: request(.get, path, accept: accept))
                let head = try await bench.respond(to: request(.head, path, accept: accept))
                #expect(head.status == got.status && head.body.bytes.isEmpty, "\(path)")
                for name in [HTTPField.Name.contentType, .contentLength, .location, .cacheControl] {
                    #expect(head.headers[name] == got.headers[name], "\(path): \(name)")
                }
            }
        }
    }

    @Test func `HEAD to a callback is refused`() async throws {
        for (bench, query) in [(try await PageBench(), "?code=x&state=y"), (try await PageBench.limited(), "")] {
            let path = "/login/facebook/callback\(query)"
            let head = try await bench.respond(to: request(.head, path))
            #expect(head.status == .methodNotAllowed && head.headers[.allow] == "GET, POST")
            let got = try await bench.respond(to: request(.get, path))
            #expect(got.status == (query.isEmpty ? .ok : .forbidden))
        }
    }

    @Test
    func `a path of a page refuses other methods, except that of the account page, which the application may use`()
        async throws
    {
        let bench = try await PageBench()
        for route in bench.login.pageRoutes() {
            let path = route.path.replacing("{", with: "").replacing("}", with: "")
            let response = try await bench.respond(to: request(.delete, path))
            #expect(response.status == (path == "/" ? .notFound : .methodNotAllowed), "\(path)")
            let allowed = route.methods.map(\.rawValue).sorted().joined(separator: ", ")
            #expect(response.headers[.allow] == (path == "/" ? nil : allowed), "\(path)")
            #expect(response.route == (path == "/" ? nil : route.path), "\(path)")
        }
    }

    @Test func `a session that is renewed or over changes the cookie also in the response to an error`() async throws {
        let bench = try await PageBench(sessionTokens: .seconds(600))
        try await bench.run { browser in
            try await browser.signUp()
            let session = try #require(browser.cookies[SessionCookies.sessionName])
            let cookies = browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
            func refused(_ cookies: String) async throws -> ServerResponse {
                let response = try await bench.respond(
                    to: request(.head, "/login/facebook/callback", [.cookie: cookies])
                )
                #expect(response.status == .methodNotAllowed)
                return response
            }
            #expect(try await refused(cookies).cookie(SessionCookies.sessionName) == nil)
            bench.clock.advance(by: .seconds(3600))
            let renewed = try #require(try await refused(cookies).cookie(SessionCookies.sessionName))
            #expect(!renewed.isEmpty && renewed != session)
            #expect(try await refused("\(SessionCookies.sessionName)=x").cookie(SessionCookies.sessionName) == "")
        }
    }
}
#endif
