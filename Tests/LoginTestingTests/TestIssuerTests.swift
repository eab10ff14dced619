// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// An issuer for tests: its tokens are valid unless a test changes them.
@Suite struct TestIssuerTests {
    @Test func `a token is valid by default`() throws {
        let issuer = TestIssuer()
        let token = try Bench(issuer: issuer).verify()
        #expect(token.issuer == "https://issuer.example")
        #expect(token.audience == "client-1")
        #expect(token.issuedAt == issuer.clock.now - 60)
        #expect(token.expiresAt == issuer.clock.now + 3540)
        #expect(token.claims.names == ["iss", "aud", "sub", "iat", "exp"])
    }

    @Test func `a token of the Facebook issuer is valid for a verifier of Limited Login`() throws {
        let facebook = TestIssuer.facebook(appID: "77")
        let verifier = try LimitedLoginVerifier(appIDs: ["77"], keys: facebook.keys, clock: facebook.clock)
        let token = try verifier.verify(facebook.token(nonce: "n-1"), nonce: .exactly("n-1"), with: facebook.keys)
        #expect(token.claims.iss == "https://www.facebook.com")
        #expect(token.claims.aud == "77")
        #expect(!token.claims.jti.isEmpty)
        #expect(token.profile.notes.isEmpty)
    }

    /// The form used in the documentation.
    @Test func `a token can be made without a change`() throws {
        let text = TestIssuer().token(nonce: "n-1")
        try Bench().verify(text: text, nonce: .exactly("n-1"))
    }

    @Test func `a token has the given nonce, or none`() throws {
        let bench = try Bench()
        #expect(try bench.verify(text: bench.issuer.token(nonce: "n"), nonce: .exactly("n")).claims.nonce == "n")
        #expect(try bench.verify(nonce: .mustBeAbsent).claims["nonce"] == nil)
    }

    @Test func `header and claims can be changed, and an error of the change is rethrown`() throws {
        struct Stop: Error {}
        let token = try Bench().verify {
            $0.header["typ"] = "application/jwt"
            $0.claims["name"] = "Ada"
        }
        #expect(token.jws.header.type == "application/jwt")
        #expect(token.claims["name"]?.string == "Ada")
        #expect(throws: Stop.self) { try TestIssuer().token { _ in throw Stop() } }
    }

    @Test func `a signature by the issuer's key is valid whatever the header says`() throws {
        let issuer = TestIssuer()
        let parts = issuer.token { $0.header["alg"] = "none" }.split(separator: ".")
        try #require(parts.count == 3)
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(Base64URL.decode(parts[2].utf8) == issuer.key.signature(of: input))
    }

    @Test func `a signature by another key is valid for that key only`() throws {
        let bench = try Bench()
        let text = bench.issuer.token {
            $0.header["kid"] = .string(TestKey.another.keyID)
            $0.signing = .key(.another)
        }
        expectRefusal(.keyNotFound) { try bench.verify(text: text) }
        expectRefusal(.signature) { try bench.verify { $0.signing = .key(.another) } }
        let other = KeySnapshot(
            issuers: bench.issuer.provider.issuers,
            keys: JSONWebKeySet([try TestKey.another.publicKey()])
        )
        try Bench(issuer: bench.issuer, keys: other).verify(text: text)
    }

    /// RFC 4231 §4.3 tests the code; the token's signature also has 32 bytes, and differs for another secret.
    @Test func `an HMAC signature has 32 bytes and depends on the secret`() throws {
        func signature(secret: String) throws -> [UInt8]? {
            let text = TestIssuer().token { $0.signing = .hmac(secret: Array(secret.utf8)) }
            return Base64URL.decode(try #require(text.split(separator: ".").last).utf8)
        }
        #expect(try signature(secret: "a")?.count == 32)
        #expect(try signature(secret: "a") == signature(secret: "a"))
        #expect(try signature(secret: "a") != signature(secret: "b"))
        expectRefusal(.signature) { try Bench().verify { $0.signing = .hmac(secret: [1]) } }
    }

    @Test func `given bytes become the signature unchanged`() throws {
        let text = TestIssuer().token { $0.signing = .bytes([0, 255, 254]) }
        #expect(text.hasSuffix(".AP_-"))
        let unsigned = TestIssuer().token { $0.signing = .bytes([]) }
        #expect(unsigned.hasSuffix("."))
        expectRefusal(.segments) { try Bench().verify(text: unsigned) }
    }

    @Test func `a token can be made from any bytes`() throws {
        let text = TestToken.compact(header: [], payload: [0xFF], signing: .bytes([1]))
        #expect(text == "._w.AQ")
        let header = Array(#"{"alg":"RS256"}"#.utf8)
        let jws = try CompactJWS(TestToken.compact(header: header, payload: [0xFF, 0]))
        let verified = try jws.verified(with: JSONWebKeySet([try TestKey.shared.publicKey()]))
        #expect(verified.payload == [0xFF, 0])
    }

    @Test func `tokens follow the clock of the issuer`() throws {
        let bench = try Bench()
        let text = bench.issuer.token()
        bench.issuer.clock.advance(by: .seconds(3540))
        expectRefusal(.expired) { try bench.verify(text: text) }
        try bench.verify()
    }

    /// A cache of token IDs must be able to tell two attempts apart.
    @Test func `tokens with different nonces have different token IDs`() throws {
        func tokenID(nonce: String) throws -> String? {
            try UnverifiedToken(inspecting: TestIssuer.facebook().token(nonce: nonce)).claims.tokenID
        }
        #expect(try tokenID(nonce: "n-1") == tokenID(nonce: "n-1"))
        #expect(try tokenID(nonce: "n-1") != tokenID(nonce: "n-2"))
    }

    @Test func `the key set contains the public key, and can be changed`() throws {
        let issuer = TestIssuer()
        var keySet = issuer.keySet
        #expect(try JSONWebKeySet(json: keySet.text).keys.map(\.keyID) == [issuer.key.keyID])
        keySet["keys"] = []
        #expect(throws: KeySetError.self) { try JSONWebKeySet(json: keySet.text) }
    }

    @Test func `the keys are available for each issuer of the provider, and for no other`() {
        let keys = TestIssuer.facebook().keys
        for issuer in Provider.facebook.issuers { #expect(keys.keys(of: issuer)?.keys.count == 1) }
        #expect(keys.keys(of: "https://issuer.example") == nil)
    }

    @Test func `each key has an ID of its own, in Facebook's format`() throws {
        for key in [TestKey.shared, .another] {
            #expect(key.keyID.count == 40)
            #expect(key.keyID.allSatisfy { "0123456789abcdef".contains($0) })
            #expect(try key.publicKey().keyID == key.keyID)
            #expect(try key.publicKey().bits == 2048)
        }
        #expect(TestKey.shared.keyID != TestKey.another.keyID)
    }

    @Test func `a weak key can sign, and its public key is unusable`() throws {
        let weak = TestKey(bits: 1024)
        #expect(weak.signature(of: [1]).count == 128)
        #expect(throws: UnusableKey.self) { try weak.publicKey() }
        let issuer = TestIssuer(key: weak)
        expectRefusal(.keyUnusable) { try Bench(issuer: issuer).verify() }
    }
}
