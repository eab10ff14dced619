// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginKeys
import LoginTesting
import LoginTokens

/// Measures verifications while a key fetch is pending because the provider does not answer, compared with others.
///
/// Rounds of both kinds take turns in one run, on one token and one key. The ratio is the result; the times printed
/// beside it are those of this machine.
@main
struct KeyCacheBenchmark {
    private static let rounds = 40
    private static let verificationsInRound = 500
    private static let url = "https://issuer.example/keys"

    static func main() async throws {
        let issuer = TestIssuer(
            provider: Provider(name: "example", issuers: ["https://issuer.example"], keySetURL: url)
        )
        let transport = StubTransport()
        transport.answer(url, with: .json(issuer.keySet, maxAge: 3600))
        let clock = ManualContinuousClock()
        let cache = try KeyCache(
            providers: [issuer.provider],
            transport: transport,
            clock: clock,
            wallClock: issuer.clock
        )
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let verifier = TokenVerifier(policy: policy, keys: cache, clock: issuer.clock)
        let token = issuer.token(nonce: "n")
        var steady: [Duration] = []
        var hanging: [Duration] = []
        try await cache.running {
            for round in 0..<rounds {
                try await measure(verifier, token, isWarmUp: round == 0, into: &steady)
                let asked = transport.requests.count
                let events = cache.events()
                transport.shut()
                clock.advance(by: .seconds(3000))
                await transport.requests(atLeast: asked + 1)
                try await measure(verifier, token, isWarmUp: round == 0, into: &hanging)
                transport.open()
                for await event in events where event.kind == .fetched { break }
            }
        }
        report(steady: steady.sorted(), hanging: hanging.sorted())
    }

    private static func measure(
        _ verifier: TokenVerifier,
        _ token: String,
        isWarmUp: Bool,
        into samples: inout [Duration]
    ) async throws {
        let clock = ContinuousClock()
        for _ in 0..<verificationsInRound {
            let start = clock.now
            _ = try await verifier.verify(token, nonce: .exactly("n"))
            if !isWarmUp { samples.append(start.duration(to: clock.now)) }
        }
    }

    private static func report(steady: [Duration], hanging: [Duration]) {
        print("one verification, RS256; \(steady.count) of each kind, in rounds that take turns")
        print("                        steady    a refresh hangs    ratio")
        for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
            let one = quantile(steady, share)
            let other = quantile(hanging, share)
            print(
                "  \(name)            \(microseconds(one)) us        \(microseconds(other)) us      \(rounded(other / one))"
            )
        }
    }

    private static func quantile(_ sorted: [Duration], _ share: Double) -> Double {
        sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] / .microseconds(1)
    }

    private static func microseconds(_ value: Double) -> String {
        let text = String(Int((value * 10).rounded()) / 10) + "." + String(Int((value * 10).rounded()) % 10)
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }

    private static func rounded(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
