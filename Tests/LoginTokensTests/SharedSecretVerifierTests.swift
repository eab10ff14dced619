// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Tokens that are signed with a shared secret, and the border between secrets and keys.
@Suite struct SharedSecretVerifierTests {
    static let octets = SharedSecretTests.octets
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func verifier(
        _ algorithm: SharedSecret.Algorithm = .hs256,
        octets: [UInt8] = Self.octets,
        cache: VerifiedTokenCache? = nil
    ) throws -> TokenVerifier {
        let secret = try SharedSecret(octets: octets, algorithm: algorithm)
        return try TokenVerifier(policy: bench.policy, secret: secret, clock: bench.issuer.clock, cache: cache)
    }

    private func token(
        _ algorithm: SharedSecret.Algorithm = .hs256,
        octets: [UInt8] = Self.octets,
        _ change: (inout TestToken) -> Void = { _ in }
    ) -> String {
        bench.issuer.token { token in
            token.header = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
            token.signing = .hmac(secret: octets, algorithm)
            change(&token)
        }
    }

    @Test(.rule("T-274"), arguments: SharedSecret.Algorithm.allCases)
    func `a token signed with the secret is verified without keys`(algorithm: SharedSecret.Algorithm) async throws {
        let verifier = try verifier(algorithm)
        let token = try await verifier.verify(token(algorithm), nonce: .mustBeAbsent)
        #expect(token.subject == "1000000000000001" && token.jws.algorithm == nil)
        #expect(token.jws.header.algorithm == algorithm.rawValue)
        #expect("\(token.jws)" == "JWS with a valid \(algorithm.rawValue) signature")
    }

    @Test(.rule("T-274"), arguments: SharedSecret.Algorithm.allCases)
    func `the secret has one algorithm, whatever the header names`(algorithm: SharedSecret.Algorithm) throws {
        let verifier = try verifier(algorithm)
        let others = SharedSecret.Algorithm.allCases.filter { $0 != algorithm }
        for other in others {
            refuse(.algorithm, by: verifier, token(other))
            // The right code under a wrong name, and a wrong code under the right name.
            refuse(.algorithm, by: verifier, token(algorithm) { $0.header["alg"] = .string(other.rawValue) })
            refuse(.signature, by: verifier, token(other) { $0.header["alg"] = .string(algorithm.rawValue) })
        }
        let names: [TestJSON?] = ["none", "", "hs256", "HS256 ", "HS1", "RS256", "ES256", "dir", "A256KW", 1, nil]
        for name in names {
            refuse(.algorithm, by: verifier, token(algorithm) { $0.header["alg"] = name })
        }
    }

