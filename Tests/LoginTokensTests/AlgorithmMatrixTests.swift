// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8725 §3.1: each algorithm with the key of every other.
@Suite struct AlgorithmMatrixTests {
    static let all = SignatureAlgorithm.allCases

    /// Creates a bench whose verifier allows every algorithm by default and whose issuer signs with this algorithm's
    /// key.
    private func bench(
        _ algorithm: SignatureAlgorithm,
        keys: [TestJSON]? = nil,
        allowed: Set<SignatureAlgorithm> = Set(all)
    ) throws -> Bench {
        let issuer = TestIssuer(key: KeyFixture.key(algorithm))
        let policy = try TokenPolicy(
            provider: issuer.provider,
            audiences: [issuer.audience],
            algorithms: allowed,
            leeway: .zero
        )
        return try Bench(issuer: issuer, keys: keys.map { try KeyFixture.snapshot($0, for: issuer) }, policy: policy)
    }

    /// Returns the key of one algorithm under the key ID of the other's.
    private func key(_ algorithm: SignatureAlgorithm, as other: SignatureAlgorithm) -> TestJSON {
        KeyFixture.key(algorithm).json.with("kid", .string(KeyFixture.key(other).keyID))
    }

    @Test func `there are eleven signature algorithms`() {
        #expect(Self.all.count == 11)
    }

    @Test(.rule("T-029", "T-030", "T-031", "T-061"), arguments: all)
    func `a token is verified with a key for its algorithm, and with no other`(algorithm: SignatureAlgorithm) throws {
        for other in Self.all {
            let bench = try bench(algorithm, keys: [key(other, as: algorithm)])
            if other == algorithm {
                #expect(try bench.verify().jws.algorithm == algorithm)
            } else {
                expectRefusal(.keyUnusable) { try bench.verify() }
            }
        }
    }

    @Test(.rule("T-031", "T-061"), arguments: all)
    func `a key that names no algorithm serves those of its type and curve`(algorithm: SignatureAlgorithm) throws {
        for other in Self.all {
            let bench = try bench(algorithm, keys: [key(other, as: algorithm).with("alg", nil)])
            if KeyFixture.family(algorithm).contains(other) {
                try bench.verify()
            } else {
                expectRefusal(.keyUnusable) { try bench.verify() }
            }
        }
    }

    @Test(.rule("T-026", "T-030"), arguments: all)
    func `a signature made with another algorithm than the header names is refused`(algorithm: SignatureAlgorithm)
        throws
    {
        let strict = try bench(algorithm)
        let open = try bench(algorithm, keys: [KeyFixture.key(algorithm).json.with("alg", nil)])
        for other in Self.all where other != algorithm {
            // Signed with the right key and algorithm, but the header names the other one.
            expectRefusal(.keyUnusable) { try strict.verify { $0.header["alg"] = .string(other.rawValue) } }
            switch (KeyFixture.family(algorithm).contains(other), other.scheme == algorithm.scheme) {
            case (false, _):
                expectRefusal(.keyUnusable) { try open.verify { $0.header["alg"] = .string(other.rawValue) } }
            case (true, false):
                expectRefusal(.signature) { try open.verify { $0.header["alg"] = .string(other.rawValue) } }
            case (true, true):
                // EdDSA and Ed25519 name the same signature scheme.
                try open.verify { $0.header["alg"] = .string(other.rawValue) }
            }
        }
    }

    @Test(.rule("T-026"), arguments: all)
    func `changing the algorithm in the header invalidates the signature`(algorithm: SignatureAlgorithm) throws {
        let bench = try bench(algorithm, keys: [KeyFixture.key(algorithm).json.with("alg", nil)])
        let text = bench.issuer.token()
        try bench.verify(text: text)
        let parts = text.split(separator: ".")
        for other in Self.all where other != algorithm {
            let header = bench.issuer.token { $0.header["alg"] = .string(other.rawValue) }.split(separator: ".")[0]
            let code: VerificationCode = KeyFixture.family(algorithm).contains(other) ? .signature : .keyUnusable
            expectRefusal(code) { try bench.verify(text: "\(header).\(parts[1]).\(parts[2])") }
        }
    }

    @Test(.rule("T-020", "T-024"), arguments: all)
    func `an algorithm that the policy does not allow is refused even if the key allows it`(
        algorithm: SignatureAlgorithm
    ) throws {
        try bench(algorithm, allowed: [algorithm]).verify()
        for other in Self.all where other != algorithm {
            let refusal = expectRefusal(.algorithm) { try bench(algorithm, allowed: [other]).verify() }
            #expect(refusal?.member == "alg")
        }
        let without = Set(Self.all).subtracting([algorithm])
        expectRefusal(.algorithm) { try bench(algorithm, allowed: without).verify() }
    }

