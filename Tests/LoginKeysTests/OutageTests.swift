// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import LoginKeys
import LoginTestServers
import LoginTesting
import LoginTokens
import TestSupport
import Testing

/// The scenario of the guide "When the provider is down", over real sockets; only the hours are simulated.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
    @Test(.rule("T-166", "T-163"))
    func
        `tokens are verified for a day after the provider went down, then undecided, then verified after its recovery`()
        async throws
    {
        try await ScriptedServer.run { server in
            server.answer("/keys", with: .keySet([.shared], maxAge: 3600))
            var provider = Provider(
                name: "example",
                issuers: ["https://issuer.example"],
                keySetURL: server.url("/keys")
            )
            provider.allowsLoopbackHTTP = true
            let issuer = TestIssuer(provider: provider)
            let stranger = TestIssuer(provider: provider, clock: issuer.clock, key: .another)
            let clock = ManualContinuousClock()
            var configuration = KeyCacheConfiguration()
            // A busy machine may be slow.
            configuration.fetchDeadline = .seconds(60)
            let cache = try KeyCache(
                providers: [provider],
                transport: AsyncHTTPClientTransport(),
                configuration: configuration,
                clock: clock,
                wallClock: issuer.clock
            )
            let policy = try TokenPolicy(provider: provider, audiences: [issuer.audience])
            let verifier = TokenVerifier(policy: policy, keys: cache, clock: issuer.clock)
            func verdict(of issuer: TestIssuer) async -> String {
                do throws(VerificationError) {
                    _ = try await verifier.verify(issuer.token(), nonce: .mustBeAbsent)
                    return "verified"
                } catch {
                    return error.code.rawValue
                }
            }
            func pass(_ duration: Duration) {
                issuer.clock.advance(by: duration)
                clock.advance(by: duration)
            }

            let events = cache.events()
            try await cache.running {
                #expect(await verdict(of: issuer) == "verified")
                await server.kill()
                // 1 hour of lifetime and 24 hours of the stale limit, minus the second by which the keys may be older.
                for hour in 1...24 {
                    pass(.seconds(3600))
                    #expect(await verdict(of: issuer) == "verified", "after \(hour) hours")
                }
                pass(.seconds(3599))
                #expect(await verdict(of: issuer) == "verified")
                #expect(await verdict(of: stranger) == "keys-unavailable")
                pass(.seconds(1))
                #expect(await verdict(of: issuer) == "keys-unavailable")
                #expect(await verdict(of: stranger) == "keys-unavailable")

                try await server.revive()
                // The documented time: the longest wait between two attempts.
                pass(configuration.retry.upperBound)
                for await event in events where event.kind == .freshAgain { break }
                #expect(await verdict(of: issuer) == "verified")
                #expect(await verdict(of: stranger) == "key-not-found")
            }
        }
    }
}
#endif
