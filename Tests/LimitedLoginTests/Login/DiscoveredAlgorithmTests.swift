// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The algorithms of ID tokens, as the discovery document lists them, and the audiences of a declared provider.
@Suite struct DiscoveredAlgorithmTests {
    private func publish(_ bench: DiscoveredLoginBench, _ algorithms: TestJSON?) {
        bench.publish { $0["id_token_signing_alg_values_supported"] = algorithms }
    }

    /// Returns the code of the verdict on a token of an app; nil if it is accepted.
    private func verdict(
        _ providers: SignInProviders,
        _ token: String
    ) async throws -> VerificationCode? {
        let entry = try #require(providers.entry("corp"))
        do throws(VerificationError) {
            _ = try await entry.verifier.verify(token, nonce: .exactly("n-1"))
            return nil
        } catch {
            return error.code
        }
    }

    private static let listed: [(SignatureAlgorithm, TestJSON?, Bool)] = [
        (.rs256, nil, true), (.rs256, [], true), (.es256, nil, false), (.es256, ["RS256", "ES256"], true),
        (.rs256, ["ES256"], false), (.ps256, ["PS256"], true), (.rs256, ["PS256"], false), (.edDSA, ["EdDSA"], true),
        (.es256, ["none", "HS256", "ES256K"], false), (.es256, "ES256", true),
    ]

    @Test(arguments: listed)
    func `browser logins and apps have the algorithms that the document lists, and RS256 without a list`(
        algorithm: SignatureAlgorithm,
        list: TestJSON?,
        isAccepted: Bool
    ) async throws {
        let bench = DiscoveredLoginBench(TestIssuer(key: TestKey(algorithm)))
        publish(bench, list)
        let providers = try bench.providers(bench.provider())
        await providers.prepare()
        let token = bench.issuer.token(nonce: "n-1")
        #expect(try await verdict(providers, token) == (isAccepted ? nil : .algorithm))
        do {
            let result = try await bench.logIn(bench.provider())
            if isAccepted {
                _ = try success(result)
            } else {
                #expect(expectFailure(.token, result)?.refusal?.code == .algorithm)
            }
        } catch let error as LoginManagerError {
            // No listed algorithm is one of a key.
            #expect(!isAccepted && error.code == .provider && error.description.contains("HS256"))
        }
    }

    @Test func `until the document is known RS256 is accepted, and another algorithm is undecided`() async throws {
        let bench = DiscoveredLoginBench()
        let providers = try bench.providers(bench.provider())
        #expect(try await verdict(providers, bench.issuer.token(nonce: "n-1")) == nil)
        #expect(bench.transport.requests.isEmpty)
        let other = DiscoveredLoginBench(TestIssuer(key: TestKey(.es256)))
        let unknown = try other.providers(other.provider())
        #expect(try await verdict(unknown, other.issuer.token(nonce: "n-1")) == .keysUnavailable)
        #expect(other.transport.requests.count == 1)
    }

    @Test func `the first token with another algorithm waits for the document`() async throws {
        let bench = DiscoveredLoginBench(TestIssuer(key: TestKey(.es384)))
        publish(bench, ["ES384"])
        let providers = try bench.providers(bench.provider())
        let token = bench.issuer.token(nonce: "n-1")
        #expect(try await verdict(providers, token) == nil)
        #expect(try await verdict(providers, token) == nil)
        #expect(bench.transport.requests.count == 1)
        // Nothing is fetched for a text that is no token, or whose algorithm no key has.
        let none = bench.issuer.token(nonce: "n-1") { $0.header["alg"] = "none" }
        let fresh = try bench.providers(bench.provider())
        #expect(try await verdict(fresh, none) == .algorithm)
        #expect(try await verdict(fresh, "e30.e30.e30") == .algorithm)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `declared algorithms need no document, and the document changes nothing`() async throws {
        let bench = DiscoveredLoginBench(TestIssuer(key: TestKey(.es256)))
        publish(bench, ["RS256"])
        let provider = bench.provider { $0.algorithms = [.es256] }
        let providers = try bench.providers(provider)
        #expect(try await verdict(providers, bench.issuer.token(nonce: "n-1")) == nil)
        #expect(bench.transport.requests.isEmpty)
        _ = try success(try await bench.logIn(provider))
        let other = try bench.providers(bench.provider { $0.algorithms = [.rs256] })
        await other.prepare()
        #expect(try await verdict(other, bench.issuer.token(nonce: "n-1")) == .algorithm)
    }

    @Test func `a document with algorithms of secrets alone is no obstacle to tokens signed with one`() async throws {
        let text = "0123456789abcdef0123456789abcdef"
        let bench = DiscoveredLoginBench()
        publish(bench, ["HS256"])
        let secret = try SharedSecret(text, algorithm: .hs256)
        let provider = bench.provider(secret: text) { $0.browserSecret = secret }
        let result = try await bench.logIn(
            provider,
            token: { token in
                token.header["alg"] = "HS256"
                token.signing = .hmac(secret: Array(text.utf8))
            }
        )
        _ = try success(result)
    }

    @Test(arguments: [TrustedAudiences.listed(["app", "project"]), .any])
    func `trusted audiences apply to browser logins and apps, and a sibling's tokens stay out`(
        trusted: TrustedAudiences
    ) async throws {
        let bench = DiscoveredLoginBench()
        bench.publish()
        let provider = bench.provider { $0.trustedAudiences = trusted }
        let providers = try bench.providers(provider)
        for (party, isOurs) in [("client-1", true), ("app", false)] {
            let change: (inout TestToken) -> Void = {
                $0.claims["aud"] = ["app", "client-1", "project"]
                $0.claims["azp"] = .string(party)
            }
            let result = try await bench.logIn(provider, token: change)
            let verdict = try await verdict(providers, bench.issuer.token(nonce: "n-1", change))
            #expect(verdict == (isOurs ? nil : .authorizedParty))
            if isOurs {
                _ = try success(result)
            } else {
                #expect(expectFailure(.token, result)?.refusal?.code == .authorizedParty)
            }
        }
    }
}
