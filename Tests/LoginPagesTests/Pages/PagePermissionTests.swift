// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginPages

/// Permissions on the pages, at a stand-in for Facebook: shown, explained, requested again, and revoked.
@Suite struct PagePermissionTests {
    private static let page = "/permissions/facebook"
    private static let reason = "We send the receipts of your orders there."

    /// Runs a test with a user who has signed in at Facebook, and the page of the permissions.
    private func run(
        declining declined: Set<String> = [],
        _ test: @escaping @Sendable (PageBrowser, FacebookStandIn) async throws -> Void
    ) async throws {
        let bench = try await PageBench { $0[0].permissionReasons = [.email: Self.reason] }
        bench.facebook.person.declines = declined
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            #expect(try browser.page().all("a").contains { $0["href"] == Self.page })
            try await browser.get(Self.page)
            try await test(browser, bench.facebook)
        }
    }

    /// Returns the statuses that the page shows, in the order of the permissions' names.
    private static func statuses(_ browser: PageBrowser) throws -> [String] {
        try browser.page().all("li").flatMap { $0.all("p").prefix(1) }.map(\.text)
    }

    /// Returns the last request for the dialog.
    private static func dialog(_ facebook: FacebookStandIn) -> StandInRequest? {
        facebook.requests.last { $0.path.hasSuffix("/dialog/oauth") }
    }

    private static func revocations(_ facebook: FacebookStandIn) -> Int {
        facebook.requests.count { $0.method == "DELETE" }
    }

    @Test(.rule("SS-3", "R-PRM-1"))
    func `a declined permission is explained, and requested again until it is granted`() async throws {
        let text = PageText.english.permissions
        try await run(declining: ["email"]) { browser, facebook in
            #expect(try Self.statuses(browser) == [text.declined, text.granted])
            #expect(browser.body.contains(Self.reason))
            try await browser.submit("\(Self.page)/request")
            #expect(browser.path == "\(Self.page)?notice=permissionDeclined")
            #expect(try browser.notice() == PageText.english.notices.permissionDeclined)
            let dialog = Self.dialog(facebook)
            #expect(dialog?["auth_type"] == "rerequest" && dialog?["scope"] == "email,openid")
            facebook.person.declines = []
            try await browser.submit("\(Self.page)/request")
            #expect(browser.path == "\(Self.page)?notice=permissionGranted")
            #expect(try Self.statuses(browser) == [text.granted, text.granted])
        }
    }

    @Test(.rule("R-PRM-3"))
    func `one permission and then the whole login are revoked, and the user stays signed in`() async throws {
        let text = PageText.english
        try await run { browser, facebook in
            try await browser.submit("\(Self.page)/revoke")
            #expect(browser.path == "\(Self.page)?notice=permissionRevoked")
            #expect(Self.dialog(facebook)?["auth_type"] == "reauthenticate")
            #expect(facebook.requestCount(of: "me/permissions/email") == 1)
            #expect(try Self.statuses(browser) == [text.permissions.declined, text.permissions.granted])
            try await browser.submit("\(Self.page)/revoke-all")
            #expect(browser.path == "\(Self.page)?notice=loginRevoked" && Self.revocations(facebook) == 2)
            try await browser.get("/")
            #expect(browser.body.contains(text.account.revoked))
            // The user consents anew.
            facebook.clock.advance(by: .seconds(1))
            try await browser.submit("/sign-out")
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            #expect(try browser.heading() == text.account.title && !browser.body.contains(text.account.revoked))
        }
    }

    @Test(.rule("R-PRM-2"))
    func `the account page offers to link a login again that was revoked as a whole`() async throws {
        let text = PageText.english.account
        try await run { browser, facebook in
            try await browser.submit("\(Self.page)/revoke-all")
            try await browser.get("/")
            #expect(browser.body.contains(text.revoked) && !browser.body.contains(text.lastLogin))
            // The user consents anew.
            facebook.clock.advance(by: .seconds(1))
            try await browser.submit("/link/facebook")
            #expect(try browser.heading() == text.title)
            #expect(!browser.body.contains(text.revoked) && browser.body.contains(text.lastLogin))
        }
    }

    @Test(.rule("R-PRM-3"))
    func `a forged form, and one for a permission that the page does not show, revoke nothing`() async throws {
        try await run { browser, facebook in
            let count = facebook.requestCount()
            try await browser.submit("\(Self.page)/revoke") { $0["csrf"] = nil }
            #expect(browser.status == 403)
            try await browser.get(Self.page)
            for name in ["user_posts", "public_profile", "", nil] {
                try await browser.submit("\(Self.page)/revoke") { $0["permission"] = name }
                #expect(browser.status == 400)
                try await browser.get(Self.page)
            }
            #expect(facebook.requestCount() == count)
        }
    }

    @Test(.rule("R-PRM-3"))
    func `without the app secret, a Limited Login revokes the whole login and no single permission`() async throws {
        let app = try FacebookStandIn().app(withSecret: false)
        let provider = try SignInProvider.facebook(app, tracking: .limited)
        let bench = try await PageBench { $0[0] = provider }
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            try await browser.postFragment()
            try await browser.get(Self.page)
            let text = PageText.english.permissions
            #expect(try Self.statuses(browser).first == text.granted)
            let forms = try browser.page().all("form")
            #expect(!forms.contains { $0["action"] == "\(Self.page)/revoke" })
            let count = bench.facebook.requestCount()
            let inputs = forms.flatMap { $0.all("input") }
            let token = try #require(inputs.first { $0["name"] == "csrf" }?["value"])
            let form = ["csrf": token, "permission": "email"]
            try await browser.send("\(Self.page)/revoke", .post, form, "same-origin")
            #expect(browser.status == 403 && browser.body.contains("operation-not-allowed"))
            #expect(bench.facebook.requestCount() == count)
            try await browser.get(Self.page)
            try await browser.submit("\(Self.page)/revoke-all")
            try await browser.postFragment()
            #expect(browser.path == "\(Self.page)?notice=loginRevoked")
            #expect(bench.facebook.requestCount(of: "platform/uninstall/") == 1)
        }
    }

    @Test(.rule("R-PRM-3"), arguments: ["revoke", "revoke-all"])
    func `a login of another user at the provider revokes nothing`(_ change: String) async throws {
        try await run { browser, facebook in
            facebook.person.id = "1000000000000009"
            try await browser.submit("\(Self.page)/\(change)")
            #expect(browser.status == 403 && browser.body.contains("user-mismatch"))
            #expect(Self.revocations(facebook) == 0)
        }
    }

    @Test(.rule("R-PRM-3"))
    func `an unavailable provider or a cancelled login leaves the permissions unchanged`() async throws {
        let text = PageText.english.permissions
        try await run { browser, facebook in
            facebook.failNext(9, path: "me/permissions/email", with: .unreachable())
            try await browser.submit("\(Self.page)/revoke")
            #expect(browser.status == 503)
            facebook.clearFaults()
            try await browser.get(Self.page)
            #expect(try Self.statuses(browser) == [text.granted, text.granted])
            let count = Self.revocations(facebook)
            facebook.person.cancels = true
            try await browser.submit("\(Self.page)/revoke")
            #expect(browser.path == "\(Self.page)?notice=cancelled" && Self.revocations(facebook) == count)
        }
    }

    @Test func `the permissions page requires a session and a login at the provider`() async throws {
        try await PageBench().run { browser in
            try await browser.get(Self.page)
            #expect(browser.path == "/login?returnTo=%2Fpermissions%2Ffacebook")
            try await browser.signUp()
            for name in ["facebook", "google"] {
                try await browser.get("/permissions/\(name)")
                #expect(browser.status == 404)
            }
        }
    }
}
#endif
