// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LimitedLogin
internal import LoginKeys
import LoginProviders
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Logins with the authorization code flow at independent providers, over sockets: discovery, the dialog in a browser,
/// the exchange of the code, keys, and the verification of the token.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveLoginTests {
    @Test(arguments: LiveProvider.Kind.allCases)
    func `a user logs in once, as the identity that the provider states`(kind: LiveProvider.Kind) async throws {
        try await LiveProvider.running(kind) { provider in
            let site = try await Site(at: provider)
            try await site.cache.running {
                let started = try await site.logins.begin(try .openID(), purpose: .signIn, returnTo: "/orders")
                let callback = LoginCallback(url: try await provider.visit(started.url))
                let result = try await site.logins.finish(callback, purpose: .signIn, secret: started.secret)
                guard case .success(let login) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(login.identity.subject == (try await provider.logIn().subject))
                #expect(login.identity.token?.nonceCheck == .exactly)
                #expect(login.identity.providerTokens?.accessToken.isEmpty == false)
                #expect(login.returnTo == "/orders")
                let again = try await site.logins.finish(callback, purpose: .signIn, secret: started.secret)
                expectFailure(.replayed, again)
            }
        }
    }

    @Test(arguments: LiveProvider.Kind.allCases)
    func `an intercepted code is useless in another attempt`(kind: LiveProvider.Kind) async throws {
        try await LiveProvider.running(kind) { provider in
            let site = try await Site(at: provider)
            try await site.cache.running {
                let adas = try await site.logins.begin(try .openID(), purpose: .signIn)
                let eves = try await site.logins.begin(try .openID(), purpose: .signIn)
                let caught = try await provider.visit(adas.url)
                let own = try await provider.visit(eves.url, as: "bob")
                let mixed = [("code", try parameter("code", of: caught)), ("state", try parameter("state", of: own))]
                let result = try await site.logins.finish(
                    LoginCallback(parameters: mixed),
                    purpose: .signIn,
                    secret: eves.secret
                )
                // oidc-provider-mock ignores the code verifier; there the nonce detects the mix-up.
                expectFailure(kind == .mock ? .token : .exchangeRefused, result)
            }
        }
    }

    private func expectFailure(_ code: LoginFailure.Code, _ result: LoginResult) {
        guard case .failed(let failure) = result else {
            Issue.record("\(result), expected \(code)")
            return
        }
        #expect(failure.code == code, "\(failure)")
    }

    private func parameter(_ name: String, of url: String) throws -> String {
        let fields = try #require(FormFields(reading: url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
        return try #require(fields.only(name))
    }
}

/// A site with logins at one provider.
private struct Site: Sendable {
    let cache: KeyCache
    let logins: LoginManager

    init(at provider: LiveProvider) async throws {
        let transport = AsyncHTTPClientTransport()
        var live = SignInProvider.openID(ProviderID("live"), issuer: provider.issuer, clientID: provider.clientID)
        live.authentication = .post(secret: provider.clientSecret)
        live.provider.allowsLoopbackHTTP = true
        var configuration = KeyCacheConfiguration()
        // A busy machine may be slow.
        configuration.fetchDeadline = .seconds(60)
        cache = try KeyCache(providers: [live.provider], transport: transport, configuration: configuration)
        // Fetched directly, because the discovery of SignInProviders has a shorter deadline.
        let metadata = try await ProviderMetadata.fetch(
            provider: live.provider,
            transport: transport,
            deadline: .seconds(60)
        )
        logins = try LoginManager(
            provider: live,
            metadata: metadata,
            redirectURL: provider.redirectURL,
            attempts: InMemoryAttemptStore(),
            verification: LoginManager.Verification(keys: cache),
            transport: transport
        )
    }
}
#endif
