// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Server nonces, client certificates, opaque tokens and subjects in any script of other servers' APIs.
extension ProtectedResourceOperationTests {
    @Test(.rule("T-200"))
    func `a proof without the nonce of the service is refused with the nonce, with which the client repeats it`()
        async throws
    {
        let nonces = try DPoPNonces(secret: [UInt8](repeating: 7, count: 32))
        let bench = try ResourceBench(proofs: DPoPPolicy(nonces: nonces))
        let token = bench.boundToken()
        try await fixture(bench).run { client in
            let refused = try await client.ask(.post, "/v1/verify", body(token, members(bench.proof(token))))
            #expect(try refused.text("code") == "proof-nonce")
            let nonce = try refused.text("dpopNonce")
            let repeated = members(bench.proof(token, nonce: nonce))
            let verified = try await client.ask(.post, "/v1/verify", body(token, repeated))
            #expect(try verified.text("verdict") == "verified")
            #expect(try verified.text("dpopNonce") == nonce)
            let without = try await client.ask(.post, "/v1/verify", body(token))
            #expect(try without.json()["dpopNonce"] == nil)
        }
    }

    @Test func `forward-auth refuses a proof without the nonce of the service, and its challenge has the nonce`()
        async throws
    {
        let nonces = try DPoPNonces(secret: [UInt8](repeating: 7, count: 32))
        let bench = try ResourceBench(proofs: DPoPPolicy(nonces: nonces), proxies: Self.proxy)
        let token = bench.boundToken()
        try await fixture(bench).run { client in
            let path = "/v1/forward-auth/orders"
            let refused = try await client.ask(.get, path, headers: forwarded(token, bench.proof(token)))
            #expect(refused.status == .unauthorized)
            #expect(refused.headers[.wwwAuthenticate]?.contains(#"error="use_dpop_nonce""#) == true)
            let nonce = try #require(refused.headers[.dpopNonce])
            let repeated = forwarded(token, bench.proof(token, nonce: nonce))
            #expect(try await client.ask(.get, path, headers: repeated).status == .ok)
        }
    }

    @Test(.rule("T-202"))
    func `a token that is bound to a certificate is verified with it, by an API with DPoP and by one without`()
        async throws
    {
        for proofs in [.standard, nil] as [DPoPPolicy?] {
            let bench = try ResourceBench(proofs: proofs)
            let certificate = try ClientCertificate(der: [0x30, 0x00])
            let token = bench.issuer.accessToken {
                $0.claims["cnf"] = ["x5t#S256": .string(certificate.thumbprint)]
            }
            @Sendable func member(_ base64: String) -> String {
                #","certificate":"-----BEGIN CERTIFICATE-----\n\#(base64)\n-----END CERTIFICATE-----\n""#
            }
            try await fixture(bench).run { client in
                for (more, code) in [
                    ("", "certificate-required"), (member("MAEA"), "certificate-binding"),
                    (#","certificate":"MAA=""#, "certificate-malformed"),
                ] {
                    #expect(try await client.ask(.post, "/v1/verify", body(token, more)).text("code") == code)
                }
                let verified = try await client.ask(.post, "/v1/verify", body(token, member("MAA=")))
                #expect(try verified.text("verdict") == "verified")
            }
        }
    }

    @Test(.rule("T-241"))
    func `an opaque token is verified by the answer of its issuer`() async throws {
        let bench = try IntrospectedBench()
        let fixture = try await LoginFixture()
        fixture.options.resources.replaceAll(with: ["orders": bench.resource])
        try await fixture.run { client in
            let answer = try await client.ask(.post, "/v1/verify", body(IntrospectedBench.token))
            #expect(try answer.text("verdict") == "verified")
            #expect(try answer.text("subject") == "user-1")
            #expect(try answer.text("claims.client_id") == "client-app")
            let bearer: HTTPFields = [.authorization: "Bearer \(IntrospectedBench.token)"]
            let forwarded = try await client.ask(.get, "/v1/forward-auth/orders?scope=orders:read", headers: bearer)
            #expect(forwarded.status == .ok)
            #expect(forwarded.headers[.known("X-Auth-Subject")] == "user-1")
            bench.answer { $0["active"] = false }
            #expect(try await client.ask(.post, "/v1/verify", body("another-token")).text("code") == "inactive")
            bench.fail()
            let undecided = ProblemCode.introspectionUnavailable
            try await client.refused(undecided, .post, "/v1/verify", body("a-third-token"))
        }
    }

    @Test(arguments: [
        ("auth0|1000", "auth0|1000"), ("ada@example.com", "ada@example.com"),
        ("a+b:c/d,e;f=\"g\"", "a+b:c/d,e;f=\"g\""),
        ("a b", "a%20b"), (" a", "%20a"), ("a\tb", "a%09b"), ("ü", "%C3%BC"), ("u\u{308}", "u%CC%88"),
        ("Зоя", "%D0%97%D0%BE%D1%8F"),
        ("%C3%BC", "%25C3%25BC"), ("100%", "100%25"), ("\u{7F}", "%7F"),
    ])
    func `a subject in any script is a header field in percent-encoded UTF-8`(subject: String, field: String)
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        let token = bench.issuer.accessToken { $0.claims["sub"] = .string(subject) }
        try await fixture(bench).run { client in
            let answer = try await client.ask(.get, "/v1/forward-auth/orders", bearer: token)
            #expect(answer.headers[.known("X-Auth-Subject")] == field)
        }
    }
}
#endif
