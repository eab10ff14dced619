// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// SHA-256 by the examples of its authors.
@Suite struct DigestTests {
    /// FIPS 180-4, "SHA-256 Example": one block, two blocks; and the empty message.
    static let examples: [(message: String, digest: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]

    @Test(arguments: examples)
    func `the examples of FIPS 180 come out`(message: String, digest: String) {
        #expect(hexadecimal(Digest.sha256.hash(message.utf8)) == digest)
    }

    @Test func `a million times the letter a comes out`() {
        let digest = Digest.sha256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(hexadecimal(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `a digest has its length, and any collection can be hashed`() {
        let message = Array("xabcx".utf8)
        #expect(Digest.sha256.hash([]).count == Digest.sha256.byteCount)
        #expect(Digest.sha256.hash(message[1..<4]) == Digest.sha256.hash(Array("abc".utf8)))
        #expect(Digest.sha256.hash(repeatElement(0, count: 1)) != Digest.sha256.hash([]))
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
