// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The hints for a sender who sent something else than an access token for this API.
@Suite(.rule("T-230")) struct RecognizedAccessTokenTests {
    let bench: AccessTokenBench

    init() throws {
        bench = try AccessTokenBench()
    }

    private func refusal(_ text: String) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try bench.verifier.verify(text, with: bench.issuer.keys)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "EAABwzLixnjYBO0ZBabc", "ya29.a0AfB_byC1dE-f", "gho_16C7e42F292c6912E7710c838347Ae178B4a", "a.b-c~d+/=",
    ])
    func `an opaque token is recognized, and the message names introspection`(text: String) {
        let refusal = refusal(text)
        #expect(refusal?.recognizedAs == .opaqueToken)
        #expect(refusal?.publicMessage.contains("RFC 7662") == true)
    }

    @Test(arguments: [("nonce", "n-1"), ("at_hash", "x"), ("c_hash", "x"), ("token_use", "id"), ("typ", "ID")])
    func `an ID token is recognized by a claim that only ID tokens have`(claim: String, value: String) {
        let text = bench.issuer.token { $0.claims[claim] = .string(value) }
        let refusal = refusal(text)
        #expect(refusal?.code == .tokenType && refusal?.recognizedAs == .idToken)
        #expect(refusal?.publicMessage.contains("Send the access token") == true)
    }

    @Test func `an ID token is also recognized if its issuer has one typ for all tokens`() throws {
        let bench = try AccessTokenBench(try .auth0(domain: "example.eu.auth0.com"))
        let text = bench.issuer.token(nonce: "n-1") { $0.claims["aud"] = "client-app" }
        let refusal = expectRefusal(.tokenType) { try bench.verifier.verify(text, with: bench.issuer.keys) }
        #expect(refusal?.recognizedAs == .idToken)
    }

    @Test func `an access token is not mistaken for another kind`() {
        for claim in ["jti", "exp"] {
            let refusal = refusal(bench.issuer.accessToken { $0.claims[claim] = nil })
            #expect(refusal?.code == .missingClaim && refusal?.recognizedAs == nil)
        }
    }

    @Test(arguments: [
        ("Bearer eyJhbGciOiJSUzI1NiJ9.e30.AA", RecognizedInput.authorizationHeader), ("", .empty),
        ("\"eyJ.eyJ.AA\"", .quotedToken), ("eyJhbGciOi", .truncatedToken), ("null", .placeholder),
        ("a.b.c.d.e", .encryptedToken),
    ])
    func `mistakes of copying are recognized as with ID tokens`(text: String, expected: RecognizedInput) {
        #expect(refusal(text)?.recognizedAs?.rawValue == expected.rawValue)
    }

    @Test(arguments: ["{\"access_token\":\"x\"}", "https://client.example/?id_token=x", "4/0AX4XfWh"])
    func `a hint for an API recommends no ID token`(text: String) {
        let message = refusal(text)?.publicMessage ?? "ID token"
        #expect(!message.contains("ID token") && !message.contains("id_token"))
    }

    @Test(arguments: VerificationCode.refusals)
    func `no sentence for the sender of an access token recommends an ID token or a sign-in`(code: VerificationCode) {
        // These checks are not made of access tokens.
        let others: [VerificationCode] = [.hostedDomain, .accessTokenHash, .codeHash, .nonce, .replayed]
        guard !others.contains(code) else { return }
        let explanation = code.explanationForAccessTokens
        #expect(!explanation.contains("ID token") && !explanation.contains("Sign in") && explanation.hasSuffix("."))
    }

    @Test func `the message for a missing scope and for another API helps the sender`() throws {
        let scoped = try AccessTokenBench(requiredScopes: ["orders:write"])
        let scope = expectRefusal(.insufficientScope) { try scoped.verify() }
        #expect(scope?.publicMessage == "insufficient-scope: \(VerificationCode.insufficientScope.explanation)")
        let audience = refusal(bench.issuer.accessToken { $0.claims["aud"] = "another" })
        #expect(
            audience?.publicMessage
                == "audience: The access token was issued for another API. Request one for this API."
        )
    }
}
