// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginAccounts
import LoginHTTP
import LoginProviders
import Testing

@testable import LoginPages

/// The page that explains an error, and the step that helps.
@Suite struct PageProblemTests {
    @Test func `a rejected client registration is an internal error, and an error of the provider is named`()
        async throws
    {
        let actions = PageActions(auth: try await PageBench().auth)
        let rejected = LoginFailure(.exchangeRefused, "the error invalid_client", isMisconfigured: true)
        for (reason, status, words) in [
            (rejected, 500, "This is not your fault."),
            (LoginFailure(.providerError, "the error access_denied"), 403, "cancelled or failed at the provider"),
        ] {
            let failure = BrowserLogin.Failure(reason, purpose: .signIn)
            let reply = try await actions.providers.failed(failure, PageRequest(csrf: "", requestID: ""))
            guard case .page(let page) = reply.body else {
                Issue.record("no page")
                return
            }
            #expect(reply.status == status && page.html.markup.contains(words))
        }
        let other = BrowserLogin.Failure(LoginFailure(.exchangeRefused, "the error invalid_grant"), purpose: .signIn)
        await #expect(throws: Problem.self) {
            try await actions.providers.failed(other, PageRequest(csrf: "", requestID: ""))
        }
    }

    @Test func `an error page has the user's name, the step that helps, and the support if there is one`() async throws
    {
        var options = SignInPagesOptions()
        options.support = SupportLink("mailto:help@example.com")
        for (options, support) in [(options, ["mailto:help@example.com"]), (SignInPagesOptions(), [String]())] {
            try await PageBench(options: options).run { browser in
                func links() throws -> [String] {
                    try browser.page().all("main").flatMap { $0.all("a") }.compactMap { $0["href"] }
                }
                try await browser.get("/login/facebook/callback?code=x&state=y")
                #expect(try links() == support)
                #expect(
                    try browser.page().all("main").flatMap { $0.all("form") }.map { $0["action"] } == [
                        "/login/facebook"
                    ]
                )
                try await browser.get("/new-password?token=x")
                try await browser.submit("/new-password", ["password": PageBrowser.password])
                #expect(try links() == ["/forgotten-password"] + support)
                try await browser.signUp()
                try await browser.get("/verify-email?token=x")
                try await browser.submit("/verify-email")
                #expect(try links() == ["/"] + support)
                #expect(try browser.page().all("header").first?.text.contains("ada@example.com") == true)
            }
        }
    }

    @Test func `support is a URL with https or mailto`() {
        for text in ["https://example.com/help?a=b", "mailto:help@example.com"] {
            #expect(SupportLink(text)?.text == text)
        }
        for text in ["", "https://", "mailto:", "http://example.com", "javascript:alert(1)", "mailto:a b", "https://é"]
        {
            #expect(SupportLink(text) == nil, "\(text)")
        }
    }

    @Test func `an error that a hook throws is rethrown as if a handler had thrown it`() async throws {
        struct Refusal: Error {}
        let bench = try await PageBench()
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: bench.auth.providers,
            secrets: PageBench.secrets,
            clock: bench.clock,
            hooks: AuthHooks(onSignIn: { _, _ in throw Refusal() })
        )
        await #expect(throws: Refusal.self) {
            try await PageActions(auth: auth).problems.run(PageRequest(csrf: "", requestID: "")) { _ in
                _ = try await auth.signInAnonymously()
                return .redirect(.home)
            }
        }
    }
}
#endif
