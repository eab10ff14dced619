// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginPages

/// The stored profile of a login, while its permissions change on the pages, at a stand-in for Facebook.
@Suite(.rule("R-PDA-6")) struct PageStoredProfileTests {
    private static let page = "/permissions/facebook"

    /// Runs a test with a user who has signed in, and the page of the permissions.
    private func run(
        _ tracking: LoginTracking,
        declining declined: Set<String> = [],
        without claim: String? = nil,
        _ test: @escaping @Sendable (PageBrowser, FacebookStandIn) async throws -> Void
    ) async throws {
        let request = try LoginRequest.facebook(permissions: Permission.limited, tracking: tracking)
        let bench = try await PageBench(storesProfiles: true) { $0[0].request = request }
        bench.facebook.person.declines = declined
        if let claim { bench.facebook.person.claims[claim] = nil }
        try await bench.run { browser in
            try await browser.get("/login")
            try await browser.submit("/login/facebook")
            if tracking == .limited { try await browser.postFragment() }
            try await browser.get(Self.page)
            try await test(browser, bench.facebook)
        }
    }

    /// Presses the button of a permission, and logs in at the stand-in.
    private func press(_ action: String, _ permission: Permission, _ browser: PageBrowser, _ tracking: LoginTracking)
        async throws
    {
        try await browser.submit("\(Self.page)/\(action)") { $0["permission"] = permission.rawValue }
        if tracking == .limited { try await browser.postFragment() }
    }

    /// Returns the only login in the export of the user's data.
    private func login(_ browser: PageBrowser) async throws -> JSONValue {
        try await browser.get("/account/data")
        let login = try JSONDocument.read(Array(browser.body.utf8)).root["logins"]?.elements?.first
        try await browser.get(Self.page)
        return try #require(login)
    }

    private func status(of permission: Permission, _ browser: PageBrowser) throws -> String? {
        let name = PageText.english.account.permission(permission.rawValue)
        let card = try browser.page().all("li").first { $0.all("h3").contains { $0.text == name } }
        return card?.all("p").first?.text
    }

    /// The claims that permissions give.
    private static let shared: Set<String> = [
        "name", "given_name", "middle_name", "family_name", "picture", "email", "user_friends", "user_birthday",
        "user_age_range", "user_hometown", "user_location", "user_gender", "user_link",
    ]

    private func claims(_ login: JSONValue) -> Set<String> {
        Set(login["claims"]?.members?.map(\.name) ?? []).intersection(Self.shared)
    }

    @Test(arguments: [LoginTracking.limited, .enabled])
    func `a request for one more permission adds its claim to the stored profile`(_ tracking: LoginTracking)
        async throws
    {
        try await run(tracking, declining: ["user_birthday"]) { browser, facebook in
            let before = try await login(browser)
            #expect(claims(before) == Self.shared.subtracting(["user_birthday"]))
            facebook.person.declines = []
            try await press("request", .userBirthday, browser, tracking)
            let after = try await login(browser)
            #expect(claims(after) == Self.shared)
            // The login that requested the birthday got no e-mail address, which the account keeps.
            #expect(after["email"]?.string == "ada@example.com")
        }
    }

    @Test(arguments: [LoginTracking.limited, .enabled])
    func `revoking one permission deletes only its claims`(_ tracking: LoginTracking) async throws {
        try await run(tracking) { browser, _ in
            try await press("revoke", .userHometown, browser, tracking)
            #expect(browser.path == "\(Self.page)?notice=permissionRevoked")
            #expect(try await claims(login(browser)) == Self.shared.subtracting(["user_hometown"]))
            #expect(try status(of: .userHometown, browser) == PageText.english.permissions.declined)
        }
    }

    @Test func `a permission without a claim is unknown after a Limited Login, and not declined`() async throws {
        let text = PageText.english
        try await run(.limited, without: "user_hometown") { browser, facebook in
            for permission in [Permission.gamingProfile, .gamingUserPicture, .userMessengerContact, .userHometown] {
                #expect(try status(of: permission, browser) == text.permissions.unknown)
                try await press("request", permission, browser, .limited)
                #expect(browser.path == "\(Self.page)?notice=permissionUnknown")
                #expect(try browser.notice() == text.notices.permissionUnknown)
                #expect(try status(of: permission, browser) == text.permissions.unknown)
            }
            facebook.person.declines = ["gaming_profile"]
            try await press("request", .gamingProfile, browser, .limited)
            #expect(browser.path == "\(Self.page)?notice=permissionDeclined")
            #expect(try status(of: .gamingProfile, browser) == text.permissions.declined)
            // The user agrees after all. No claim proves it, but the user is no longer said to decline.
            facebook.person.declines = []
            try await press("request", .gamingProfile, browser, .limited)
            #expect(try status(of: .gamingProfile, browser) == text.permissions.unknown)
            try await press("revoke", .gamingProfile, browser, .limited)
            #expect(try status(of: .gamingProfile, browser) == text.permissions.declined)
        }
    }

    @Test func `with tracking, Facebook's answer decides about a permission without a claim`() async throws {
        let text = PageText.english.permissions
        try await run(.enabled, declining: ["gaming_profile"]) { browser, facebook in
            #expect(try status(of: .gamingProfile, browser) == text.declined)
            try await press("request", .gamingProfile, browser, .enabled)
            #expect(browser.path == "\(Self.page)?notice=permissionDeclined")
            facebook.person.declines = []
            try await press("request", .gamingProfile, browser, .enabled)
            #expect(browser.path == "\(Self.page)?notice=permissionGranted")
            #expect(try status(of: .gamingProfile, browser) == text.granted)
        }
    }
}
#endif
