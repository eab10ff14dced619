// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Keys of every type, used by many tasks at once, for the thread and leak sanitizers.
@Suite struct SharedKeyTests {
    @Test(.rule("T-068", "T-075"))
    func `64 concurrent tasks can share keys of every type`() async throws {
        let message = Array("message".utf8)
        let cases = try SignatureAlgorithm.allCases.map { algorithm in
            let key = KeyFixture.key(algorithm)
            return (algorithm: algorithm, key: try key.publicKey(), signature: key.signature(of: message))
        }
        await withTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for turn in cases.indices {
                        let (algorithm, key, signature) = cases[(task + turn) % cases.count]
                        #expect(key.isValidSignature(signature, of: message, algorithm: algorithm))
                        #expect(!key.isValidSignature(signature, of: message + [0], algorithm: algorithm))
                        #expect(openSSLErrorQueueIsEmpty)
                    }
                }
            }
        }
    }

    @Test(.rule("T-068"))
    func `keys of every type can be imported, refused and released while others are in use`() async throws {
        let message = Array("message".utf8)
        let good = SignatureAlgorithm.allCases.map { algorithm in
            let key = KeyFixture.key(algorithm)
            return (algorithm, Array(key.json.text.utf8), key.signature(of: message))
        }
        let bad = ["x", "n"].flatMap { name in
            SignatureAlgorithm.allCases.map {
                KeyFixture.key($0).json.with(name, .encoded([UInt8](repeating: 2, count: 32)))
            }
        }
        try await withThrowingTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for turn in 0..<4 {
                        let (algorithm, json, signature) = good[(task + turn) % good.count]
                        let key = try JSONWebKey(json: json)
                        #expect(key.isValidSignature(signature, of: message, algorithm: algorithm))
                        _ = KeyFixture.reason(bad[(task + turn) % bad.count])
                        #expect(openSSLErrorQueueIsEmpty)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(.rule("T-068"))
    func `64 concurrent tasks can share a verifier for every algorithm`() async throws {
        let set = [.rs256, .es256, .es384, .es512, .edDSA].map { KeyFixture.key($0).json.with("alg", nil) }
        let issuers = SignatureAlgorithm.allCases.map { TestIssuer(key: KeyFixture.key($0)) }
        let keys = try KeyFixture.snapshot(set, for: issuers[0])
        let policy = try TokenPolicy(
            provider: issuers[0].provider,
            audiences: [issuers[0].audience],
            algorithms: Set(SignatureAlgorithm.allCases)
        )
        let verifier = TokenVerifier(policy: policy, keys: keys, clock: issuers[0].clock)
        let texts = issuers.map { $0.token() }
        let forged = issuers.map { issuer in issuer.token { $0.signing = .bytes([UInt8](repeating: 1, count: 64)) } }
        await withTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for turn in 0..<4 {
                        let index = (task + turn) % texts.count
                        let good = try? await verifier.verify(texts[index], nonce: .mustBeAbsent)
                        #expect(good?.jws.algorithm == SignatureAlgorithm.allCases[index])
                        let bad = try? await verifier.verify(forged[index], nonce: .mustBeAbsent)
                        #expect(bad == nil)
                    }
                }
            }
        }
    }

    /// Swift may retain the contents of an optional without checking that it has any.
    @Test(.rule("T-068"))
    func `an optional key without a value can be copied`() throws {
        let absent = try? JSONWebKey(json: "{}")
        let copies = Array(repeating: absent, count: 8)
        #expect(copies.allSatisfy { ($0 ?? absent) == nil })
        let present = try KeyFixture.p256.publicKey()
        #expect((absent ?? present).thumbprint == present.thumbprint)
    }
}
