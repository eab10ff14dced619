// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7515 §5.2: the signature of a token.
@Suite struct SignatureTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(.rule("T-071"))
    func `a token signed by the issuer's key is accepted and one signed by another key is refused`() throws {
        try bench.verify()
        expectRefusal(.signature) { try bench.verify { $0.signing = .key(.another) } }
    }

    @Test
    func `a signature of another length is refused as cut off, and one of the right length as invalid`() throws {
        let token = bench.issuer.token()
        let short = expectRefusal(.signature) { try bench.verify(text: String(token.dropLast(2))) }
        #expect(
            short?.detail.hasPrefix(
                "the signature has 255 bytes, but RS256 with the key that the token names has 256: "
            )
                == true
        )
        #expect(short?.detail.contains("cut off") == true)
        let long = expectRefusal(.signature) { try bench.verify(text: String(token.dropLast(2)) + "AAAA") }
        #expect(long?.detail.contains("has 258 bytes") == true && long?.detail.contains("cut off") == false)
        let changed = expectRefusal(.signature) { try bench.verify { $0.signing = .key(.another) } }
        #expect(changed?.detail == "not a valid RS256 signature by the key that the token names")
    }

    @Test(.rule("T-071"))
    func `the example of RFC 7515 A_2 has a valid signature`() throws {
        let key = """
            {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm\
            4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB\
            dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2eth\
            FkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}
            """
        let text = """
            eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0\
            cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJ\
            dbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcO\
            Ln6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrB\
            p0igcN_IoypGlUPQGe77Rw
            """
        let keys = JSONWebKeySet([try JSONWebKey(json: key, allowPublishedTestKeys: true)])
        let verified = try CompactJWS(text).verified(with: keys)
        #expect(
            verified.payload
                == Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8)
        )
        expectRefusal(.signature) {
            try CompactJWS(text).verified(with: JSONWebKeySet([try TestKey.shared.publicKey()]))
        }
    }

    @Test(.rule("T-072"))
    func `numbers that are not valid signatures are refused`() throws {
        let modulus = try #require(
            Base64URL.decode(TestKey.shared.json["n"]?.text.utf8.dropFirst().dropLast() ?? "".utf8[...])
        )
        var below = modulus
        below[255] -= 1
        let zero = [UInt8](repeating: 0, count: 256)
        let numbers = [modulus, below, zero, zero.dropLast() + [1], [UInt8](repeating: 0xFF, count: 256)]
        for number in numbers {
            #expect(number.count == modulus.count)
            expectRefusal(.signature) { try bench.verify { $0.signing = .bytes(number) } }
        }
    }

    @Test(.rule("T-073"))
    func `a signature must have the length of the modulus`() throws {
        let unsigned = bench.issuer.token { $0.signing = .bytes([0]) }
        let input = unsigned.dropLast(3)
        let signature = TestKey.shared.signature(of: Array(input.utf8))
        try bench.verify(text: input + "." + Base64URL.encode(signature))
        let others: [[UInt8]] = [
            [0] + signature, signature + [0], Array(signature.dropFirst()), signature.dropLast(), signature + signature,
            [0],
            Array(signature.prefix(128)), [UInt8](repeating: 0, count: 1024),
        ]
        for other in others {
            expectRefusal(.signature) { try bench.verify(text: input + "." + Base64URL.encode(other)) }
        }
        expectRefusal(.segments) { try bench.verify(text: input + ".") }
    }

    @Test(.rule("T-074"))
    func `the signature covers the received text, not the decoded content`() throws {
        let header = #"{"alg":"RS256","kid":"\#(TestKey.shared.keyID)"}"#
        let now = 1_760_000_000
        let claims = #"{"iss":"https://issuer.example","aud":"client-1","sub":"1","iat":\#(now),"exp":\#(now + 1)}"#
        let text = TestToken.compact(header: Array(header.utf8), payload: Array(claims.utf8))
        try bench.verify(text: text)
        let parts = text.split(separator: ".")
        for (otherHeader, otherClaims) in [
            (header, claims + " "), (header, claims.replacing(",", with: ", ")),
            (header, claims.replacing("/", with: #"\/"#)),
            (header + "\n", claims), (header.replacing("R", with: #"\u0052"#), claims),
        ] {
            let segments = [Base64URL.encode(otherHeader.utf8), Base64URL.encode(otherClaims.utf8), String(parts[2])]
            expectRefusal(.signature) { try bench.verify(text: segments.joined(separator: ".")) }
            // With a signature of its own, the other spelling is valid.
            try bench.verify(text: TestToken.compact(header: Array(otherHeader.utf8), payload: Array(otherClaims.utf8)))
        }
    }

    @Test(.rule("T-074"))
    func `segments of two valid tokens do not form a valid token`() throws {
        let first = bench.issuer.token().split(separator: ".")
        let second = bench.issuer.token { $0.claims["sub"] = "2" }.split(separator: ".")
        let third = bench.issuer.token { $0.header["typ"] = "jwt" }.split(separator: ".")
        for parts in [
            [first[0], second[1], first[2]], [first[0], first[1], second[2]], [third[0], first[1], first[2]],
        ] {
            expectRefusal(.signature) { try bench.verify(text: parts.joined(separator: ".")) }
        }
    }

    @Test(
        .rule("T-075"),
        arguments: [[0], Array(repeating: 0xFF, count: 256), Array(repeating: 0, count: 256)] as [[UInt8]]
    )
    func `a refused signature leaves nothing on OpenSSL's error queue`(signature: [UInt8]) throws {
        expectRefusal(.signature) { try bench.verify { $0.signing = .bytes(signature) } }
        #expect(openSSLErrorQueueIsEmpty)
        let message = Array("message".utf8)
        let key = try TestKey.shared.publicKey()
        #expect(!key.isValidSignature(signature, of: message, algorithm: .rs256))
        #expect(openSSLErrorQueueIsEmpty)
        #expect(key.isValidSignature(TestKey.shared.signature(of: message), of: message, algorithm: .rs256))
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-032"))
    func `refused tokens do not affect the verification of later ones`() throws {
        let good = bench.issuer.token()
        let bad = [
            bench.issuer.token { $0.header["alg"] = "RS512" }, bench.issuer.token { $0.signing = .key(.another) },
            bench.issuer.token { $0.header["kid"] = "nobody" },
        ]
        let verifier = bench.verifier
        for turn in 0..<1000 {
            #expect(throws: TokenRefusal.self) {
                try verifier.verify(bad[turn % bad.count], nonce: .mustBeAbsent, with: bench.keys)
            }
        }
        _ = try verifier.verify(good, nonce: .mustBeAbsent, with: bench.keys)
    }

    @Test(.rule("T-076"))
    func `the header, but not the claims, of a token can be read before its signature is verified`() throws {
        let text = bench.issuer.token { $0.claims["email"] = "ada@issuer.example" }
        let jws = try CompactJWS(text)
        #expect(jws.header.algorithm == "RS256")
        #expect(Mirror(reflecting: jws).children.isEmpty)
        let keys = try #require(bench.keys.keys(of: "https://issuer.example"))
        let payload = try jws.verified(with: keys).payload
        #expect(String(decoding: payload, as: UTF8.self).contains("ada@issuer.example"))
        let forged = try CompactJWS(bench.issuer.token { $0.signing = .key(.another) })
        expectRefusal(.signature) { try forged.verified(with: keys) }
    }

    @Test(.rule("T-076"))
    func `an unverified token is described as such, and is not a verified token`() throws {
        let text = bench.issuer.token { $0.signing = .key(.another) }
        let token = try UnverifiedToken(inspecting: text)
        #expect(token.claims.subject == "1000000000000001" && token.header.keyID == bench.issuer.key.keyID)
        #expect(token.description == "token, unverified")
        expectRefusal(.signature) { try bench.verify(text: text) }
    }
}
