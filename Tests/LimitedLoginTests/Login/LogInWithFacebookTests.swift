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
        let url = try #require(facebook.open(started.url))  // the redirect after the user's decision in the dialog
        return try await logins.finish(LoginCallback(url: url), purpose: .signIn, secret: started.secret)
    }

    @Test func `a user who declines the e-mail address is logged in without it`() async throws {
        facebook.person.declines = ["email"]
        guard case .success(let login) = try await logIn(tracking: .limited) else {
            Issue.record("the login failed")
            return
        }
        #expect(login.identity.permissions?.declined == [.email] && login.profile?.email == nil)
    }

    @Test func `a user who closes the dialog is not logged in`() async throws {
        facebook.person.cancels = true
        guard case .cancelled = try await logIn(tracking: .limited) else {
            Issue.record("the login was not cancelled")
            return
        }
    }

    @Test func `a login with tracking fails while Facebook does not respond, and can be retried`() async throws {
        facebook.failNext(path: "oauth/access_token", with: .unreachable())
        guard case .failed(let failure) = try await logIn(tracking: .enabled) else {
            Issue.record("the login did not fail")
            return
        }
        #expect(failure.isRetryable)
    }

    @Test func `a permission that was revoked at Facebook is no longer granted`() async throws {
        guard case .success(let login) = try await logIn(tracking: .enabled) else {
            Issue.record("the login failed")
            return
        }
        let token = try #require(login.identity.accessToken)
        let graph = GraphAPI(app: try facebook.app(), transport: facebook, wallClock: facebook.clock)
        facebook.set("declined", for: "email")
        #expect(try await graph.permissions(of: token).hasGranted(.email) == false)
    }
}
