// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The section "Test it" of the guide "Permissions: ask, check, ask again, revoke".

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

@Suite struct LogInWithFacebookTests {
    let facebook = FacebookStandIn()

    func logIn(tracking: LoginTracking) async throws -> LoginResult {
        let providers = try SignInProviders(
            [.facebook(facebook.app(), permissions: [.email], tracking: tracking)],
            keys: facebook.issuer.keys,
            transport: facebook,
            clock: facebook.clock
        )
        let logins = try await providers.loginManager(
            for: .facebook,
            redirectURL: "https://example.com/login/callback",
            attempts: InMemoryAttemptStore(clock: facebook.clock)
        )
        let started = try await logins.begin(purpose: .signIn)
        let url = try #require(facebook.open(started.url))  // as the browser does, with the user before it
        return try await logins.finish(LoginCallback(url: url), purpose: .signIn, secret: started.secret)
    }

    @Test func `who declines the e-mail address logs in without it`() async throws {
        facebook.person.declines = ["email"]
        guard case .success(let login) = try await logIn(tracking: .limited) else {
            Issue.record("the login came to nothing")
            return
        }
        #expect(login.identity.permissions?.declined == [.email] && login.profile?.email == nil)
    }

    @Test func `who closes the dialog is not logged in`() async throws {
        facebook.person.cancels = true
        guard case .cancelled = try await logIn(tracking: .limited) else {
            Issue.record("the login went on")
            return
        }
    }

    @Test func `while Facebook does not answer, a login with tracking fails, and may be begun anew`() async throws {
        facebook.failNext(path: "oauth/access_token", with: .unreachable())
        guard case .failed(let failure) = try await logIn(tracking: .enabled) else {
            Issue.record("the login went on")
            return
        }
        #expect(failure.isRetryable)
    }

    @Test func `what was taken back at Facebook is granted no more`() async throws {
        guard case .success(let login) = try await logIn(tracking: .enabled) else {
            Issue.record("the login came to nothing")
            return
        }
        let token = try #require(login.identity.accessToken)
        let graph = GraphAPI(app: try facebook.app(), transport: facebook, wallClock: facebook.clock)
        facebook.set("declined", for: "email")
        #expect(try await graph.permissions(of: token).hasGranted(.email) == false)
    }
}
