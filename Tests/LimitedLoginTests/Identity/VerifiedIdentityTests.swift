// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The result of a verification, as accounts receive it, and the parts that Facebook's module reads.
@Suite struct VerifiedIdentityTests {
    @Test func `the identity of a login at Facebook has the profile, the permissions and the access token`()
        async throws
    {
        let bench = try LoginBench()
        bench.facebook.person.declines = ["user_birthday"]
        let request = try LoginRequest.facebook(permissions: [.email, .userBirthday], tracking: .enabled)
        let login = try success(try await bench.logIn(request))
        let identity = login.identity
        #expect(identity.providerID == .facebook && identity.subject == bench.facebook.person.id)
        #expect(identity.claims?.nonce == identity.token?.claims.nonce)
        #expect(identity.profile?.email == "ada@example.com")
        #expect(identity.profile?.userID == login.profile?.userID)
        #expect(identity.accessToken?.userID == identity.subject)
        #expect(identity.permissions?.declined == [.userBirthday])
        #expect("\(identity)" == "verified identity at facebook")
        #expect(Mirror(reflecting: identity).children.isEmpty)
    }

    @Test(arguments: [LoginTracking.limited, .enabled])
    func `the profile states whether the login was limited, and its permissions`(_ tracking: LoginTracking)
        async throws
    {
        let bench = try LoginBench()
        let login = try success(try await bench.logIn(try .facebook(permissions: [.email], tracking: tracking)))
        let stored = VerifiedIdentity(
            providerID: login.identity.providerID,
            subject: login.identity.subject,
            claims: login.identity.claims,
            permissions: login.identity.permissions,
            permissionSource: login.identity.permissionSource
        )
        for profile in [login.profile, stored.profile] {
            #expect(profile?.isLimited == (tracking == .limited))
            #expect(profile?.permissions == [.publicProfile, .email])
        }
    }

    @Test func `after a pending sign-in the identity has claims and no tokens`() async throws {
        let bench = try LoginBench()
        let login = try success(try await bench.logIn(try .facebook(permissions: [.email], tracking: .enabled)))
        let waited = VerifiedIdentity(
            providerID: login.identity.providerID,
            subject: login.identity.subject,
            claims: login.identity.claims,
            permissions: login.identity.permissions,
            permissionSource: login.identity.permissionSource
        )
        #expect(waited.token == nil && waited.providerTokens == nil && waited.accessToken == nil)
        #expect(waited.profile?.email == "ada@example.com")
        #expect(waited.profile?.userID == login.profile?.userID)
        #expect(waited.permissions == login.identity.permissions)
        #expect(waited.permissionSource == .provider)
    }

    @Test func `the identity proved by an access token has the profile of the Graph API and no claims`() async throws {
        let facebook = FacebookStandIn()
        let provider = try SignInProvider.facebook(facebook.app(), tracking: .enabled)
        let inspector = try #require(provider.accessTokenInspector)
        let answer = try await inspector.inspect(
            facebook.makeAccessToken(permissions: ["public_profile", "email"]),
            transport: facebook,
            clock: facebook.clock,
            within: .seconds(10)
        )
        let identity = VerifiedIdentity(providerID: provider.id, answer)
        #expect(identity.subject == facebook.person.id)
        #expect(identity.token == nil && identity.claims == nil && identity.providerTokens == nil)
        #expect(identity.profile?.email == "ada@example.com")
        #expect(identity.accessToken?.userID == facebook.person.id)
        #expect(identity.permissions?.hasGranted(.email) == true)
        #expect(identity.permissionSource == .provider)
    }

    @Test func `an identity at another provider has no profile`() throws {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let verifier = TokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
        let token = try verifier.verify(issuer.token(), nonce: .mustBeAbsent, with: issuer.keys)
        let identity = VerifiedIdentity(providerID: ProviderID("corp"), token: token)
        #expect(identity.subject == token.subject)
        #expect(identity.profile == nil && identity.accessToken == nil && identity.permissions == nil)
    }
}
