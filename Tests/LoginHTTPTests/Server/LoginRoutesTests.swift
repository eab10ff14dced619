// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import Testing

@testable import LoginHTTP

/// The table of routes, for servers without a router.
@Suite struct LoginRoutesTests {
    private func request(_ target: String, _ method: HTTPRequest.Method = .get) -> ServerRequest {
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target)
        return ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
    }

    private func route(
        _ path: String,
        _ methods: HTTPRequest.Method...,
        refusesOtherMethods: Bool = true
    ) -> LoginRoute {
        let handlers: [(HTTPRequest.Method, LoginRoute.Handler)] = methods.map { method in
            (method, { _, _ throws(CancellationError) in ServerResponse(status: .ok) })
        }
        return LoginRoute(path, handlers, refusesOtherMethods: refusesOtherMethods) {
            _,
            problem throws(CancellationError) in
            problem.response(requestID: "", base: nil)
        }
    }

    /// The templates of the routes for these targets, with their parameters.
    private func matches(_ routes: LoginRoutes, _ targets: String...) -> [String?] {
        targets.map { target in
            routes.match(request(target)).map { route, parameters in
                ([route.path] + parameters.map { "\($0.key)=\($0.value)" }.sorted()).joined(separator: " ")
            }
        }
    }

    @Test func `a path matches segment by segment, without empty ones and without decoding`() {
        let routes = LoginRoutes([route("/", .get), route("/a/b", .get), route("/a/{x}/c", .get)])
        #expect(
            matches(routes, "/", "//", "/a/b", "//a//b/", "/a/b?q=/c", "/a/%2F/c", "/a/x/c/")
                == ["/", "/", "/a/b", "/a/b", "/a/b", "/a/{x}/c x=%2F", "/a/{x}/c x=x"]
        )
        #expect(matches(routes, "/a", "/a/b/c/d", "/A/b", "/a%2Fb", "/a/b#c") == [nil, nil, nil, nil, nil])
        // The Kelvin sign and K are the same character to Unicode.
        #expect(matches(LoginRoutes([route("/K", .get)]), "/K", "/\u{212A}") == ["/K", nil])
    }

    @Test func `literal text precedes a parameter, in whatever order the routes were declared`() {
        let routes = LoginRoutes([
            route("/{a}/{b}", .get), route("/{a}/x", .get), route("/x/{b}", .get), route("/x/x", .get),
        ])
        #expect(
            matches(routes, "/x/x", "/x/y", "/y/x", "/y/y")
                == ["/x/x", "/x/{b} b=y", "/{a}/x a=y", "/{a}/{b} a=y b=y"]
        )
    }

    @Test func `routes with one path share it if each has methods of its own`() async throws {
        let routes = LoginRoutes([
            route("/a", .get, refusesOtherMethods: false), route("/a", .post, refusesOtherMethods: false),
            route("/b/{x}", .get),
        ])
        #expect(try await routes.respond(to: request("/a"))?.status == .ok)
        #expect(try await routes.respond(to: request("/a", .head))?.status == .ok)
        #expect(try await routes.respond(to: request("/a", .post))?.status == .ok)
        #expect(try await routes.respond(to: request("/a", .put)) == nil)
        let refused = try await routes.respond(to: request("/b/1", .put))
        #expect(refused?.status == .methodNotAllowed && refused?.headers[.allow] == "GET, HEAD")
    }

    @Test func `a target in absolute form has its path and query after the host`() {
        for (target, path, query) in [
            ("https://example.com/a?b=c", "/a", "b=c"), ("https://example.com", "/", nil),
            ("https://example.com?b", "/", "b"), ("/a?b?c#d", "/a", "b?c"), ("", "/", nil), ("*", "*", nil),
            ("/a://b", "/a://b", nil),
        ] {
            #expect(request(target).path == path && request(target).query == query, "\(target)")
        }
    }

    @Test func `requests, responses and what is known of them print no fields, targets, bodies or addresses`() {
        var head = request("/login?code=s3cret").head
        head.headerFields = [.authorization: "Bearer s3cret"]
        let request = ServerRequest(head, from: .address("192.0.2.1"), logger: Logger(label: "test"))
        var visit = Visit(request, proxies: .none, bodies: nil)
        visit.sessionCookies = [.setCookie: "a=s3cret"]
        let response = ServerResponse(status: .ok, headers: [.setCookie: "s3cret"], body: .init("s3cret".utf8))
        for value: any Sendable in [
            request, visit, response, SessionDecision.signedOut(visit), SessionDecision.answer(response),
            TokenDecision.answer(response),
        ] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("s3cret") && !text.contains("192.0.2"), "\(text)")
            }
        }
    }
}
#endif
