// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The cache of the keys of proofs.
@Suite struct KnownProofKeysTests {
    private let keys = KnownProofKeys()

    @Test func `a key is known by its text and its algorithm`() throws {
        let key = try TestKey.proofES256.publicKey()
        keys.remember(key, as: try value(1), .es256)
        #expect(keys.key(try value(1), .es256)?.thumbprint == key.thumbprint)
        #expect(keys.key(try value(1), .rs256) == nil)
        #expect(keys.key(try value(2), .es256) == nil)
    }

    @Test func `keys beyond the capacity displace those that were not used for the longest time`() throws {
        let key = try TestKey.proofES256.publicKey()
        for number in 0..<1500 {
            keys.remember(key, as: try value(number), .es256)
            #expect(keys.key(try value(0), .es256) != nil)
        }
        #expect(keys.key(try value(1), .es256) == nil)
        #expect(keys.key(try value(1499), .es256) != nil)
    }

    @Test func `a key that is remembered twice displaces no other`() throws {
        let key = try TestKey.proofES256.publicKey()
        for number in 0..<512 { keys.remember(key, as: try value(number), .es256) }
        // Two requests at the same time may both import the key.
        keys.remember(key, as: try value(511), .es256)
        for number in 512..<1024 { keys.remember(key, as: try value(number), .es256) }
        #expect(keys.key(try value(0), .es256) != nil)
    }

    @Test func `a long text is not kept`() throws {
        let text = #"{"kid":"\#(String(repeating: "a", count: 1024))"}"#
        let value = try JSONDocument.read(Array(text.utf8)).root
        keys.remember(try TestKey.proofES256.publicKey(), as: value, .es256)
        #expect(keys.key(value, .es256) == nil)
    }

    @Test func `a key is remembered when its proof was accepted for a token`() throws {
        let bench = ProofBench()
        let bound = PresentedToken(text: bench.token, confirmation: bench.confirmation)
        let forged = bench.proof { $0.signing = .key(KeyFixture.p256) }
        #expect(throws: TokenRefusal.self) { try check(forged, of: bench, bound) }
        #expect(try !isKnown(forged))
        let free = bench.prover.proof(method: "GET", url: ProofBench.url)
        try check(free, of: bench, nil)
        #expect(try !isKnown(free))
        try check(bench.proof(), of: bench, bound)
        #expect(try isKnown(bench.proof()))
    }

    private func check(_ proof: String, of bench: ProofBench, _ token: PresentedToken?) throws {
        var log = CheckLog(observer: nil, steps: Check.inProofOrder)
        let request = DPoPRequest(method: "GET", url: ProofBench.url, proofs: [proof])
        let now = bench.clock.now.timeIntervalSince1970
        _ = try bench.policy.check(request, token: token, now: now, knownKeys: keys, log: &log)
    }

    private func isKnown(_ proof: String) throws -> Bool {
        keys.key(try #require(try CompactJWS(proof).header["jwk"]), .es256) != nil
    }

    private func value(_ number: Int) throws -> JSONValue {
        try JSONDocument.read(Array(#"{"kid":"\#(number)"}"#.utf8)).root
    }
}