    @Test(.rule("T-020"), arguments: all)
    func `a policy allows only RS256 by default`(algorithm: SignatureAlgorithm) throws {
        let issuer = TestIssuer(key: KeyFixture.key(algorithm))
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let bench = try Bench(issuer: issuer, policy: policy)
        if algorithm == .rs256 {
            try bench.verify()
        } else {
            expectRefusal(.algorithm) { try bench.verify() }
        }
        let keys = try #require(issuer.keys.keys(of: issuer.provider.issuers[0]))
        let jws = try CompactJWS(issuer.token())
        if algorithm != .rs256 { expectRefusal(.algorithm) { try jws.verified(with: keys) } }
        #expect(try jws.verified(with: keys, algorithms: [algorithm]).algorithm == algorithm)
    }

    @Test(.rule("T-025"), arguments: all)
    func `algorithm names are case-sensitive`(algorithm: SignatureAlgorithm) throws {
        let bench = try bench(algorithm)
        let name = algorithm.rawValue
        for other in [name.lowercased(), name.uppercased(), name + " ", name + "\u{0}", String(name.dropLast())]
        where other != name {
            expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(other) } }
        }
    }

    @Test(.rule("T-032"))
    func `a refusal with one algorithm does not affect tokens with other algorithms`() throws {
        let keys = [.rs256, .es256, .es384, .es512, .edDSA].map { KeyFixture.key($0).json.with("alg", nil) }
        let benches = try Self.all.map { try bench($0, keys: keys) }
        let good = benches.map { $0.issuer.token() }
        let stranger = TestKey(.es256)
        let bad = benches.map { bench in bench.issuer.token { $0.signing = .key(stranger) } }
        let verifier = benches[0].verifier
        let snapshot = benches[0].keys
        for turn in 0..<330 {
            expectRefusal(.signature) {
                try verifier.verify(bad[turn % bad.count], nonce: .mustBeAbsent, with: snapshot)
            }
            let token = try verifier.verify(good[(turn * 7) % good.count], nonce: .mustBeAbsent, with: snapshot)
            #expect(token.jws.algorithm == Self.all[(turn * 7) % good.count])
        }
    }

    // MARK: Sets of several types

    @Test(.rule("T-042"), arguments: all)
    func `of several keys with the same key ID the one for the token's algorithm is used`(algorithm: SignatureAlgorithm)
        throws
    {
        let mixed = Self.all.map { key($0, as: algorithm) }
        try bench(algorithm, keys: mixed).verify()
        try bench(algorithm, keys: mixed.reversed()).verify()
        let without = Self.all.filter { $0 != algorithm }.map { key($0, as: algorithm) }
        expectRefusal(.keyUnusable) { try bench(algorithm, keys: without).verify() }
        // A key twice, and a key with `alg` and one without it, are one key.
        try bench(algorithm, keys: mixed + [key(algorithm, as: algorithm)]).verify()
        try bench(algorithm, keys: mixed + [key(algorithm, as: algorithm).with("alg", nil)]).verify()
    }

    @Test(.rule("T-041", "T-042"), arguments: all)
    func `a token without a key ID is verified with a key of a suitable type`(algorithm: SignatureAlgorithm) throws {
        let set = [.rs256, .es256, .es384, .es512, .edDSA].map { KeyFixture.key($0).json.with("alg", nil) }
        try bench(algorithm, keys: set).verify { $0.header["kid"] = nil }
        let two = try bench(algorithm, keys: set + [KeyFixture.key(algorithm).json.with("kid", "other")])
        try two.verify { $0.header["kid"] = nil }
    }

    @Test(.rule("T-029"), arguments: all)
    func `another suitable key is not used if the key with the token's key ID is unsuitable`(
        algorithm: SignatureAlgorithm
    ) throws {
        let other: SignatureAlgorithm = algorithm == .es256 ? .es384 : .es256
        let named = key(other, as: algorithm)
        for keyID in [nil, "other"] as [TestJSON?] {
            let set = [named, KeyFixture.key(algorithm).json.with("kid", keyID)]
            expectRefusal(.keyUnusable) { try bench(algorithm, keys: set).verify() }
        }
    }
}

extension SignatureAlgorithm {
    /// The name of the signature scheme, the same for both names of Ed25519.
    fileprivate var scheme: String { [.edDSA, .ed25519].contains(self) ? "Ed25519" : rawValue }
}
