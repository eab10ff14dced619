// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import LimitedLogin
import LoginKeys
import LoginTestServers
import LoginTesting
import LoginTokens
import TestSupport
import Testing

/// The first example of README.md, with another transport.
@Suite(.timeLimit(.minutes(10))) struct FirstExampleTests {
    @Test func `a verifier for an app fetches Facebook's keys with its first token`() async throws {
        let issuer = TestIssuer.facebook(appID: "1234567890")
        let transport = StubTransport()
        let address = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
        transport.answer(address, with: .json(issuer.keySet, maxAge: 3600))
        let facebook = try LimitedLoginVerifier(appID: "1234567890", transport: transport, clock: issuer.clock)
        #expect(transport.requests.isEmpty)
        let text = issuer.token(nonce: "n-1")
        let token = try await facebook.verify(text, nonce: .exactly("n-1"))
        #expect(token.profile.userID == token.verified.subject)
        await expectRefused(.nonce) { () async throws(VerificationError) in
            try await facebook.verify(text, nonce: .exactly("n-2"))
        }
        #expect(transport.requests.map(\.url.description) == [address])
    }

    @Test func `the maximum age of a token is the configured one`() async throws {
        let issuer = TestIssuer.facebook(appID: "1234567890")
        let text = issuer.token(nonce: "n-1")
        issuer.clock.advance(by: .seconds(601))
        let facebook = try LimitedLoginVerifier(appID: "1234567890", transport: StubTransport(), clock: issuer.clock)
        let patient = try LimitedLoginVerifier(
            appID: "1234567890",
            maximumAge: nil,
            transport: Self.transport(of: issuer),
            clock: issuer.clock
        )
        _ = try await patient.verify(text, nonce: .exactly("n-1"))
        #expect(throws: TokenRefusal.self) {
            try facebook.verify(text, nonce: .exactly("n-1"), with: issuer.keys)
        }
    }

    @Test(arguments: [Provider.google, .apple])
    func `a verifier for an issuer fetches its keys with its first token`(provider: Provider) async throws {
        let issuer = TestIssuer(provider: provider, audience: "client-1")
        let transport = Self.transport(of: issuer)
        let verifier = try TokenVerifier(
            issuer: provider,
            audience: "client-1",
            transport: transport,
            clock: issuer.clock
        )
        for _ in 1...2 {
            let token = try await verifier.verify(issuer.token(nonce: "n-1"), nonce: .exactly("n-1"))
            #expect(token.provider == provider)
        }
        #expect(transport.requests.map(\.url.description) == [provider.keySetURL])
    }

    @Test func `a verifier fetches keys from a server, and reports a missing server promptly`() async throws {
        try await ThrowAwayCA.run { authority in
            let pair = try await authority.pair(for: ["IP:127.0.0.1"])
            let identity = ServerIdentity(certificateChain: pair.certificate, privateKey: pair.privateKey)
            try await ScriptedServer.run(identity: identity) { server in
                server.answer("/keys", with: .keySet([.shared], maxAge: 3600))
                let provider = Provider(
                    name: "example",
                    issuers: ["https://issuer.example"],
                    keySetURL: server.url("/keys")
                )
                let issuer = TestIssuer(provider: provider, audience: "client-1")
                let transport = AsyncHTTPClientTransport(
                    .init(
                        trustRoots: .file(authority.certificatePath),
                        allowedNetworks: [try #require(IPNetwork("127.0.0.0/8"))]
                    )
                )
                func verifier() throws -> TokenVerifier {
                    try TokenVerifier(
                        issuer: provider,
                        audience: "client-1",
                        transport: transport,
                        clock: issuer.clock
                    )
                }
                let text = issuer.token(nonce: "n-1")
                let token = try await verifier().verify(text, nonce: .exactly("n-1"))
                #expect(token.subject == token.claims["sub"]?.string)
                #expect(server.requests.count == 1)
                await server.kill()
                let other = try verifier()
                await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
                    try await other.verify(text, nonce: .exactly("n-1"))
                }
            }
        }
    }

    @Test func `an empty app ID or audience, or a provider without a key set URL, is an error`() {
        #expect(throws: PolicyError.self) { try LimitedLoginVerifier(appID: "") }
        #expect(throws: PolicyError.self) { try TokenVerifier(issuer: .google, audience: "") }
        #expect(throws: KeyCacheError.self) {
            try TokenVerifier(issuer: .openID(issuers: ["http://issuer.example"]), audience: "client-1")
        }
    }

    private static func transport(of issuer: TestIssuer) -> StubTransport {
        let transport = StubTransport()
        transport.answer(issuer.provider.keySetURL ?? "", with: .json(issuer.keySet, maxAge: 3600))
        return transport
    }
}
#endif
