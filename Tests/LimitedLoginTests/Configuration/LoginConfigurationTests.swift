// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The permitted and the refused contents of a login configuration.
@Suite struct LoginConfigurationTests {
    @Test(.rule("F4.1", "F4.2"))
    func `a configuration requests no permissions by default`() throws {
        let configuration = try #require(LoginConfiguration())
        #expect(configuration.requestedPermissions.isEmpty)
        #expect(configuration.tracking == .enabled)
        #expect(configuration.messengerPageID == nil)
        #expect(configuration.authType == .rerequest)
        #expect(configuration.appSwitch == .enabled)
        #expect(configuration.nonce.utf8.count == 22)
        #expect(configuration.codeVerifier.value.utf8.count == 96)
    }

    @Test(.rule("F4.2"))
    func `each configuration has its own nonce and code verifier`() throws {
        let made = try (0..<50).map { _ in try #require(LoginConfiguration(tracking: .limited)) }
        #expect(Set(made.map(\.nonce)).count == 50)
        #expect(Set(made.map(\.codeVerifier)).count == 50)
    }

    @Test(.rule("F4.1"))
    func `given values are used unchanged`() throws {
        let verifier = CodeVerifier()
        let configuration = try LoginConfiguration(
            validating: [.email, .userBirthday],
            tracking: .limited,
            nonce: "123",
            messengerPageID: "42",
            authType: .reauthorize,
            appSwitch: .disabled,
            codeVerifier: verifier
        )
        #expect(configuration.requestedPermissions == [.userBirthday, .email])
        #expect(configuration.tracking == .limited)
        #expect(configuration.nonce == "123")
        #expect(configuration.messengerPageID == "42")
        #expect(configuration.authType == .reauthorize)
        #expect(configuration.appSwitch == .disabled)
        #expect(configuration.codeVerifier == verifier)
    }

    @Test(
        .rule("F4.2b", "F4.4"),
        arguments: ["1", "123", "a-b_c.d~e", "{\"a\":\"b\"}", "ä", "🙂", "\u{200B}", String(repeating: "n", count: 256)]
    )
    func `a nonce can be any text without white space`(nonce: String) throws {
        #expect(try LoginConfiguration(validating: [], nonce: nonce).nonce == nonce)
        #expect(LoginConfiguration(nonce: nonce) != nil)
    }

    @Test(.rule("F4.3"))
    func `an empty nonce is refused`() {
        expectNone(.nonceEmpty, nonce: "")
    }

    @Test(
        .rule("F4.3", "F4.18"),
        arguments: [
            " ", "a b", " a", "a ", "a\tb", "a\nb", "a\r\nb", "a\n", "a\u{B}b", "a\u{C}b", "a\u{85}b", "a\u{A0}b",
            "a\u{1680}b", "a\u{2003}b", "a\u{2028}b", "a\u{2029}b", "a\u{202F}b", "a\u{3000}b",
        ]
    )
    func `a nonce with white space is refused, and not replaced`(nonce: String) {
        expectNone(.nonceWhiteSpace, nonce: nonce)
    }

    @Test(.rule("F4.4"), arguments: [257, 1_000_000])
    func `a nonce of more than 256 bytes is refused`(count: Int) {
        expectNone(.tooLarge, nonce: String(repeating: "n", count: count))
    }

    @Test func `no error shows the nonce`() {
        let error = #expect(throws: LoginConfigurationError.self) {
            try LoginConfiguration(validating: [], nonce: "made-up nonce")
        }
        #expect(error.map { "\($0)".contains("made-up") } == false)
    }

    @Test(.rule("F4.5"), arguments: ["email", "pages_manage_ads", "_", "a", "made_up"])
    func `a permission name has lower-case letters and underscores`(name: String) throws {
        let permission = Permission(rawValue: name)
        #expect(try LoginConfiguration(validating: [permission]).requestedPermissions == [permission])
    }

    @Test(
        .rule("F4.5"),
        arguments: [
            "", " ", "foo bar", "PUBLIC_PROFILE", "public-profile", "123_abc", "email,user_likes", "email\n", "é",
            "user_actions.books", "e\u{301}mail", "user_photos2", "\"", "\0",
        ]
    )
    func `any other permission name is refused`(name: String) {
        let error = expectNone(.permission, permissions: [.email, Permission(rawValue: name)])
        #expect(error?.permissions == [Permission(rawValue: name)])
        #expect(error?.description.contains("\n") == false)
    }

