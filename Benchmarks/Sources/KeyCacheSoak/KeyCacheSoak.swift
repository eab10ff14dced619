// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginKeys
import LoginTesting
import LoginTokens
import SoakSupport

/// Tries to make the cache fetch, and grow, with tokens that name unknown keys.
///
/// Sends 100,000 tokens, each with another key ID, over ten cooldowns; then counts the requests, and compares the
/// memory of the last quarter with that of the second. Exits with 1 if a goal is missed.
@main
struct KeyCacheSoak {
    private static let tokens = 100_000
    private static let cooldowns = 10
    private static let url = "https://issuer.example/keys"

    static func main() async throws {
        let issuer = TestIssuer(
            provider: Provider(name: "example", issuers: ["https://issuer.example"], keySetURL: url)
        )
        let transport = StubTransport()
        transport.answer(url, with: .json(issuer.keySet, maxAge: 86_400))
        let clock = ManualContinuousClock()
        let cache = try KeyCache(
            providers: [issuer.provider],
            transport: transport,
            clock: clock,
            wallClock: issuer.clock
        )
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let verifier = TokenVerifier(policy: policy, keys: cache, clock: issuer.clock)
        let parts = issuer.token().split(separator: ".").dropFirst().joined(separator: ".")
        var memory = MemoryRecord()
        try await cache.running {
            _ = try await verifier.verify(issuer.token(), nonce: .mustBeAbsent)
            for number in 0..<tokens {
                if number % (tokens / cooldowns) == 0, number > 0 { clock.advance(by: .seconds(30)) }
                let header = Data(#"{"alg":"RS256","kid":"unknown-\#(number)"}"#.utf8).base64EncodedString()
                    .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
                do throws(VerificationError) {
                    _ = try await verifier.verify("\(header).\(parts)", nonce: .mustBeAbsent)
                    fatalError("a token with an unknown key was accepted")
                } catch {
                    guard error.code == .keyNotFound else { fatalError("the verdict is \(error)") }
                }
                if number % 100 == 99 { try memory.sample() }
            }
        }
        report(requests: transport.requests.count, memory: memory)
    }

    private static func report(requests: Int, memory: MemoryRecord) {
        let extra = requests - 1
        print("tokens with unknown keys: \(tokens), in \(cooldowns) cooldowns of 30 s")
        print("requests: 1 for the first keys, \(extra) extra (goal: at most \(cooldowns))")
        guard memory.report(), extra <= cooldowns else {
            print("missed")
            exit(1)
        }
        print("met")
    }
}
