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

/// The cookies of the logins that a browser has begun, and what they say about a callback.
@Suite struct PendingLoginTests {
    private static let now = Date(timeIntervalSince1970: 1_760_000_000)
    private static let tags = (0..<4).map { String(repeating: "\($0)", count: 16) }
    private static let secret = "lla_" + String(repeating: "A", count: 43)

    private func logins(
        _ cookies: [(name: String, value: String)],
        secrets: AccountSecrets = PageBench.secrets,
        at date: Date = now
    ) -> PendingLogins {
        let sent = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        return PendingLogins(of: ServerRequest(.get, "/", headers: [.cookie: sent]), secrets: secrets, at: date)
    }

    /// Returns the lines that set a login's cookie in a browser with other cookies.
    private func lines(
        _ login: PendingLogins.Login,
        _ tag: String = tags[0],
        beside cookies: [(name: String, value: String)] = [],
        at date: Date = now,
        acrossSites: Bool = false
    ) -> [String] {
        var response = ServerResponse(status: .ok)
        logins(cookies, at: date).set(login, tag, in: &response, isSentAcrossSites: acrossSites)
        return response.headers[values: .setCookie]
    }

    /// Returns the cookie that a browser keeps of a login.
    private func cookie(
        _ login: PendingLogins.Login,
        _ tag: String = tags[0],
        at date: Date = now
    ) throws -> (name: String, value: String) {
        let parts = try #require(lines(login, tag, at: date).last).prefix { $0 != ";" }.split(separator: "=")
        return (String(parts[0]), String(parts[1]))
    }

    /// Returns the names of the cookies that a response deletes.
    private func deleted(_ lines: [String]) -> [String] {
        lines.filter { $0.contains("Max-Age=0") }.map { String($0.prefix { $0 != "=" }) }
    }

    @Test(arguments: [
        PendingLogins.Login.pending(PendingLogin(secret: "lla_secret", purpose: .signIn)),
        .pending(PendingLogin(secret: "lla_secret", purpose: .link, returnTo: "/orders")),
        .pending(PendingLogin(secret: "lla_secret", purpose: .reauthenticate)),
        .pending(PendingLogin(secret: "lla_secret", purpose: .permissions(.revoke("user_link")))),
        .finished(FinishedLogin(session: SessionID(rawValue: "secret"), returnTo: "/orders")),
    ])
    func `a login is read back unchanged from its cookie, which does not reveal it`(login: PendingLogins.Login) throws {
        let cookie = try cookie(login)
        #expect(cookie.name == "__Host-login-\(Self.tags[0])")
        #expect(logins([cookie])[Self.tags[0]] == login)
        #expect(!cookie.value.contains("secret"))
    }

    @Test func `the description of a pending login does not reveal its secret`() {
        let login = PendingLogin(secret: "lla_secret", purpose: .signIn)
        #expect(!"\(login) \(String(reflecting: login))".contains("secret"))
    }

    @Test func `a login expires after ten minutes, in the browser and on the server`() throws {
        let login = PendingLogins.Login.pending(PendingLogin(secret: "x", purpose: .signIn))
        #expect(lines(login).last?.contains("Max-Age=600") == true)
        let cookie = try cookie(login)
        #expect(logins([cookie], at: Self.now + 599)[Self.tags[0]] != nil)
        #expect(logins([cookie], at: Self.now + 600)[Self.tags[0]] == nil)
    }

    @Test(.rule("TIME-1")) func `a pending login that a server has stored more than a minute in the future is refused`()
        throws
    {
        let cookie = try cookie(.pending(PendingLogin(secret: "x", purpose: .signIn)))
        #expect(logins([cookie], at: Self.now - 60)[Self.tags[0]] != nil)
        #expect(logins([cookie], at: Self.now - 61)[Self.tags[0]] == nil)
    }

