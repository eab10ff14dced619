// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginCrypto
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The client authentication at the token endpoint: discovered, by a key, and the response.
@Suite struct ClientAuthenticationTests {
    private let bench = DiscoveredLoginBench()

    private func publish(methods: TestJSON?, algorithms: TestJSON? = nil) {
        bench.publish {
            $0["token_endpoint_auth_methods_supported"] = methods
            $0["token_endpoint_auth_signing_alg_values_supported"] = algorithms
        }
    }

    // MARK: Discovery

    @Test(
        arguments: [
            (nil, true), (["client_secret_basic"], true), (["client_secret_basic", "client_secret_post"], true),
            (["client_secret_post"], false), (["client_secret_post", "client_secret_basic"], false),
            (["private_key_jwt", "client_secret_post", "client_secret_basic"], false),
            (["none", "tls_client_auth", "client_secret_basic"], true), ("client_secret_post", false),
        ] as [(TestJSON?, Bool)]
    )
    func `a secret is sent by the first listed method for secrets, and in the header without a list`(
        methods: TestJSON?,
        isBasic: Bool
    ) async throws {
        publish(methods: methods)
        _ = try success(try await bench.logIn(bench.provider(secret: "s3cr3t")))
        let form = try bench.tokenForm()
        #expect((bench.tokenCredentials() != nil) == isBasic)
        #expect(form.only("client_secret") == (isBasic ? nil : "s3cr3t"))
    }

