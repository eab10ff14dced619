// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The tests in the guide "Verify a Limited Login token on your server".

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import Testing

@Suite struct FacebookSignInTests {
    let facebook = TestIssuer.facebook(appID: "1234567890")

    func verify(_ text: String) async throws(VerificationError) -> AuthenticationToken {
        guard
            let verifier = try? LimitedLoginVerifier(appIDs: ["1234567890"], keys: facebook.keys, clock: facebook.clock)
        else { preconditionFailure("the app ID is not empty") }
        return try await verifier.verify(text, nonce: .exactly("n-1"))
    }

    @Test func `a token for this app signs its user in`() async throws {
        let token = try await verify(facebook.token(nonce: "n-1"))
        #expect(token.profile.userID == "1000000000000001")
    }

    @Test func `a token for another app is refused`() async {
        let stolen = facebook.token(nonce: "n-1") { $0.claims["aud"] = "another-app" }
        let error = await #expect(throws: VerificationError.self) { try await verify(stolen) }
        #expect(error?.code == .audience)
    }

    @Test func `a token is accepted for ten minutes`() async throws {
        let token = facebook.token(nonce: "n-1")
        facebook.clock.advance(by: .seconds(9 * 60))
        _ = try await verify(token)
        facebook.clock.advance(by: .seconds(60))
        let error = await #expect(throws: VerificationError.self) { try await verify(token) }
        #expect(error?.code == .tooOld)
    }
}