    @Test func `a cookie that is changed, truncated, or encrypted with another key or for another login is refused`()
        throws
    {
        let (name, value) = try cookie(.pending(PendingLogin(secret: "x", purpose: .signIn)))
        #expect(logins([(name, value)], secrets: AccountSecrets(repeating: 8))[Self.tags[0]] == nil)
        for index in value.indices.dropLast() {
            var changed = value
            changed.replaceSubrange(index...index, with: value[index] == "A" ? "B" : "A")
            #expect(logins([(name, changed)])[Self.tags[0]] == nil)
        }
        for text in ["", "A", String(value.dropLast(4)), String(repeating: "A", count: 5000)] {
            #expect(logins([(name, text)])[Self.tags[0]] == nil)
        }
        #expect(logins([("__Host-login-\(Self.tags[1])", value)])[Self.tags[1]] == nil)
    }

    @Test func `of two cookies of one login, neither is accepted`() throws {
        let cookie = try cookie(.pending(PendingLogin(secret: "x", purpose: .signIn)))
        #expect(logins([cookie, cookie])[Self.tags[0]] == nil)
        #expect(logins([cookie, (cookie.name, "tossed")])[Self.tags[0]] == nil)
    }

    @Test(arguments: ["", "0", "000000000000000g", "000000000000000A", "00000000000000000", "../0000000000000"])
    func `a malformed tag names no cookie`(tag: String) {
        #expect(logins([("__Host-login-\(tag)", "x")])[tag] == nil && PendingLogins.cookie(tag) == nil)
    }

