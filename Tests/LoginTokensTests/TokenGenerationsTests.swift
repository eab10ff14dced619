// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The state of the token cache: the entries it keeps, and those it evicts.
@Suite struct TokenGenerationsTests {
    private let verifier = VerifierID()
    private let proven: ProvenToken

    init() throws {
        let issuer = TestIssuer()
        let bench = try Bench(issuer: issuer)
        var log = CheckLog(observer: nil)
        let candidate = try bench.policy.candidate(
            issuer.token(),
            expectations: Expectations(nonce: .mustBeAbsent),
            knownHeaders: KnownHeaders(),
            log: &log
        )
        proven = try candidate.checked(in: issuer.keys).proven(log: &log)
    }

    private func key(_ number: Int) -> CachedToken.Key {
        CachedToken.Key(verifier: verifier, signature: UInt128(number % 256))
    }

    private func token(_ bytes: Int = 0) -> CachedToken {
        CachedToken(token: proven, signingInput: [UInt8](repeating: 0, count: bytes))
    }

    @Test(.rule("T-178"))
    func `entries used within half of the capacity are kept`() {
        var generations = TokenGenerations(entries: 10, bytes: 1 << 20)
        for number in 0..<200 {
            generations.insert(token(), for: key(number))
            for recent in max(0, number - 4)...number {
                #expect(generations.token(for: key(recent)) != nil, "\(recent) after \(number)")
            }
            #expect(generations.count <= 10)
        }
        #expect(generations.token(for: key(150)) == nil)
    }

    @Test(.rule("T-178"), arguments: 0..<20)
    func `sizes are consistent and within the limits after any operations`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let bytes = 40_000
        var generations = TokenGenerations(entries: 9, bytes: bytes)
        var known: [Int: CachedToken] = [:]
        for _ in 0..<500 {
            let number = Int.random(in: 0..<20, using: &numbers)
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<5:
                let token = token(Int.random(in: 0...25_000, using: &numbers))
                generations.insert(token, for: key(number))
                known[number] = token
            case 9 where Bool.random(using: &numbers):
                generations.removeAll()
                known = [:]
            default:
                // A lookup returns the entry inserted last.
                if let found = generations.token(for: key(number)) {
                    #expect(found.signingInput.count == known[number]?.signingInput.count)
                }
            }
            let kept = (0..<20).filter { number in
                var copy = generations
                return copy.token(for: key(number)) != nil
            }
            #expect(kept.count == generations.count && generations.count <= 9)
            #expect(generations.byteCount == kept.reduce(0) { $0 + (known[$1]?.byteCount ?? 0) })
            #expect(generations.byteCount <= bytes)
        }
    }

    @Test(.rule("T-178"))
    func `an entry larger than half of the capacity is not stored, and replaces nothing`() {
        var generations = TokenGenerations(entries: 10, bytes: 4 * token().byteCount)
        generations.insert(token(), for: key(1))
        generations.insert(token(), for: key(2))
        generations.insert(token(3 * token().byteCount), for: key(1))
        #expect(generations.token(for: key(1)) == nil && generations.token(for: key(2)) != nil)
    }

    @Test(.rule("T-178")) func `a reduced capacity evicts the surplus, and an increased one keeps all entries`() {
        var generations = TokenGenerations(entries: 100, bytes: 1 << 20)
        for number in 0..<60 { generations.insert(token(), for: key(number)) }
        generations.resize(entries: 200, bytes: 1 << 20)
        #expect(generations.count == 60)
        // The older fifty are evicted; the ten younger ones fit.
        generations.resize(entries: 20, bytes: 1 << 20)
        #expect((0..<60).filter { generations.token(for: key($0)) != nil } == Array(50..<60))
        for number in 60..<90 { generations.insert(token(), for: key(number)) }
        #expect(generations.count <= 20)
        generations.resize(entries: 2, bytes: 1 << 20)
        #expect(generations.count <= 2)
        generations.resize(entries: 200, bytes: 1)
        #expect(generations.count == 0 && generations.byteCount == 0)
    }
}
