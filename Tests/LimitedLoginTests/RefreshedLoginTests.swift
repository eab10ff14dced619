// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Tokens that a device receives without a new sign-in of its user.
@Suite struct RefreshedLoginTests {
    let bench: FacebookBench
    let first: AuthenticationToken
    let original: OriginalAuthentication

    init() throws {
        bench = try FacebookBench()
        first = try bench.verify()
        original = OriginalAuthentication(first.verified)
    }

    /// Returns a token issued an hour later.
    func refreshed(
        nonce: String? = FacebookBench.nonce,
        _ change: (inout TestToken) -> Void = { _ in }
    ) -> String {
        bench.issuer.clock.advance(by: .seconds(3600))
        return bench.issuer.token(nonce: nonce, change)
    }

    func verify(
        _ text: String,
        nonce: RefreshedNonce = .unchanged,
        original: OriginalAuthentication? = nil
    ) async throws(VerificationError) -> AuthenticationToken {
        try await bench.verifier.verify(text, refreshing: original ?? self.original, nonce: nonce)
    }

    @Test(.rule("F1.41"))
    func `a direct refresh must keep the nonce`() async throws {
        let text = refreshed { $0.claims["name"] = "Ada" }
        let token = try await verify(text)
        #expect(token.tokenString == text)
        #expect(token.profile.name == "Ada")
        #expect(token.claims.jti != first.claims.jti)
        #expect(token.verified.nonceCheck == .exactly)
    }

    @Test(.rule("F1.41"), arguments: ["attempt-2", "", "ATTEMPT-1", nil])
    func `a refreshed token with another nonce, or without one, is refused`(nonce: String?) async {
        let text = refreshed(nonce: nonce)
        await expectRefused(.nonce) { () async throws(VerificationError) in try await verify(text) }
    }

    @Test(.rule("F1.41"))
    func `a refreshed token must have no nonce if the first one had none`() async throws {
        let without = bench.issuer.token()
        let kept = try OriginalAuthentication(bench.verify(text: without, nonce: .mustBeAbsent).verified)
        let (bare, added) = (refreshed(nonce: nil), refreshed(nonce: "n"))
        bench.issuer.clock.advance(by: .seconds(-3600))
        _ = try await verify(bare, original: kept)
        bench.issuer.clock.advance(by: .seconds(3600))
        await expectRefused(.nonce) { () async throws(VerificationError) in try await verify(added, original: kept) }
    }

    @Test(.rule("F1.41"))
    func `a nonce that the app chose is compared`() async throws {
        let text = refreshed(nonce: "the app's own")
        #expect(try await verify(text, nonce: .chosenByApp("the app's own")).verified.nonceCheck == .exactly)
        for nonce in [RefreshedNonce.chosenByApp("another"), .chosenByApp(""), .unchanged] {
            await expectRefused(.nonce) { () async throws(VerificationError) in try await verify(text, nonce: nonce) }
        }
    }

    @Test(.rule("F1.41"), arguments: ["4F1C9A00-0000-4000-8000-000000000000", nil])
    func `a nonce that the SDK generated is not checked, and the reason is kept`(nonce: String?) async throws {
        let text = refreshed(nonce: nonce)
        let token = try await verify(text, nonce: .notChecked(because: "silent refresh"))
        #expect(token.verified.nonceCheck == .notChecked(because: "silent refresh"))
    }

    @Test(
        .rule("F1.43"),
        arguments: [RefreshedNonce.unchanged, .chosenByApp(FacebookBench.nonce), .notChecked(because: "silent")]
    )
    func `a token of another user is refused, whatever its nonce`(nonce: RefreshedNonce) async {
        let text = refreshed { $0.claims["sub"] = "1000000000000002" }
        await expectRefused(.subject) { () async throws(VerificationError) in try await verify(text, nonce: nonce) }
    }

    @Test(.rule("F1.43"))
    func `a token of another app, issuer spelling or earlier time is refused`() async throws {
        let several = try FacebookBench(issuer: bench.issuer, appIDs: [bench.issuer.audience, "222"])
        func verify(_ text: String) async throws(VerificationError) -> AuthenticationToken {
            try await several.verifier.verify(text, refreshing: original, nonce: .unchanged)
        }
        let other = refreshed { $0.claims["aud"] = "222" }
        await expectRefused(.audience) { () async throws(VerificationError) in try await verify(other) }
        let renamed = bench.token { $0.claims["iss"] = "https://facebook.com" }
        await expectRefused(.issuer) { () async throws(VerificationError) in try await verify(renamed) }
        bench.issuer.clock.advance(by: .seconds(-3600))
        let same = bench.token()
        _ = try await verify(same)
        let earlier = bench.token { $0.claims["iat"] = .number("\(bench.now - 61)") }
        await expectRefused(.tooOld) { () async throws(VerificationError) in try await verify(earlier) }
    }

    @Test func `a refreshed token must pass every check`() async {
        let expired = refreshed { $0.claims["exp"] = .number("\(bench.now)") }
        await expectRefused(.expired) { () async throws(VerificationError) in try await verify(expired) }
        let old = refreshed { $0.claims["iat"] = .number("\(bench.now - 601)") }
        await expectRefused(.tooOld) { () async throws(VerificationError) in try await verify(old) }
        let forged = refreshed { $0.signing = .bytes(Array(repeating: 0, count: 256)) }
        await expectRefused(.signature) { () async throws(VerificationError) in try await verify(forged) }
    }

    @Test func `the stored first authentication can be used after a restart`() async throws {
        let kept = try JSONDecoder().decode(OriginalAuthentication.self, from: JSONEncoder().encode(original))
        _ = try await verify(refreshed(), original: kept)
    }

    @Test func `no text shows the nonce`() {
        let nonce = RefreshedNonce.chosenByApp("made-up-nonce")
        var dumped = ""
        dump(nonce, to: &dumped)
        for text in ["\(nonce)", String(reflecting: nonce), dumped] { #expect(!text.contains("made-up-nonce")) }
        #expect("\(RefreshedNonce.unchanged)" == "nonce of the first token")
        #expect("\(RefreshedNonce.notChecked(because: "silent"))" == "nonce not checked")
    }
}
