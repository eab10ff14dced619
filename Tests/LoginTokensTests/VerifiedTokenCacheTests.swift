// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// A cache may skip the verification of the signature, and must not change a verdict.
@Suite struct VerifiedTokenCacheTests {
    private let issuer = TestIssuer()
    private let cache = VerifiedTokenCache()

    private func policy(maximumAge: Duration? = nil, audience: String? = nil) throws -> TokenPolicy {
        try TokenPolicy(
            provider: issuer.provider,
            audiences: [audience ?? issuer.audience],
            algorithms: [issuer.key.algorithm],
            leeway: .zero,
            maximumAge: maximumAge
        )
    }

    private func verifier(_ policy: TokenPolicy? = nil, clock: (any WallClock)? = nil) throws -> TokenVerifier {
        TokenVerifier(
            policy: try policy ?? self.policy(),
            keys: issuer.keys,
            clock: clock ?? issuer.clock,
            cache: cache
        )
    }

    // MARK: Hits

    @Test(.rule("T-175"))
    func `a repeated token is found in the cache, with the same result`() async throws {
        let verifier = try verifier()
        let text = issuer.token(nonce: "n")
        let first = try verifier.verify(text, nonce: .exactly("n"), with: issuer.keys)
        #expect(cache.status.hits == 0)
        let second = try verifier.verify(text, nonce: .exactly("n"), with: issuer.keys)
        let third = try await verifier.verify(text, nonce: .exactly("n"))
        #expect(cache.status.entries == 1 && cache.status.hits == 2 && cache.status.misses == 1)
        for token in [second, third] {
            #expect(token.claims.names == first.claims.names && token.subject == first.subject)
            #expect(token.issuer == first.issuer && token.audience == first.audience)
            #expect(token.jws.payload == first.jws.payload && token.jws.algorithm == first.jws.algorithm)
            #expect(token.expiresAt == first.expiresAt && token.nonceCheck == .exactly)
        }
    }

