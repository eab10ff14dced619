// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LimitedLogin
import LoginAccounts
import LoginHTTP
import LoginProviders
import LoginTesting
import LoginTokens
import Synchronization
import TestSupport
import Testing

internal import LimitedLoginTesting
@testable import LoginPages

/// Browser logins at a stand-in for Facebook, into in-memory accounts.
@Suite struct BrowserLoginTests {
    private let facebook = FacebookStandIn()
    private let auth: Auth
    private let logins: BrowserLogin
    private let events = EventNames()
    private let origin = RequestOrigin(address: "198.51.100.7")

    init() throws {
        let events = events
        auth = Auth(
            store: InMemoryAccountStore(),
            providers: try SignInProviders(
                [try .facebook(facebook.app(), permissions: [], tracking: .enabled)],
                keys: facebook.issuer.keys,
                transport: facebook,
                clock: facebook.clock,
                observers: [
                    LoginObserver { event in
                        let words = [event.kind.rawValue, event.failure?.code.rawValue].compactMap { $0 }
                        events.add(words.joined(separator: " "))
                    }
                ]
            ),
            secrets: PageBench.secrets,
            clock: facebook.clock
        )
        logins = BrowserLogin(auth: auth, publicURL: "https://login.example.com")
    }

    /// Returns the callback that the dialog sends to the browser.
    private func callback(_ started: BrowserLogin.Started) throws -> LoginCallback {
        LoginCallback(url: try #require(facebook.open(started.url), "the dialog sends nobody back"))
    }

    private func signIn(returnTo: String? = nil) async throws -> AuthDataResult {
        let started = try await logins.begin(.signIn, at: "facebook", returnTo: returnTo)
        let outcome = try await logins.finish(
            try callback(started),
            at: "facebook",
            started.pendingLogin,
            session: nil,
            from: origin
        )
        guard case .signIn(.signedIn(let result), returnTo) = outcome else {
            Issue.record("not signed in")
            throw CancellationError()
        }
        return result
    }

    @Test func `a browser login signs the user in and leads back to the return path`() async throws {
        let result = try await signIn(returnTo: "/orders?page=2")
        #expect(result.outcome == .created)
        #expect(result.account.providerData.map(\.uid) == [facebook.person.id])
        #expect(try await signIn().outcome == .signedIn)
    }

    @Test(.rule("S-CSR-1"))
    func `a callback is accepted once, and only in the browser that began the login`() async throws {
        let started = try await logins.begin(.signIn, at: "facebook", returnTo: nil)
        let callback = try callback(started)
        let other = try await logins.begin(.signIn, at: "facebook", returnTo: nil)
        for login in [other.pendingLogin, nil, PendingLogin(secret: "x", purpose: .signIn)] {
            await #expect(throws: BrowserLogin.Failure.self) {
                try await logins.finish(callback, at: "facebook", login, session: nil, from: origin)
            }
        }
        _ = try await logins.finish(callback, at: "facebook", started.pendingLogin, session: nil, from: origin)
        await #expect(throws: BrowserLogin.Failure.self) {
            try await logins.finish(callback, at: "facebook", started.pendingLogin, session: nil, from: origin)
        }
    }

    @Test(.rule("S-CSR-3"))
    func `a login that links to a session must end in that session`() async throws {
        let session = try await signIn().session
        let other = try await auth.signInAnonymously().session
        let started = try await logins.begin(.link(session), at: "facebook", returnTo: nil)
        let callback = try callback(started)
        for wrong in [other, nil] {
            await #expect(throws: BrowserLogin.Failure.self) {
                try await logins.finish(callback, at: "facebook", started.pendingLogin, session: wrong, from: origin)
            }
        }
        let outcome = try await logins.finish(
            callback,
            at: "facebook",
            started.pendingLogin,
            session: session,
            from: origin
        )
        guard case .linked(let result) = outcome else {
            Issue.record("not linked")
            return
        }
        #expect(result.outcome == .alreadyLinked)
    }

    @Test(.rule("S-CSR-4"))
    func `the purpose of a pending login cannot be changed`() async throws {
        let session = try await signIn().session
        let started = try await logins.begin(.signIn, at: "facebook", returnTo: nil)
        #expect(started.pendingLogin.purpose == .signIn)
        let forged = PendingLogin(secret: started.pendingLogin.secret, purpose: .link)
        await #expect(throws: BrowserLogin.Failure.self) {
            try await logins.finish(try callback(started), at: "facebook", forged, session: session, from: origin)
        }
    }

    @Test func `a cancelled login does not sign in, and an unknown provider is refused`() async throws {
        let started = try await logins.begin(.signIn, at: "facebook", returnTo: "/here")
        facebook.person.cancels = true
        let outcome = try await logins.finish(
            try callback(started),
            at: "facebook",
            started.pendingLogin,
            session: nil,
            from: origin
        )
        guard case .cancelled(.signIn, "/here") = outcome else {
            Issue.record("not cancelled")
            return
        }
        await #expect(throws: Problem.self) { try await logins.begin(.signIn, at: "elsewhere", returnTo: nil) }
    }

    @Test func `a callback without the cookie of its login is refused with a reason for the operator`() async throws {
        func reason(_ callback: LoginCallback) async throws -> String? {
            do {
                _ = try await logins.finish(callback, at: "facebook", nil, session: nil, from: origin)
                return nil
            } catch let failure as BrowserLogin.Failure {
                #expect(failure.problem.detail == nil)
                guard case .missingOrInvalidNonce(let fault)? = failure.error?.reason else { return nil }
                return fault.rawValue
            }
        }
        let started = try await logins.begin(.signIn, at: "facebook", returnTo: nil)
        let callback = try callback(started)
        #expect(try await reason(callback) == "started-elsewhere")
        _ = try await logins.finish(callback, at: "facebook", started.pendingLogin, session: nil, from: origin)
        #expect(try await reason(callback) == "replayed")
        facebook.clock.advance(by: .seconds(600))
        #expect(try await reason(callback) == "expired")
        facebook.clock.advance(by: .seconds(600))
        #expect(try await reason(callback) == "state-unknown")
        #expect(try await reason(LoginCallback(query: "code=x")) == "callback")
        #expect(
            events.all == [
                "begun", "callback-refused started-elsewhere", "succeeded", "callback-refused replayed",
                "callback-refused expired", "callback-refused state-unknown", "callback-refused callback",
            ]
        )
    }

    @Test func `a return path to another site is refused`() async throws {
        for path in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"] {
            await #expect(throws: LoginManagerError.self) {
                try await logins.begin(.signIn, at: "facebook", returnTo: path)
            }
        }
    }
}

/// The names of events, in their order.
private final class EventNames: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}
#endif
