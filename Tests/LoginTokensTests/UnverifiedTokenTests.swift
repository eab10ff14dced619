// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// An unverified token can be inspected, as a type named accordingly, which no method of verification accepts.
@Suite struct UnverifiedTokenTests {
    let issuer = TestIssuer()

    @Test
    func `header and claims of an unverified token can be read, whatever its signature`() throws {
        let text = issuer.token { token in
            token.header["alg"] = "none"
            token.claims["iss"] = "https://other.example"
            token.claims["exp"] = 1
            token.signing = .bytes([0])
        }
        let token = try UnverifiedToken(inspecting: text)
        #expect(token.header.algorithm == "none")
        #expect(token.claims.issuer == "https://other.example")
        #expect(token.claims.subject == "1000000000000001")
        #expect(token.claims.audiences == ["client-1"])
        #expect(token.claims.expiresAt?.timeIntervalSince1970 == 1)
    }

    @Test
    func `an invalid token is refused with the same codes as in a verification`() throws {
        let good = issuer.token()
        expectRefusal(.segments) { try UnverifiedToken(inspecting: "eyJ") }
        expectRefusal(.encryptedToken) { try UnverifiedToken(inspecting: good + ".AA.AA") }
        expectRefusal(.encoding) { try UnverifiedToken(inspecting: good + "\n") }
        expectRefusal(.tooLarge) { try UnverifiedToken(inspecting: String(repeating: "a", count: 1 << 20)) }
        expectRefusal(.header) { try UnverifiedToken(inspecting: issuer.token { $0.header = [] }) }
        expectRefusal(.criticalHeader) { try UnverifiedToken(inspecting: issuer.token { $0.header["crit"] = [] }) }
        expectRefusal(.payload) { try UnverifiedToken(inspecting: issuer.token { $0.claims = .raw("{") }) }
    }

    @Test
    func `other kinds of input are recognized`() {
        let refusal = expectRefusal(.segments) { try UnverifiedToken(inspecting: "EAABwzLix") }
        #expect(refusal?.recognizedAs == .facebookAccessToken)
    }

    @Test(.rule("T-076"))
    func `no text shows the claims before the signature is verified`() throws {
        let text = issuer.token { $0.claims["email"] = "secret" }
        let jws = try CompactJWS(text)
        #expect(Mirror(reflecting: jws).children.isEmpty)
        #expect(!shown(jws).contains("secret"))
        #expect(!shown(jws).contains(text.split(separator: ".")[1]))
        #expect(jws.header.keyID == issuer.key.keyID)

        let keys = try JSONWebKeySet(json: issuer.keySet.text)
        let payload = try jws.verified(with: keys).payload
        #expect(String(decoding: payload, as: UTF8.self).contains("secret"))
    }

    @Test(.rule("T-076"))
    func `the description of an unverified token does not show its claims`() throws {
        let token = try UnverifiedToken(inspecting: issuer.token { $0.claims["email"] = "secret" })
        #expect(token.claims["email"]?.string == "secret")
        #expect(!shown(token).contains("secret"))
        #expect(!shown(token.claims).contains("secret"))
    }

    @Test(.rule("T-076"))
    func `no claims are returned if the signature is invalid`() throws {
        let keys = try JSONWebKeySet(json: issuer.keySet.text)
        let forged = try CompactJWS(issuer.token { $0.signing = .key(.another) })
        expectRefusal(.signature) { try forged.verified(with: keys) }
        expectRefusal(.algorithm) { try CompactJWS(issuer.token()).verified(with: keys, algorithms: []) }
    }

    /// Returns everything that the text and a debugger's dump of a value show.
    private func shown(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }
}