    @Test(.rule("T-175"))
    func `a token with any changed byte is not found in the cache`() throws {
        let cached = try verifier()
        let plain = TokenVerifier(policy: try policy(), keys: issuer.keys, clock: issuer.clock)
        let text = issuer.token()
        _ = try cached.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        let bytes = Array(text.utf8)
        for place in bytes.indices {
            var other = bytes
            other[place] = other[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let changed = String(decoding: other, as: UTF8.self)
            #expect(verdict(cached, changed) == verdict(plain, changed), "byte \(place)")
            #expect(verdict(cached, changed) != nil, "byte \(place)")
        }
        #expect(cache.status.hits == 0 && cache.status.entries == 1)
    }

    @Test(.rule("T-175"), arguments: ["=", "\n", " ", ".", "A"])
    func `characters before or after a cached token are refused`(extra: String) throws {
        let verifier = try verifier()
        let text = issuer.token()
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        for changed in [extra + text, text + extra, text.replacing(".", with: extra + ".", maxReplacements: 1)] {
            #expect(verdict(verifier, changed) != nil)
        }
        #expect(cache.status.hits == 0)
    }

    @Test(.rule("T-175"), .rule("T-080"))
    func `the longest token is cached, and a longer one does not match it`() throws {
        let cache = VerifiedTokenCache()
        let verifier = TokenVerifier(policy: try policy(), keys: issuer.keys, clock: issuer.clock, cache: cache)
        func token(_ fill: Int) -> String {
            issuer.token { $0.claims["fill"] = .string(String(repeating: "x", count: fill)) }
        }
        // Base64url encodes three bytes as four characters.
        let fill = (Limits.tokenBytes - token(0).utf8.count) * 3 / 4
        let longest = try #require((fill - 3...fill + 3).map(token).last { $0.utf8.count == Limits.tokenBytes })
        for _ in 0..<2 { #expect(verdict(verifier, longest) == nil) }
        #expect(cache.status.hits == 1)
        for extra in ["A", "=", ".", "\n", "..garbage", String(repeating: "Z", count: 100_000)] {
            #expect(verdict(verifier, longest + extra) == .tooLarge)
        }
        #expect(cache.status.hits == 1)
    }

    /// Returns the code of the refusal; nil if the token is accepted.
    private func verdict(_ verifier: TokenVerifier, _ text: String) -> VerificationCode? {
        do throws(TokenRefusal) {
            _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
            return nil
        } catch {
            return error.code
        }
    }

    // MARK: What is checked each time

    @Test(.rule("T-176"))
    func `the times are checked on every use of a cached token`() throws {
        let clock = ManualClock(issuer.clock.now)
        let verifier = try verifier(policy(maximumAge: .seconds(120)), clock: clock)
        let end = Int(issuer.clock.now.timeIntervalSince1970) + 90
        // The token was issued a minute ago.
        let text = issuer.token { $0.claims["exp"] = .raw("\(end)") }
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        clock.advance(by: .seconds(60))
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        clock.advance(by: .seconds(1))
        expectRefusal(.tooOld) { try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
        clock.advance(by: .seconds(29))
        expectRefusal(.expired) { try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
        clock.advance(by: .seconds(-180))
        expectRefusal(.issuedInFuture) { try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
        #expect(cache.status.hits == 4)
    }

    @Test(.rule("T-176"))
    func `the expectations of each call are checked on every use of a cached token`() throws {
        let verifier = try verifier()
        let text = issuer.token(nonce: "n") { $0.claims["at_hash"] = "wrong" }
        _ = try verifier.verify(text, nonce: .exactly("n"), with: issuer.keys)
        expectRefusal(.nonce) { try verifier.verify(text, nonce: .exactly("m"), with: issuer.keys) }
        expectRefusal(.nonce) { try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
        expectRefusal(.accessTokenHash) {
            _ = try verifier.verify(text, nonce: .exactly("n"), accessToken: .ifPresent("a"), with: issuer.keys)
        }
        expectRefusal(.codeHash) {
            _ = try verifier.verify(text, nonce: .exactly("n"), code: .required("c"), with: issuer.keys)
        }
        _ = try verifier.verify(text, nonce: .exactly("n"), with: issuer.keys)
        #expect(cache.status.hits == 5)
    }

    @Test(.rule("T-176"))
    func `a single-use nonce is accepted once, also for a cached token`() async throws {
        let verifier = try verifier()
        let nonces = InMemoryNonceStore()
        let binding = NonceBinding(secret: "s")
        let nonce = try await nonces.issue(purpose: .signIn, binding: binding, lifetime: .seconds(60))
        let text = issuer.token(nonce: nonce)
        let expected = SingleUseNonce.singleUse(nonces, purpose: .signIn, binding: binding)
        _ = try await verifier.verify(text, nonce: expected)
        await #expect(throws: VerificationError.self) { try await verifier.verify(text, nonce: expected) }
        #expect(cache.status.hits == 1)
    }

    @Test(.rule("T-176"))
    func `a call that requests a report runs every check`() throws {
        let verifier = try verifier()
        let text = issuer.token()
        var reports: [[CheckReport]] = []
        for _ in 0..<3 {
            var checks: [CheckReport] = []
            _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys) { checks.append($0) }
            reports.append(checks)
        }
        #expect(reports[0].map(\.check) == Check.inOrder)
        #expect(Set(reports).count == 1)
        #expect(cache.status.hits == 0)
    }

    // MARK: Keys

    @Test(.rule("T-177"))
    func `a cached token is refused while its key is missing, and accepted when it returns`() throws {
        let verifier = try verifier()
        let text = issuer.token()
        let other = TestIssuer(provider: issuer.provider, key: .another)
        var namesake = TestKey.another.json
        namesake["kid"] = .string(issuer.key.keyID)
        let renamed = KeySnapshot(
            provider: issuer.provider,
            keys: try JSONWebKeySet(json: (["keys": [namesake]] as TestJSON).text)
        )
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        expectRefusal(.keyNotFound) { try verifier.verify(text, nonce: .mustBeAbsent, with: other.keys) }
        expectRefusal(.signature) { try verifier.verify(text, nonce: .mustBeAbsent, with: renamed) }
        let none = KeySnapshot([])
        expectRefusal(.keyNotFound) { try verifier.verify(text, nonce: .mustBeAbsent, with: none) }
        // The entry is still used with the original keys.
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        #expect(cache.status.entries == 1)
    }

    @Test(.rule("T-177"))
    func `a cached token is undecided without keys`() async throws {
        let text = issuer.token()
        let source = SpyKeySource(
            .failure(VerificationUnavailable(detail: "none")),
            then: .failure(VerificationUnavailable(detail: "none"))
        )
        let verifier = TokenVerifier(policy: try policy(), keys: source, clock: issuer.clock, cache: cache)
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier.verify(text, nonce: .mustBeAbsent)
        }
    }

    // MARK: Bounds

    @Test(.rule("T-178"))
    func `refused tokens are not cached`() throws {
        let verifier = try verifier()
        let expired = issuer.token { $0.claims["exp"] = 1 }
        let foreign = issuer.token { $0.claims["aud"] = "other" }
        let text = issuer.token()
        for text in [expired, foreign, String(text.dropLast(4)) + "AAAA", "", "...", "a.b.c"] {
            #expect(verdict(verifier, text) != nil)
        }
        #expect(verdict(verifier, text) == nil && cache.status.entries == 1)
    }

    @Test(.rule("T-178"))
    func `the cache stays within its limits, and keeps the entries in use`() throws {
        let cache = VerifiedTokenCache(entries: 8, bytes: 64 * 1024)
        let verifier = TokenVerifier(policy: try policy(), keys: issuer.keys, clock: issuer.clock, cache: cache)
        let popular = issuer.token(nonce: "popular")
        _ = try verifier.verify(popular, nonce: .exactly("popular"), with: issuer.keys)
        for number in 0..<40 {
            // The tokens grow with the number.
            let text = issuer.token { $0.claims["x"] = .string(String(repeating: "x", count: number * 150)) }
            _ = try verifier.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
            _ = try verifier.verify(popular, nonce: .exactly("popular"), with: issuer.keys)
            #expect(cache.status.entries <= 8 && cache.status.bytes <= 64 * 1024)
        }
        #expect(cache.status.hits == 40)
        cache.removeAll()
        #expect(cache.status.entries == 0 && cache.status.bytes == 0)
        _ = try verifier.verify(popular, nonce: .exactly("popular"), with: issuer.keys)
        #expect(cache.status.hits == 40)
    }

    @Test(.rule("T-178"))
    func `a capacity below the minimum is a programming error`() async {
        _ = VerifiedTokenCache(entries: 2, bytes: 64 * 1024)
        await #expect(processExitsWith: .failure) { _ = VerifiedTokenCache(entries: 1, bytes: 64 * 1024) }
        await #expect(processExitsWith: .failure) { _ = VerifiedTokenCache(entries: 2, bytes: 64 * 1024 - 1) }
    }

    // MARK: Several verifiers

    @Test(.rule("T-179"))
    func `verifiers that share a cache do not share entries`() throws {
        let mine = try verifier()
        let others = try verifier(policy(audience: "other"))
        let text = issuer.token()
        _ = try mine.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        expectRefusal(.audience) { try others.verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
        // Another verifier is not served, not even with the same policy.
        _ = try verifier().verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        #expect(cache.status.hits == 0 && cache.status.entries == 2)
        // A copy of a verifier is the same verifier.
        let copy = mine
        _ = try copy.verify(text, nonce: .mustBeAbsent, with: issuer.keys)
        #expect(cache.status.hits == 1)
    }

    @Test(.rule("T-179"))
    func `a new verifier does not get the entries of a deallocated one`() throws {
        let text = issuer.token()
        for _ in 0..<20 { _ = try verifier().verify(text, nonce: .mustBeAbsent, with: issuer.keys) }
        #expect(cache.status.hits == 0)
    }

    @Test(.rule("T-178"))
    func `concurrent tasks can use the cache`() async throws {
        let cache = VerifiedTokenCache(entries: 4, bytes: 64 * 1024)
        let verifier = TokenVerifier(policy: try policy(), keys: issuer.keys, clock: issuer.clock, cache: cache)
        let texts = (0..<8).map { issuer.token(nonce: "n\($0)") }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let nonce = "n\(number % 8)"
                    let token = try? await verifier.verify(texts[number % 8], nonce: .exactly(nonce))
                    #expect(token?.claims.nonce == nonce)
                    #expect((try? await verifier.verify(texts[number % 8], nonce: .exactly("x"))) == nil)
                }
            }
        }
        #expect(cache.status.entries <= 4 && cache.status.hits + cache.status.misses == 400)
    }

    @Test func `no text shows the cached content`() throws {
        _ = try verifier().verify(issuer.token(), nonce: .mustBeAbsent, with: issuer.keys)
        var dumped = ""
        dump(cache, to: &dumped)
        #expect("\(cache)" == "verified tokens" && String(reflecting: cache) == "verified tokens")
        #expect(!dumped.contains("sub") && dumped.count < 40)
    }
}