    @Test func `a posted callback of the maximum length fits into a cookie, and a longer one is not stored`() throws {
        let form = [UInt8](repeating: UInt8(ascii: "c"), count: PendingLogin.longestCallback)
        let login = PendingLogin(
            secret: Self.secret,
            purpose: .permissions(.revoke(Permission(rawValue: String(repeating: "p", count: 64)))),
            returnTo: LocalPath("/" + String(repeating: "a", count: 511))
        )
        let stored = PendingLogins.Login.pending(try #require(login.storing(form)))
        let cookie = try cookie(stored)
        #expect(cookie.name.utf8.count + 1 + cookie.value.utf8.count <= 4096)
        #expect(logins([cookie])[Self.tags[0]] == stored)
        #expect(login.storing(form + [0x63]) == nil)
    }

    @Test func `the cookie is sent across sites only if the provider posts its callback`() {
        let login = PendingLogins.Login.pending(PendingLogin(secret: "x", purpose: .signIn))
        #expect(lines(login).last?.contains("SameSite=Lax") == true)
        #expect(lines(login, acrossSites: true).last?.contains("SameSite=None") == true)
    }

    @Test func `a fourth login deletes the cookie of the oldest, and one that has ended before that`() throws {
        let pending = PendingLogins.Login.pending(PendingLogin(secret: Self.secret, purpose: .signIn))
        let finished = PendingLogins.Login.finished(FinishedLogin(session: nil, returnTo: nil))
        func names(_ third: PendingLogins.Login) throws -> [String] {
            // Not in the order in which they began.
            let cookies = [
                try cookie(pending, Self.tags[1], at: Self.now + 2),
                try cookie(pending, Self.tags[2], at: Self.now + 1),
                try cookie(third, Self.tags[3], at: Self.now + 3),
            ]
            #expect(deleted(lines(pending, beside: Array(cookies.dropLast()), at: Self.now + 4)).isEmpty)
            return deleted(lines(pending, beside: cookies, at: Self.now + 4))
        }
        #expect(try names(pending) == ["__Host-login-\(Self.tags[2])"])
        #expect(try names(finished) == ["__Host-login-\(Self.tags[3])"])
    }

    @Test func `a login that changes keeps its time, and deletes no other`() throws {
        let login = PendingLogin(secret: Self.secret, purpose: .signIn)
        let old = try (1...3).map { try cookie(.pending(login), Self.tags[$0], at: Self.now + Double($0)) }
        let stored = PendingLogins.Login.pending(try #require(login.storing([0x61])))
        let changed = lines(stored, Self.tags[1], beside: old, at: Self.now + 10)
        #expect(changed.count == 1)
        let value = try #require(changed.first).dropFirst(old[0].name.utf8.count + 1).prefix { $0 != ";" }
        let cookies = [(old[0].name, String(value))] + old.dropFirst()
        let next = lines(.pending(login), beside: cookies, at: Self.now + 11)
        #expect(deleted(next) == [old[0].name], "it is still the oldest")
    }

    @Test func `a cookie that is not readable is deleted, whatever the number, and other cookies are kept`() throws {
        let login = PendingLogins.Login.pending(PendingLogin(secret: "x", purpose: .signIn))
        let name = "__Host-login-\(Self.tags[1])"
        let others = [(name, "planted"), ("__Host-login", "x"), ("__Host-login-x", "x"), ("__Host-session", "x")]
        #expect(deleted(lines(login, beside: others)) == [name])
    }

    @Test func `three logins with long return paths fit into the limit of all cookies`() throws {
        let path = LocalPath("/" + String(repeating: "a", count: PendingLogin.longestPath - 1))
        let login = PendingLogin(secret: Self.secret, purpose: .signIn, returnTo: path)
        #expect(login.returnTo == path)
        let cookies = try Self.tags.prefix(3).map { try cookie(.pending(login), $0) }
        #expect(deleted(lines(.pending(login), Self.tags[2], beside: Array(cookies.prefix(2)))).isEmpty)
        #expect(cookies.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 } <= PendingLogins.longest)
        let longer = LocalPath("/" + String(repeating: "a", count: PendingLogin.longestPath))
        #expect(PendingLogin(secret: "x", purpose: .signIn, returnTo: longer).returnTo == nil)
    }

    @Test(arguments: [
        ([], 4_000, []), ([1_000, 1_000], 4_144, []), ([1_000, 1_000], 4_145, ["0"]), ([100, 100, 100], 100, ["0"]),
        ([3_000, 3_000], 4_000, ["0", "1"]), ([100, 100, 100, 100, 100], 100, ["0", "1", "2"]),
    ])
    func `the oldest cookies are deleted until three remain, and 6 KiB`(lengths: [Int], added: Int, names: [String]) {
        let cookies = lengths.enumerated().map { index, length in
            PendingLogins.Cookie(name: "\(index)", length: length, begunAt: Int64(index))
        }
        #expect(PendingLogins.superfluous(cookies, besides: added) == names)
        // Of the same second, the first in the request is the oldest.
        let equal = cookies.map { PendingLogins.Cookie(name: $0.name, length: $0.length, begunAt: 1) }
        #expect(PendingLogins.superfluous(equal, besides: added) == names)
    }

    @Test func `the meaning of a callback follows from the cookie of its login and the session`() {
        let (own, other) = (SessionID(rawValue: "own"), SessionID(rawValue: "other"))
        let pending = PendingLogin(secret: "x", purpose: .signIn)
        func meaning(_ login: PendingLogins.Login?, _ session: SessionID?) -> CallbackMeaning {
            CallbackMeaning(of: login, in: session)
        }
        let finished = PendingLogins.Login.finished(FinishedLogin(session: own, returnTo: "/orders"))
        let failed = PendingLogins.Login.finished(FinishedLogin(session: nil, returnTo: nil))
        for session in [own, nil] {
            #expect(meaning(.pending(pending), session) == .continues(pending))
            #expect(meaning(nil, session) == .unknown)
            #expect(meaning(failed, session) == .finishedBefore(returnTo: .home))
        }
        #expect(meaning(finished, own) == .finishedHere(returnTo: "/orders"))
        for session in [other, nil] { #expect(meaning(finished, session) == .finishedBefore(returnTo: "/orders")) }
    }

    @Test func `the tag of a login follows from the state of its callback`() throws {
        let state = String(repeating: "A", count: 43)
        let tag = try #require(PendingLogins.tag(of: LoginCallback(query: "code=x&state=\(state)")))
        #expect(PendingLogins.cookie(tag) != nil)
        #expect(PendingLogins.tag(of: LoginCallback(query: "error=access_denied&state=\(state)")) == tag)
        for query in ["", "code=x", "error=access_denied", "code=x&state=y", "state=\(state)&state=\(state)"] {
            #expect(PendingLogins.tag(of: LoginCallback(query: query)) == nil)
        }
    }
}
#endif
