// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdTesting
internal import InMemoryLogging
internal import LoginTesting
internal import Logging
internal import Metrics
internal import Testing
internal import Tweaks
internal import TweaksHummingbird

@testable internal import LoginServer

/// The interface for operators, and its protection.
@Suite struct AdminTests {
    private static let token = String(repeating: "t", count: 32)

    /// The admin listener with an in-memory store.
    private struct Bench: Sendable {
        let settings: ServiceTweaks
        let metrics = PrometheusMetrics()
        let clock = ManualClock()
        let log = InMemoryLogHandler()
        let routes: AdminRoutes

        init(needsToken: Bool = false) async throws {
            let log = log
            settings = try ServiceTweaks(Tweaks(), providers: ["google"]) { "Keys & <all>." }
            try await settings.tweaks.load()
            routes = AdminRoutes(
                tweaks: settings.tweaks,
                metrics: metrics,
                sessions: AdminSessions(
                    token: needsToken ? AdminTests.token : nil,
                    clock: clock,
                    logger: Logger(label: "test") { _ in log }
                ),
                hosts: []
            )
        }

        func serving(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
            try await Application(router: routes.router).test(.router) { client in try await body(client) }
        }
    }

    private static let sameOrigin: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

    private static func post(
        _ client: any TestClientProtocol,
        _ uri: String,
        _ fields: [String: String],
        _ headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        let body = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
        var all = sameOrigin
        for field in headers { all[field.name] = field.value }
        return try await client.execute(uri: uri, method: .post, headers: all, body: ByteBuffer(string: body))
    }

