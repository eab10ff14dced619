// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginHTTP
import LoginPages
import NIOCore
import Synchronization
import Testing

@testable import LoginHummingbird

/// The routes of a service in Hummingbird's router, and without a router.
@Suite struct RouterTests {
    @Test func `the API and the pages are routes of a router, with parameters, HEAD and 405`() async throws {
        let login = try await AdapterBench().login
        let router = Router(context: BasicLoginRequestContext.self)
        login.addAPI(to: router)
        login.addPages(to: router)
        router.put("/") { _, _ in "of the application" }
        try await Application(router: router).test(.router) { client async throws in
            #expect(try await client.ask(.get, "/healthz").text == #"{"status":"alive"}"#)
            #expect(try await client.ask(.get, "/problems/not-found").text.hasPrefix("not-found (status 404)"))
            let (get, head) = (try await client.ask(.get, "/login"), try await client.ask(.head, "/login"))
            #expect(get.status == .ok && head.status == .ok)
            #expect(head.body.readableBytes == 0)
            #expect(head.headers[.contentLength] == "\(get.body.readableBytes)")
            let refused = try await client.ask(.patch, "/healthz")
            #expect(refused.status == .methodNotAllowed && refused.headers[.allow] == "GET, HEAD")
            #expect(try await client.ask(.put, "/").text == "of the application")
        }
    }

    @Test func `the body of a request reaches an operation, and one that is too large closes the connection`()
        async throws
    {
        let login = try await AdapterBench().login
        let router = Router(context: BasicLoginRequestContext.self)
        login.addAPI(to: router)
        let json: HTTPFields = [.contentType: "application/json"]
        try await Application(router: router).test(.live) { client async throws in
            let read = try await client.ask(.post, "/v1/verify", json, #"{"token":"a.b.c","policy":"none"}"#)
            #expect(read.code == "unknown-policy")
            let large = try await client.ask(.post, "/v1/verify", json, String(repeating: " ", count: 65 * 1024))
            #expect(large.code == "request-too-large" && large.headers[.connection] == "close")
        }
    }

    @Test func `a responder without a router answers unknown paths, and reports the template of each route`()
        async throws
    {
        let login = try await AdapterBench().login
        let observed = Mutex<[String]>([])
        let responder = LoginResponder(login, login.apiRoutes()) { request, response, _ in
            observed.withLock {
                $0.append("\(request.method) \(response?.route ?? "none") \(response?.status.code ?? 0)")
            }
        }
        try await Application(responder: responder).test(.live) { client async throws in
            #expect(try await client.ask(.get, "/v1/session").code == "missing-session")
            #expect(try await client.ask(.get, "//problems/not-found/").status == .ok)
            #expect(try await client.ask(.get, "/unknown").code == "not-found")
        }
        #expect(
            observed.withLock { $0 } == [
                "GET /v1/session 401", "GET /problems/{code} 200", "GET none 404",
            ]
        )
    }

    @Test func `the peer of a connection over TCP is its address, and a test without sockets has none`() async throws {
        let router = Router(context: BasicLoginRequestContext.self)
        router.get("peer") { _, context in "\(context.login.peer)" }
        let application = Application(router: router)
        try await application.test(.live) { client async throws in
            #expect(try await client.ask(.get, "/peer").text.contains("address(\"127.0.0.1\")"))
        }
        try await application.test(.router) { client async throws in
            #expect(try await client.ask(.get, "/peer").text == "unixSocket")
        }
    }
}
#endif