    @Test(.rule("F4.6"))
    func `auth_type requests declined permissions again, expired access again, or nothing`() throws {
        #expect(LoginAuthType.allCases.map(\.rawValue) == ["rerequest", "reauthorize"])
        for type in [LoginAuthType.rerequest, .reauthorize, nil] {
            #expect(try LoginConfiguration(validating: [], authType: type).authType == type)
        }
    }

    @Test(.rule("F4.7", "F4.8"))
    func `Limited Login permits requests for all of its twelve permissions at once`() throws {
        #expect(Permission.limited.count == 12)
        let configuration = try LoginConfiguration(validating: Permission.limited, tracking: .limited)
        #expect(configuration.requestedPermissions == Permission.limited)
    }

    @Test(
        .rule("F4.7", "F4.9"),
        arguments: [Permission.userLikes, .userPhotos, .pagesShowList, .adsRead, "instagram_basic", .openID, "made_up"]
    )
    func `other permissions are refused for Limited Login and accepted with tracking`(permission: Permission) {
        let error = expectNone(.permissionNotLimited, permissions: [.email, permission], tracking: .limited)
        #expect(error?.permissions == [permission])
        #expect(error?.description.contains(permission.rawValue) == true)
        #expect(LoginConfiguration(permissions: [.email, permission]) != nil)
    }

    @Test(.rule("F4.7"))
    func `the error lists all permissions that Limited Login does not offer, sorted`() {
        let asked: Set<Permission> = [.userVideos, .email, .adsRead, .userLikes, .userEvents, .userPhotos]
        let error = expectNone(.permissionNotLimited, permissions: asked, tracking: .limited)
        #expect(error?.permissions == [.adsRead, .userEvents, .userLikes, .userPhotos, .userVideos])
        #expect(error?.description.hasSuffix("and 1 more") == true)
    }

    @Test func `at most 64 permissions of at most 64 bytes each are accepted`() throws {
        func many(_ count: Int) -> Set<Permission> {
            Set((1...count).map { Permission(rawValue: String(repeating: "a", count: $0)) })
        }
        #expect(try LoginConfiguration(validating: many(64)).requestedPermissions.count == 64)
        expectNone(.tooLarge, permissions: Set((0..<65).map { Permission(rawValue: "p\($0)") }))
        let long = Permission(rawValue: String(repeating: "a", count: 65))
        #expect(expectNone(.tooLarge, permissions: [long])?.permissions == [long])
    }

    @Test(.rule("F4.10"), arguments: ["", "42", "no digits", String(repeating: "4", count: 256)])
    func `any text is accepted as a page ID`(id: String) throws {
        #expect(try LoginConfiguration(validating: [], messengerPageID: id).messengerPageID == id)
    }

    @Test(.rule("F4.10"))
    func `a page ID has at most 256 bytes`() {
        let error = #expect(throws: LoginConfigurationError.self) {
            try LoginConfiguration(validating: [], messengerPageID: String(repeating: "4", count: 257))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func `configurations are equal exactly if all members are`() throws {
        let verifier = CodeVerifier()
        func make(nonce: String = "n", permissions: Set<Permission> = []) throws -> LoginConfiguration {
            try LoginConfiguration(validating: permissions, nonce: nonce, codeVerifier: verifier)
        }
        #expect(try make() == make())
        #expect(try Set([make(), make()]).count == 1)
        #expect(try make() != make(nonce: "N"))
        #expect(try make() != make(permissions: [.email]))
        #expect(try make() != LoginConfiguration(validating: [], nonce: "n"))
    }

    @Test func `no text shows the nonce or the code verifier`() throws {
        let configuration = try LoginConfiguration(validating: [.email], nonce: "made-up-nonce")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("made-up-nonce") && !text.contains(configuration.codeVerifier.value))
            #expect(text.contains("email"))
        }
    }

    @Test func `the codes are the documented ones`() {
        let codes = ["nonce-empty", "nonce-white-space", "permission", "permission-not-limited", "too-large"]
        #expect(LoginConfigurationError.Code.all.map(\.description) == codes)
    }

    /// Expects that both initialisers refuse a configuration.
    @discardableResult
    private func expectNone(
        _ code: LoginConfigurationError.Code,
        permissions: Set<Permission> = [],
        tracking: LoginTracking = .enabled,
        nonce: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> LoginConfigurationError? {
        let error = #expect(throws: LoginConfigurationError.self, sourceLocation: sourceLocation) {
            try LoginConfiguration(validating: permissions, tracking: tracking, nonce: nonce)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        let failed = LoginConfiguration(permissions: permissions, tracking: tracking, nonce: nonce)
        #expect(failed == nil, sourceLocation: sourceLocation)
        return error
    }
}
