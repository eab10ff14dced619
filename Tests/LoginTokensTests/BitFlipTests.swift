// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// One valid token of each signature algorithm, with each of its bits flipped in turn.
///
/// ``MutationTests`` makes more kinds of change, with RS256.
@Suite struct BitFlipTests {
    /// Sanitizers make everything ten times slower, so they run only every 17th bit.
    private static let step = ProcessInfo.processInfo.environment["LIMITED_LOGIN_QUICK"] == "1" ? 17 : 1

    @Test(.rule("T-071"), arguments: [.ps256, .es256, .edDSA] as [SignatureAlgorithm])
    func `a token with any single bit flipped is refused`(algorithm: SignatureAlgorithm) throws {
        let bench = try Bench(issuer: TestIssuer(key: KeyFixture.key(algorithm)))
        let text = bench.issuer.token()
        let verifier = bench.verifier
        _ = try verifier.verify(text, nonce: .mustBeAbsent, with: bench.keys)
        let segments = try text.split(separator: ".").map { try #require(Base64URL.decode($0.utf8)) }
        var codes: Set<VerificationCode> = []
        for (index, segment) in segments.enumerated() {
            for bit in stride(from: 0, to: 8 * segment.count, by: Self.step) {
                var changed = segments
                changed[index][bit / 8] ^= 0x80 >> (bit % 8)
                let other = changed.map { Base64URL.encode($0) }.joined(separator: ".")
                do throws(TokenRefusal) {
                    _ = try verifier.verify(other, nonce: .mustBeAbsent, with: bench.keys)
                    Issue.record("bit \(bit) of segment \(index) was accepted")
                } catch {
                    codes.insert(error.code)
                    if index == 2 { #expect(error.code == .signature) }
                }
            }
        }
        #expect(codes.isSuperset(of: [.header, .algorithm, .payload, .issuer, .keyNotFound, .signature]))
    }
}
