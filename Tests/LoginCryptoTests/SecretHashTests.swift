// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import TestSupport
internal import Testing

@testable internal import LoginCrypto

/// A keyed hash that cannot be computed without its key.
@Suite struct SecretHashTests {
    /// The implementation of libcrypto, and the fallback without it.
    private static let implementations = ["SIPHASH", "no such thing"]

    @Test(.rule("T-175"), arguments: implementations)
    func `equal bytes have equal hashes and other bytes have different ones`(implementation: String) {
        let hash = SecretHash(implementation: implementation)
        let messages = (0..<70).map { [UInt8](repeating: 7, count: $0) } + (0..<256).map { [UInt8($0), 1, 2] }
        let hashes = messages.map { hash.hash(of: $0.span) }
        #expect(hashes == messages.map { hash.hash(of: $0.span) })
        #expect(Set(hashes).count == messages.count)
    }

    @Test(.rule("T-175"), arguments: implementations)
    func `each hash function has a random key of its own`(implementation: String) {
        let hashes = (0..<20).map { _ in SecretHash(implementation: implementation).hash(of: [1, 2, 3].span) }
        #expect(Set(hashes).count == 20)
    }

    @Test(.rule("T-068"))
    func `concurrent tasks can share a hash function`() async {
        let hash = SecretHash()
        let expected = (0..<50).map { hash.hash(of: [UInt8($0)].span) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { #expect(hash.hash(of: [UInt8(number)].span) == expected[number]) } }
        }
    }
}