    /// Returns the CSRF token of the page's forms.
    private static func formToken(_ client: any TestClientProtocol, _ uri: String = "/", _ headers: HTTPFields = [:])
        async throws -> String
    {
        let page = String(buffer: try await client.execute(uri: uri, method: .get, headers: headers).body)
        return String(try #require(page.firstMatch(of: /name="csrf" value="([^"]+)"/)).1)
    }

    @Test func `the admin page shows each tweak with its control and loads no external resources`() async throws {
        try await Bench().serving { client in
            let response = try await client.execute(uri: "/", method: .get)
            #expect(response.status == .ok)
            let page = String(buffer: response.body)
            #expect(
                page.contains(
                    #"<input type="number" value="30" min="0" max="300" step="1" required id="value-tokens.times.leeway""#
                )
            )
            #expect(
                page.contains(
                    #"<input type="checkbox" role="switch" value="true" checked id="value-providers.google.enabled""#
                )
            )
            #expect(page.contains(#"<option value="info" selected>info</option>"#))
            #expect(page.contains(#"<label for="value-tokens.times.leeway">"#))
            #expect(page.contains(#"action="/actions/keys.refresh""#))
            #expect(!page.contains("<script") && !page.contains("style=") && !page.contains("://"))
            #expect(page.contains(#"<html lang="en">"#) && page.contains("<title>"))
            let policy = try #require(response.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"))
            #expect(!policy.contains("unsafe"))
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
            let style = try await client.execute(uri: PageLayout.stylePath, method: .get)
            #expect(style.headers[.contentType] == "text/css; charset=utf-8")
        }
    }

    @Test func `a tweak is changed, shown with its author and reset, and a stale revision is a conflict`() async throws
    {
        let bench = try await Bench()
        try await bench.serving { client in
            let csrf = try await Self.formToken(client)
            let set = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": csrf, "value": "60", "revision": "0"]
            )
            #expect(set.status == .seeOther)
            #expect(set.headers[.location] == "/?changed=tokens.times.leeway#tokens.times.leeway")
            #expect(bench.settings.tokens.leeway.value == .seconds(60))
            let page = String(buffer: try await client.execute(uri: "/?changed=tokens.times.leeway", method: .get).body)
            #expect(page.contains("now <b>60</b>, from the store") && page.contains("set by socket"))
            #expect(page.contains("role=\"status\"") && page.contains("Recent changes"))
            let late = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": csrf, "value": "90", "revision": "0"]
            )
            #expect(late.status == .conflict)
            #expect(bench.settings.tokens.leeway.value == .seconds(60))
            let reset = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway/reset",
                ["csrf": csrf, "revision": "1"]
            )
            #expect(reset.status == .seeOther)
            #expect(bench.settings.tokens.leeway.value == .seconds(30))
        }
    }

    @Test func `an unchecked box means false, a number needs a value, and a reset of all needs the current revision`()
        async throws
    {
        let bench = try await Bench()
        try await bench.serving { client in
            let csrf = try await Self.formToken(client)
            let off = try await Self.post(client, "/tweaks/providers.google.enabled", ["csrf": csrf, "revision": "0"])
            #expect(off.status == .seeOther)
            #expect(!bench.settings.isEnabled("google"))
            // For a number a value is required.
            let none = try await Self.post(client, "/tweaks/tokens.times.leeway", ["csrf": csrf, "revision": "0"])
            #expect(none.status == .badRequest)
            #expect(try await Self.post(client, "/tweaks/reset", ["csrf": csrf, "revision": "0"]).status == .conflict)
            let reset = try await Self.post(client, "/tweaks/reset", ["csrf": csrf, "revision": "1"])
            #expect(reset.status == .seeOther && reset.headers[.location] == "/?done=reset")
            #expect(bench.settings.isEnabled("google"))
            let page = String(buffer: try await client.execute(uri: "/?done=reset", method: .get).body)
            #expect(page.contains("All settings were reset.") && page.contains("<p>on "))
            let other = String(buffer: try await client.execute(uri: "/?done=other", method: .get).body)
            #expect(!other.contains("role=\"status\""))
        }
    }

    @Test func `a refused value is reported without quoting it, and unknown tweaks and actions are not found`()
        async throws
    {
        let bench = try await Bench()
        try await bench.serving { client in
            let csrf = try await Self.formToken(client)
            let refused = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": csrf, "value": "<301>", "revision": "0"]
            )
            #expect(refused.status == .unprocessableContent)
            let page = String(buffer: refused.body)
            #expect(page.contains("role=\"alert\"") && page.contains("Not changed") && !page.contains("<301>"))
            for (uri, fields) in [
                ("/tweaks/none", ["value": "1", "revision": "0"]), ("/tweaks/none/reset", ["revision": "0"]),
                ("/actions/none", [:]), ("/tweaks/keys.refresh", ["value": "1", "revision": "0"]),
            ] {
                let answer = try await Self.post(client, uri, fields.merging(["csrf": csrf]) { $1 })
                #expect(answer.status == .notFound, "\(uri)")
            }
            #expect(try await bench.settings.tweaks.history().isEmpty)
        }
    }

    @Test func `an action is run, and its description is escaped on the page`() async throws {
        try await Bench().serving { client in
            let csrf = try await Self.formToken(client)
            let done = try await Self.post(client, "/actions/keys.refresh", ["csrf": csrf])
            #expect(done.status == .ok)
            let page = String(buffer: done.body)
            #expect(page.contains("Keys &amp; &lt;all&gt;.") && !page.contains("<all>"))
        }
    }

    private static let origins: [(HTTPFields, HTTPResponse.Status)] = [
        (site("cross-site"), .forbidden), (site("same-site"), .forbidden), (site("none"), .forbidden),
        ([.origin: "https://evil.example"], .forbidden), ([.origin: "null"], .forbidden),
        ([.origin: "http://localhost"], .seeOther), (site("same-origin"), .seeOther),
        ([.contentType: "text/plain"], .unsupportedMediaType), ([:], .seeOther),
    ]

    private static func site(_ value: String) -> HTTPFields {
        guard let name = HTTPField.Name("Sec-Fetch-Site") else { preconditionFailure("it is a token of RFC 9110") }
        return HTTPFields([HTTPField(name: name, value: value)])
    }

    @Test(arguments: origins)
    func `a change must be a form sent from the page's own origin`(_ headers: HTTPFields, _ status: HTTPResponse.Status)
        async throws
    {
        try await Bench().serving { client in
            let fields = [
                "csrf": try await Self.formToken(client), "value": "60", "revision": "0",
            ]
            let answer = try await Self.post(client, "/tweaks/tokens.times.leeway", fields, headers)
            #expect(answer.status == status)
        }
    }

    @Test func `a form with a missing or wrong CSRF token, or a form that is too large, changes nothing`() async throws
    {
        let bench = try await Bench()
        try await bench.serving { client in
            let csrf = try await Self.formToken(client)
            for token in ["", "x", String(csrf.dropLast()), csrf + "x"] {
                let answer = try await Self.post(
                    client,
                    "/tweaks/tokens.times.leeway",
                    ["csrf": token, "value": "60", "revision": "0"]
                )
                #expect(answer.status == .forbidden)
            }
            let long = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": csrf, "value": String(repeating: "1", count: 20_000), "revision": "0"]
            )
            #expect(long.status == .contentTooLarge)
            #expect(bench.settings.tokens.leeway.value == .seconds(30))
        }
    }

    @Test(arguments: [
        ("localhost", true), ("localhost:8081", true), ("127.0.0.1:1", true), ("[::1]:8081", true), ("[::1]", true),
        ("LOCALHOST", true), ("admin.example:443", true), ("", false), ("evil.example", false),
        ("localhost.evil.example", false), ("localhost:", false), ("localhost:80:80", false), ("0.0.0.0", false),
        ("admin.example.", false),
    ])
    func `only loopback hosts and the allowed hosts are accepted`(_ authority: String, _ isKnown: Bool) {
        #expect(AdminGuard.isKnown(authority, beside: ["admin.example"]) == isKnown)
    }

    @Test func `metrics and tweaks are served to programs, and other paths are not found`() async throws {
        let bench = try await Bench()
        Counter(label: "a_total", factory: bench.metrics).increment()
        try await bench.serving { client in
            let metrics = try await client.execute(uri: "/metrics", method: .get)
            #expect(metrics.headers[.contentType] == PrometheusText.contentType)
            #expect(String(buffer: metrics.body).contains("a_total 1\n"))
            let json = try await client.execute(uri: "/tweaks.json", method: .get)
            let object = try #require(
                JSONSerialization.jsonObject(with: Data(Array(buffer: json.body))) as? [String: Any]
            )
            let tweaks = try #require(object["tweaks"] as? [[String: Any]])
            #expect(tweaks.count == bench.settings.tweaks.ids.count)
            let leeway = try #require(tweaks.first { $0["id"] as? String == "tokens.times.leeway" })
            #expect(leeway["value"] as? String == "30" && leeway["maximum"] as? String == "300")
            #expect(object["actions"] as? [String] == ["keys.refresh"])
            #expect(try await client.execute(uri: "/none", method: .get).status == .notFound)
            #expect(try await client.execute(uri: "/sign-in", method: .get).status == .notFound)
        }
    }

    // MARK: With a token

    @Test func `without the admin token nothing is shown or changed, and with it a change needs a CSRF token`()
        async throws
    {
        let bench = try await Bench(needsToken: true)
        try await bench.serving { client in
            let root = try await client.execute(uri: "/", method: .get)
            #expect(root.status == .seeOther && root.headers[.location] == "/sign-in")
            for (uri, type) in [("/metrics", "text/html; charset=utf-8"), ("/tweaks.json", "application/problem+json")]
            {
                let answer = try await client.execute(uri: uri, method: .get)
                #expect(answer.status == .unauthorized && answer.headers[.contentType] == type)
            }
            let csrf = try await Self.formToken(client, "/sign-in")
            for uri in ["/tweaks/tokens.times.leeway", "/tweaks/reset", "/actions/keys.refresh"] {
                let answer = try await Self.post(client, uri, ["csrf": csrf, "value": "60", "revision": "0"])
                #expect(answer.status == .unauthorized)
            }
            let wrong: HTTPFields = [.authorization: "Bearer \(Self.token)x"]
            #expect(try await client.execute(uri: "/metrics", method: .get, headers: wrong).status == .unauthorized)
            let right: HTTPFields = [.authorization: "bearer \(Self.token)"]
            #expect(try await client.execute(uri: "/metrics", method: .get, headers: right).status == .ok)
            // A request with only the bearer token has no CSRF token.
            let forged = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": "", "value": "60", "revision": "0"],
                right
            )
            #expect(forged.status == .forbidden)
            #expect(bench.settings.tokens.leeway.value == .seconds(30))
        }
    }

    /// Signs in, and returns the cookie.
    private static func signIn(_ client: any TestClientProtocol, as name: String = "Ada") async throws -> String {
        let csrf = try await formToken(client, "/sign-in")
        let answer = try await post(client, "/sign-in", ["csrf": csrf, "token": token, "name": name])
        #expect(answer.status == .seeOther)
        let cookie = try #require(answer.headers[.setCookie])
        #expect(cookie.hasPrefix("__Host-admin="))
        for attribute in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200"] {
            #expect(cookie.contains(attribute))
        }
        return String(cookie.prefix { $0 != ";" })
    }

    @Test func `an admin session has its own name and CSRF token, and ends by sign-out or after its lifetime`()
        async throws
    {
        let bench = try await Bench(needsToken: true)
        try await bench.serving { client in
            let cookie = try await Self.signIn(client)
            let headers: HTTPFields = [.cookie: "a=b; \(cookie)"]
            let csrf = try await Self.formToken(client, "/", headers)
            let set = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": csrf, "value": "60", "revision": "0"],
                headers
            )
            #expect(set.status == .seeOther)
            #expect(try await bench.settings.tweaks.history().map(\.by) == ["Ada"])
            // The CSRF token of one session is not valid in another.
            let other: HTTPFields = [.cookie: try await Self.signIn(client, as: "Bob")]
            let crossed = try await Self.post(
                client,
                "/tweaks/tokens.times.leeway",
                ["csrf": csrf, "value": "90", "revision": "1"],
                other
            )
            #expect(crossed.status == .forbidden)
            #expect(try await Self.post(client, "/sign-out", ["csrf": csrf], headers).status == .seeOther)
            #expect(try await client.execute(uri: "/metrics", method: .get, headers: headers).status == .unauthorized)
            #expect(try await client.execute(uri: "/metrics", method: .get, headers: other).status == .ok)
            bench.clock.advance(by: AdminSessions.lifetime)
            #expect(try await client.execute(uri: "/metrics", method: .get, headers: other).status == .unauthorized)
        }
    }

    @Test func `wrong admin tokens are rate limited, and the right one is never refused`() async throws {
        let bench = try await Bench(needsToken: true)
        try await bench.serving { client in
            let csrf = try await Self.formToken(client, "/sign-in")
            for _ in 0..<10 {
                let answer = try await Self.post(client, "/sign-in", ["csrf": csrf, "token": "wrong"])
                #expect(answer.status == .unauthorized && answer.headers[.wwwAuthenticate] == "Bearer")
            }
            let blocked = try await Self.post(client, "/sign-in", ["csrf": csrf, "token": "wrong"])
            #expect(blocked.status == .tooManyRequests && blocked.headers[.retryAfter] == "60")
            // Wrong tokens in a header count too, and the right token is never refused.
            let bearer = try await client.execute(
                uri: "/metrics",
                method: .get,
                headers: [.authorization: "Bearer wrong"]
            )
            #expect(bearer.status == .tooManyRequests && bearer.headers[.retryAfter] == "60")
            _ = try await Self.signIn(client)
            bench.clock.advance(by: .seconds(60))
            // Wrong tokens beyond the limit are not logged.
            #expect(bench.log.entries.count == 10 && bench.log.entries.allSatisfy { $0.level == .warning })
            let again = try await Self.post(client, "/sign-in", ["csrf": csrf, "token": "wrong"])
            #expect(again.status == .unauthorized && bench.log.entries.count == 11)
        }
    }
}
#endif