    @Test(
        arguments: [
            (["client_secret_jwt"], "client_secret_jwt"), (["private_key_jwt", "none"], "private_key_jwt"),
            ([], "client_secret_basic"),
        ] as [(TestJSON, String)]
    )
    func `a provider without a method for secrets is refused before the login, with the methods that it lists`(
        methods: TestJSON,
        name: String
    ) async throws {
        publish(methods: methods)
        let error = await #expect(throws: LoginManagerError.self) {
            try await bench.logIn(bench.provider(secret: "s3cr3t"))
        }
        #expect(error?.code == .provider)
        #expect(error?.description.contains(name) == true)
        #expect(error?.description.contains("s3cr3t") == false)
        // A public client sends nothing that the provider would have to support.
        _ = try success(try await bench.logIn(bench.provider()))
        #expect(try bench.tokenForm().only("client_id") == "client-1")
    }

    @Test func `a stated method is used although the provider lists another first`() async throws {
        publish(methods: ["client_secret_basic", "client_secret_post"])
        let posting = bench.provider { $0.authentication = .post(secret: "s3cr3t") }
        _ = try success(try await bench.logIn(posting))
        #expect(try bench.tokenForm().only("client_secret") == "s3cr3t")
        #expect(bench.tokenCredentials() == nil)
    }

    @Test func `an empty secret is refused with the declaration`() {
        let error = #expect(throws: LoginManagerError.self) { try bench.providers(bench.provider(secret: "")) }
        #expect(error?.code == .client)
    }

    // MARK: Keys

    private static func pem(_ key: PrivateKey, label: String = "PRIVATE KEY") throws -> String {
        let der = Data(try #require(key.privateKeyInfo))
        let lines = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "Bag Attributes\n-----BEGIN \(label)-----\n\(lines)\n-----END \(label)-----\n"
    }

    @Test(
        arguments: [
            (SignatureAlgorithm.rs256, nil), (.ps256, ["PS256", "ES256"]), (.rs256, ["ES256", "PS256", "RS256"]),
            (.es256, nil), (.es384, ["RS256", "ES384"]), (.es512, nil), (.edDSA, nil), (.ed25519, ["Ed25519"]),
        ] as [(SignatureAlgorithm, TestJSON?)]
    )
    func `a client signs an assertion for the token endpoint, by an algorithm of its key that is listed`(
        algorithm: SignatureAlgorithm,
        listed: TestJSON?
    ) async throws {
        let key: PrivateKey =
            switch algorithm {
            case .es256: PrivateKey(curve: .p256)
            case .es384: PrivateKey(curve: .p384)
            case .es512: PrivateKey(curve: .p521)
            case .edDSA, .ed25519: PrivateKey.ed25519()
            default: PrivateKey(rsaBits: 2048)
            }
        publish(methods: ["private_key_jwt"], algorithms: listed)
        let authentication = try ClientAuthentication.privateKeyJWT(pem: Self.pem(key), keyID: "client-key-1")
        let provider = bench.provider { $0.authentication = authentication }
        var identifiers: Set<String> = []
        for _ in 0..<2 {
            _ = try success(try await bench.logIn(provider))
            let form = try bench.tokenForm()
            #expect(form.only("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            #expect(form.only("client_id") == "client-1" && form.only("client_secret") == nil)
            let assertion = try CompactJWS(#require(form.only("client_assertion")))
            #expect(assertion.header.algorithm == algorithm.rawValue && assertion.header.keyID == "client-key-1")
            var published = TestKey(privateKey: key, algorithm: algorithm).json
            published["kid"] = "client-key-1"
            let keys = try JSONWebKeySet(json: (["keys": [published]] as TestJSON).text)
            let claims = try JSONDocument.read(
                try assertion.verified(with: keys, algorithms: [algorithm]).payload,
                limits: .keySet
            ).root
            #expect(claims["iss"]?.string == "client-1" && claims["sub"]?.string == "client-1")
            #expect(claims["aud"]?.string == DiscoveredLoginBench.tokenEndpoint)
            let now = Int(bench.issuer.clock.now.timeIntervalSince1970)
            #expect(claims["iat"]?.integer == now && claims["exp"]?.integer == now + 60)
            identifiers.insert(try #require(claims["jti"]?.string))
        }
        #expect(identifiers.count == 2)
        #expect(!"\(authentication) \(provider)".contains("PRIVATE"))
    }

    @Test func `a key whose algorithms the token endpoint does not support is refused before the login`() async throws {
        let authentication = try ClientAuthentication.privateKeyJWT(pem: Self.pem(PrivateKey(curve: .p256)))
        let provider = bench.provider { $0.authentication = authentication }
        for (methods, algorithms) in [
            (["client_secret_basic"], nil), (["private_key_jwt"], ["RS256", "HS256"]),
        ] as [(TestJSON, TestJSON?)] {
            publish(methods: methods, algorithms: algorithms)
            let error = await #expect(throws: LoginManagerError.self) { try await bench.logIn(provider) }
            #expect(error?.code == .provider)
        }
    }

    @Test func `a text without one strong private key that is not encrypted is refused, as is a wrong key ID`() throws {
        let good = try Self.pem(PrivateKey(curve: .p256))
        _ = try ClientAuthentication.privateKeyJWT(pem: good)
        for wrong in [
            "", "no key", good + good, try Self.pem(PrivateKey(rsaBits: 1024)),
            try Self.pem(PrivateKey(curve: .p256), label: "ENCRYPTED PRIVATE KEY"),
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
            good.replacing("-----END PRIVATE KEY-----", with: "-----END PUBLIC KEY-----"),
        ] {
            #expect(throws: PolicyError.self) { try ClientAuthentication.privateKeyJWT(pem: wrong) }
        }
        for keyID in ["", String(repeating: "k", count: 257)] {
            #expect(throws: PolicyError.self) { try ClientAuthentication.privateKeyJWT(pem: good, keyID: keyID) }
        }
    }

    // MARK: The response

    @Test func `a response without a token type is accepted only if the provider may omit it`() async throws {
        bench.publish()
        let strict = bench.provider()
        let lenient = bench.provider { $0.tokenType = .optional }
        for type: TestJSON? in [nil, .null] {
            let failure = expectFailure(
                .exchangeResponse,
                try await bench.logIn(strict, answer: { $0["token_type"] = type })
            )
            #expect(failure?.description.contains("token_type") == true)
            _ = try success(try await bench.logIn(lenient, answer: { $0["token_type"] = type }))
        }
        for type: TestJSON in ["DPoP", "", 1, ["Bearer"]] {
            expectFailure(.exchangeResponse, try await bench.logIn(lenient, answer: { $0["token_type"] = type }))
        }
        _ = try success(try await bench.logIn(lenient, answer: { $0["token_type"] = "bearer" }))
    }
}
