// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginTokens
import LoginTesting
import Foundation
import HTTPTypes
import LoginAccounts
import LoginHTTP
import LoginProviders
import TestSupport
import Testing

@testable import LoginPages

@Suite struct PendingLoginTests {
    private let now = Date(timeIntervalSince1970: 1_760_000_000)

    private func request(_ cookie: String) -> ServerRequest {
        ServerRequest(.get, "/", headers: [.cookie: "\(PendingLogin.cookie.name)=\(cookie)"])
    }

    private func cookie(_ login: PendingLogin, acrossSites: Bool = false) -> String {
        var response = ServerResponse(status: .ok)
        let secrets = PageBench.secrets
        PendingLogin.cookie.set(login, in: &response, secrets: secrets, at: now, isSentAcrossSites: acrossSites)
        return response.headers[values: .setCookie].first ?? ""
    }

    private func read(
        _ value: String,
        secrets: AccountSecrets = PageBench.secrets,
        at date: Date? = nil
    ) -> PendingLogin? {
        PendingLogin.cookie.value(in: request(value), secrets: secrets, at: date ?? now)
    }

    private func value(_ cookie: String) -> String {
        String(cookie.dropFirst(PendingLogin.cookie.name.count + 1).prefix { $0 != ";" })
    }

    @Test(arguments: [
        PendingLogin(secret: "lla_secret", purpose: .signIn), PendingLogin(secret: "lla_secret", purpose: .link),
        PendingLogin(secret: "lla_secret", purpose: .reauthenticate),
        PendingLogin(secret: "lla_secret", purpose: .permissions(.revoke("user_link"))),
    ])
    func `a pending login is read back unchanged from its cookie, which does not reveal it`(login: PendingLogin) {
        let value = value(cookie(login))
        #expect(read(value) == login)
        #expect(!value.contains("secret") && !"\(login) \(String(reflecting: login))".contains("secret"))
    }

    @Test func `a pending login expires after ten minutes, in the browser and on the server`() {
        let cookie = cookie(PendingLogin(secret: "x", purpose: .signIn))
        #expect(cookie.contains("Max-Age=600"))
        let value = value(cookie)
        #expect(read(value, at: now + 599) != nil)
        #expect(read(value, at: now + 600) == nil)
    }

    @Test(.rule("TIME-1")) func `a pending login that a server has stored more than a minute in the future is refused`()
    {
        let value = value(cookie(PendingLogin(secret: "x", purpose: .signIn)))
        #expect(read(value, at: now - 60) != nil)
        #expect(read(value, at: now - 61) == nil)
    }

    @Test func `a cookie that is changed, truncated or encrypted with another key is refused`() {
        let value = value(cookie(PendingLogin(secret: "x", purpose: .signIn)))
        let other = AccountSecrets(repeating: 8)
        #expect(read(value, secrets: other) == nil)
        for index in value.indices.dropLast() {
            var changed = value
            changed.replaceSubrange(index...index, with: value[index] == "A" ? "B" : "A")
            #expect(read(changed) == nil)
        }
        for text in ["", "A", String(value.dropLast(4)), String(repeating: "A", count: 5000)] {
            #expect(read(text) == nil)
        }
    }

    @Test func `a value that is encrypted for one cookie is refused in another`() {
        let value = value(cookie(PendingLogin(secret: "x", purpose: .signIn)))
        let other = SealedCookie<PendingLogin>(name: PendingLogin.cookie.name, purpose: "something else")
        #expect(other.value(in: request(value), secrets: PageBench.secrets, at: now) == nil)
    }

    @Test func `a posted callback of the maximum length fits into a cookie`() {
        let text = String(repeating: "c", count: PendingLogin.longestCallback)
        let secret = "lla_" + String(repeating: "A", count: 43)
        let login = PendingLogin(secret: secret, purpose: .reauthenticate, callback: text)
        let cookie = cookie(login, acrossSites: true)
        #expect(cookie.prefix { $0 != ";" }.utf8.count <= 4096)
        #expect(read(value(cookie)) == login)
    }

    @Test func `the cookie is sent across sites only if the provider posts its callback`() {
        #expect(cookie(PendingLogin(secret: "x", purpose: .signIn)).contains("SameSite=Lax"))
        let acrossSites = cookie(PendingLogin(secret: "x", purpose: .signIn), acrossSites: true)
        #expect(acrossSites.contains("SameSite=None"))
    }
}
#endif