    @Test(.rule("T-274"), arguments: SignatureAlgorithm.allCases)
    func `no key of the issuer verifies a token of a verifier with a secret`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let issuer = TestIssuer(key: KeyFixture.key(algorithm))
        let bench = try Bench(issuer: issuer)
        let secret = try SharedSecret(octets: Self.octets, algorithm: .hs256)
        let verifier = try TokenVerifier(policy: bench.policy, secret: secret, clock: issuer.clock)
        try bench.verify()
        expectRefusal(.algorithm) { try verifier.verify(issuer.token(), nonce: .mustBeAbsent, with: issuer.keys) }
        await #expect(throws: VerificationError.self) {
            try await verifier.verify(issuer.token(), nonce: .mustBeAbsent)
        }
        // The signature of the key under the name of the secret's algorithm.
        let renamed = issuer.token { $0.header["alg"] = "HS256" }
        expectRefusal(.signature) { try verifier.verify(renamed, nonce: .mustBeAbsent, with: issuer.keys) }
    }

    @Test(.rule("T-274"), arguments: SharedSecret.Algorithm.allCases)
    func `no secret verifies a token of a verifier with keys`(algorithm: SharedSecret.Algorithm) throws {
        refuse(.algorithm, by: bench.verifier, token(algorithm))
        refuse(.algorithm, by: bench.verifier, token(algorithm) { $0.header["kid"] = .string(TestKey.shared.keyID) })
        // The policy of a verifier with a secret is again one for keys in a verifier with keys.
        let policy = try verifier(algorithm).policy
        let other = TokenVerifier(policy: policy, keys: bench.keys, clock: bench.issuer.clock)
        refuse(.algorithm, by: other, token(algorithm))
        _ = try other.verify(bench.issuer.token(), nonce: .mustBeAbsent, with: bench.keys)
    }

    @Test(.rule("T-274"), arguments: Secret.allCases)
    func `a code with a public key instead of the secret is refused`(form: Secret) throws {
        let bytes = try form.bytes(of: .shared)
        refuse(.signature, by: try verifier(), token(octets: bytes))
    }

    @Test(.rule("T-274"))
    func `a symmetric key in a key set verifies nothing`() throws {
        let secret = try SharedSecret(octets: Self.octets, algorithm: .hs256)
        let jwk: TestJSON = ["kty": "oct", "kid": "s", "alg": "HS256", "k": "AAAAAAAAAAAAAAAAAAAAAA"]
        let set = try JSONWebKeySet(json: (["keys": [jwk, TestKey.shared.json]] as TestJSON).text)
        let keys = KeySnapshot(provider: bench.issuer.provider, keys: set)
        let zeros = [UInt8](repeating: 0, count: 16)
        let text = token(octets: zeros) { $0.header["kid"] = "s" }
        expectRefusal(.algorithm) { try bench.verifier.verify(text, nonce: .mustBeAbsent, with: keys) }
        let verifier = try TokenVerifier(policy: bench.policy, secret: secret, clock: bench.issuer.clock)
        expectRefusal(.signature) { try verifier.verify(text, nonce: .mustBeAbsent, with: keys) }
    }

    @Test(.rule("T-274"))
    func `a key in the header is ignored`() throws {
        for member in ["jwk", "x5c", "jku", "x5u"] {
            let value: TestJSON = ["kty": "oct", "k": "AAAAAAAAAAAAAAAAAAAAAA"]
            let text = token(octets: [UInt8](repeating: 0, count: 16)) { $0.header[member] = value }
            refuse(.signature, by: try verifier(), text)
            _ = try verifier().verify(token { $0.header[member] = value }, nonce: .mustBeAbsent, with: bench.keys)
        }
    }

    @Test(.rule("T-275"))
    func `a key ID is not required and not looked up, but well-formed`() throws {
        for keyID in ["another", TestKey.shared.keyID] {
            _ = try verifier().verify(
                token { $0.header["kid"] = .string(keyID) },
                nonce: .mustBeAbsent,
                with: bench.keys
            )
        }
        refuse(.keyID, by: try verifier(), token { $0.header["kid"] = 1 })
        refuse(.keyID, by: try verifier(), token { $0.header["kid"] = "" })
        let facebook = try Bench(issuer: .facebook())
        let secret = try SharedSecret(octets: Self.octets, algorithm: .hs256)
        let verifier = try TokenVerifier(policy: facebook.policy, secret: secret, clock: facebook.issuer.clock)
        let text = facebook.issuer.token { token in
            token.header = ["alg": "HS256"]
            token.signing = .hmac(secret: Self.octets)
        }
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: facebook.keys)
    }

    @Test(.rule("T-274"))
    func `each changed bit of the code is refused, and so is each other length`() throws {
        let verifier = try verifier()
        let header = Array("{\"alg\":\"HS256\"}".utf8)
        let payload = Array(bench.issuer.token().utf8)
        let good = TestToken.compact(header: header, payload: payload, signing: .hmac(secret: Self.octets))
        let secret = try SharedSecret(octets: Self.octets, algorithm: .hs256)
        let jws = try CompactJWS(good).verified(with: secret)
        #expect(jws.payload == payload)
        for octets in [Array(Self.octets.dropLast()), Self.octets + [1]] {
            refuse(.signature, by: verifier, token(octets: octets))
        }
        for count in [1, 31, 33, 64, 256] {
            let refusal = refuse(
                .signature,
                by: verifier,
                token { $0.signing = .bytes([UInt8](repeating: 7, count: count)) }
            )
            #expect(refusal?.detail.contains("\(count) bytes") == true)
        }
        refuse(.segments, by: verifier, token { $0.signing = .bytes([]) })
        for bit in 0..<256 {
            var code = [UInt8](repeating: 0, count: 32)
            code[bit / 8] = 1 << UInt8(bit % 8)
            let changed = try #require(SharedSecretVerifierTests.token(good, xor: code))
            expectRefusal(.signature) { try CompactJWS(changed).verified(with: secret) }
        }
    }

    @Test(.rule("T-274"))
    func `the refusal of a code names the secret, and neither keys nor the cause that a nonce in the header has there`()
        throws
    {
        let forged = token(octets: Array(Self.octets.reversed())) { $0.header["nonce"] = "n" }
        #expect(refuse(.signature, by: try verifier(), forged)?.detail == "not a valid HS256 signature by the secret")
    }

    @Test(.rule("T-274"))
    func `the claims are checked as with keys`() throws {
        let verifier = try verifier()
        refuse(.issuer, by: verifier, token { $0.claims["iss"] = "https://other.example" })
        refuse(.audience, by: verifier, token { $0.claims["aud"] = "client-2" })
        refuse(.expired, by: verifier, token { $0.claims["exp"] = 1 })
        refuse(.tokenType, by: verifier, token { $0.header["typ"] = "at+jwt" })
        refuse(.criticalHeader, by: verifier, token { $0.header["crit"] = ["b64"] })
        refuse(.nonce, by: verifier, token { $0.claims["nonce"] = "n" })
    }

    @Test(.rule("T-274"), arguments: SharedSecret.Algorithm.allCases)
    func `at_hash is the hash of the algorithm`(algorithm: SharedSecret.Algorithm) throws {
        let verifier = try verifier(algorithm)
        let hashes = [
            SharedSecret.Algorithm.hs256: "n4bQgYhMfWWaL-qgxVrQFQ", .hs384: "doQSMg97CqWBL85CjcRwazyuUOAqZMqh",
            .hs512: "7iaw3Ur350mqGo7jwQrpkj9hiYB3Lkc_iBml1JQODbI",
        ]
        for (other, hash) in hashes {
            let text = token(algorithm) { $0.claims["at_hash"] = .string(hash) }
            let result = Result {
                try verifier.verify(text, nonce: .mustBeAbsent, accessToken: .required("test"), with: bench.keys)
            }
            #expect(((try? result.get()) != nil) == (other == algorithm))
        }
    }

    @Test(.rule("T-276"))
    func `a secret belongs to one client`() throws {
        let secret = try SharedSecret(octets: Self.octets, algorithm: .hs256)
        let provider = bench.issuer.provider
        for policy in [
            try TokenPolicy(provider: provider, audiences: ["client-1", "client-2"]),
            try TokenPolicy(provider: provider, audiences: ["client-1"], trustedAudiences: ["client-2"]),
            try TokenPolicy(provider: provider, audiences: ["client-1"], authorizedParties: ["client-2"]),
        ] {
            #expect(throws: PolicyError.self) { try TokenVerifier(policy: policy, secret: secret) }
        }
        refuse(.audience, by: try verifier(), token { $0.claims["aud"] = ["client-1", "client-2"] })
        refuse(.authorizedParty, by: try verifier(), token { $0.claims["azp"] = "client-2" })
    }

    @Test(.rule("T-272", "T-276"))
    func `the client ID and the issuer are no secrets`() throws {
        let names = ["client-0123456789-0123456789-abcdef", "https://issuer.example/realms/customers"]
        let policy = try TokenPolicy(provider: .openID(issuers: [names[1]]), audiences: [names[0]])
        for name in names {
            let secret = try SharedSecret(name, algorithm: .hs256)
            let error = #expect(throws: PolicyError.self) { try TokenVerifier(policy: policy, secret: secret) }
            #expect(error?.description.contains("no secrets") == true)
            let longer = try SharedSecret(name + "/", algorithm: .hs256)
            _ = try TokenVerifier(policy: policy, secret: longer)
        }
        let client = "another-client-0123456789-0123456789"
        let access = try AccessTokenPolicy(
            issuer: .rfc9068(issuers: [names[1]]),
            audiences: [names[0]],
            allowedClients: [client]
        )
        for name in names + [client, names[0].uppercased()] {
            let secret = try SharedSecret(name, algorithm: .hs256)
            #expect(throws: PolicyError.self) { try AccessTokenVerifier(policy: access, secret: secret) }
        }
    }

    @Test(.rule("T-274"))
    func `a cached token stays one of its verifier`() async throws {
        let cache = VerifiedTokenCache()
        let verifier = try verifier(cache: cache)
        let other = try self.verifier(octets: Array(Self.octets.reversed()), cache: cache)
        let text = token()
        for _ in 0..<2 { _ = try await verifier.verify(text, nonce: .mustBeAbsent) }
        #expect(cache.status.hits == 1)
        refuse(.signature, by: other, text)
        await #expect(throws: VerificationError.self) { try await other.verify(text, nonce: .mustBeAbsent) }
        bench.issuer.clock.advance(by: .seconds(7200))
        refuse(.expired, by: verifier, text)
    }

    @Test(.rule("T-274"))
    func `each step is reported once, in order, and none shows the secret`() throws {
        var reports: [CheckReport] = []
        _ = try verifier().verify(token(), nonce: .mustBeAbsent, with: bench.keys) { reports.append($0) }
        #expect(reports.map(\.check) == Check.inOrder)
        let key = reports.first { $0.check == .key }
        #expect(key?.outcome == .pass && key?.detail == "shared secret for HS256")
    }

    // MARK: Access tokens

    @Test(.rule("T-274"))
    func `an access token signed with the secret of the API is verified`() async throws {
        let bench = try AccessTokenBench()
        let secret = try SharedSecret(octets: Self.octets, algorithm: .hs256)
        let verifier = try AccessTokenVerifier(policy: bench.policy, secret: secret, clock: bench.issuer.clock)
        let signed = bench.issuer.accessToken { token in
            token.header["alg"] = "HS256"
            token.signing = .hmac(secret: Self.octets)
        }
        #expect(try await verifier.verify(signed).jws?.header.algorithm == "HS256")
        let forged = bench.issuer.accessToken { $0.header["alg"] = "HS256" }
        expectRefusal(.signature) { try verifier.verify(forged, with: bench.issuer.keys) }
        expectRefusal(.algorithm) { try verifier.verify(bench.issuer.accessToken(), with: bench.issuer.keys) }
        // The policy of a verifier with a secret is again one for keys in a verifier with keys.
        let keys = AccessTokenVerifier(policy: verifier.policy, keys: bench.issuer.keys, clock: bench.issuer.clock)
        expectRefusal(.algorithm) { try keys.verify(signed, with: bench.issuer.keys) }
    }

    // MARK: Helpers

    @discardableResult
    private func refuse(
        _ code: VerificationCode,
        by verifier: TokenVerifier,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> TokenRefusal? {
        expectRefusal(code, sourceLocation: sourceLocation) {
            try verifier.verify(text, nonce: .mustBeAbsent, with: bench.keys)
        }
    }

    /// Returns the token with bits of its signature changed.
    private static func token(_ text: String, xor bits: [UInt8]) -> String? {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, let code = Base64URL.decode(parts[2].utf8) else { return nil }
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(zip(code, bits).map { $0 ^ $1 }))"
    }
}
