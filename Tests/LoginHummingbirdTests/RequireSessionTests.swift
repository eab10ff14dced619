// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LoginAccounts
import LoginHTTP
import Testing

@testable import LoginHummingbird

/// Routes of an application behind `requireSession`.
@Suite struct RequireSessionTests {
    private struct Unforeseen: Error {}

    @Test func `a route has the session in its context and as the current one, and others are refused`() async throws {
        let bench = try await AdapterBench()
        let router = Router(context: BasicLoginRequestContext.self)
        router.group().add(middleware: bench.login.requireSession).get("notes") { _, context in
            "\(try context.session.accountID) \(Session.current?.accountID.rawValue ?? "")"
        }
        let account = bench.session.accountID.rawValue
        try await Application(router: router).test(.router) { client async throws in
            let response = try await client.ask(.get, "/notes", bench.bearer)
            #expect(response.text == "\(account) \(account)")
            #expect(response.headers[values: HTTPField.Name("X-Request-ID")!].count == 1)
            #expect(try await client.ask(.get, "/notes").code == "missing-session")
        }
    }

    @Test func `a route behind two of them needs the stronger, and one that is optional serves visitors`() async throws
    {
        let bench = try await AdapterBench()
        let router = Router(context: BasicLoginRequestContext.self)
        router.group()
            .add(middleware: bench.login.requireSession)
            .add(middleware: bench.login.requireSession(level: 2))
            .get("admin") { _, _ in "admin" }
        router.group().add(middleware: bench.login.optionalSession).get("start") { _, context in
            context.identity == nil ? "nobody" : "somebody"
        }
        try await Application(router: router).test(.router) { client async throws in
            #expect(try await client.ask(.get, "/admin", bench.bearer).code == "second-factor-required")
            #expect(try await client.ask(.get, "/start", bench.bearer).text == "somebody")
            #expect(try await client.ask(.get, "/start").text == "nobody")
        }
    }

    @Test func `errors of routes become problems, those of the framework with their status`() async throws {
        let bench = try await AdapterBench()
        let router = Router(context: BasicLoginRequestContext.self)
        let own = router.group().add(middleware: bench.login.requireSession)
        own.get("old") { _, context in
            try await context.session.requireRecentLogin(within: .zero)
            return "deleted"
        }
        own.get("missing") { _, _ -> String in throw HTTPError(.notFound) }
        own.get("teapot") { _, _ -> String in throw HTTPError(.init(code: 418)) }
        own.get("closed") { _, _ -> String in throw HTTPError(.unauthorized) }
        own.get("broken") { _, _ -> String in throw Unforeseen() }
        router.get("open") { _, context in "\(try context.session.accountID)" }
        try await Application(router: router).test(.router) { client async throws in
            for (path, code, status) in [
                ("/missing", "not-found", 404), ("/teapot", "invalid-request", 418), ("/broken", "internal-error", 500),
                ("/closed", "invalid-request", 401),
            ] {
                let response = try await client.ask(.get, path, bench.bearer)
                #expect(response.code == code && response.status.code == status, "\(path)")
                #expect((response.headers[.wwwAuthenticate] == "Bearer") == (status == 401), "\(path)")
            }
            let open = try await client.ask(.get, "/open", bench.bearer)
            #expect(open.code == "missing-session" && open.headers[.wwwAuthenticate] == "Bearer")
        }
    }
}
#endif
