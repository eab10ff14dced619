// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// SHA-256, SHA-384 and SHA-512 by the examples of NIST.
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
    func `the examples of FIPS 180 are reproduced`(message: String, digest: String) {
        #expect(hexadecimal(Digest.sha256.hash(message.utf8)) == digest)
    }

    /// FIPS 180-4, the examples of the longer two.
    static let longerExamples: [(digest: Digest, message: String, output: String)] = [
        (
            .sha384, "",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
        ),
        (
            .sha384, "abc",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha384, examples[3].message,
            "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"
        ),
        (
            .sha512, "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512, examples[3].message,
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
    ]

    @Test(arguments: longerExamples)
    func `the examples of the longer digests are reproduced`(digest: Digest, message: String, output: String) {
        #expect(hexadecimal(digest.hash(message.utf8)) == output)
        #expect(output.count == 2 * digest.byteCount)
    }

    @Test func `the digest of a million letters a is reproduced`() {
        let digest = Digest.sha256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(hexadecimal(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `a digest has its length and accepts any collection of bytes`() {
        let message = Array("xabcx".utf8)
        #expect(Digest.sha256.hash([]).count == Digest.sha256.byteCount)
        #expect(Digest.sha256.hash(message[1..<4]) == Digest.sha256.hash(Array("abc".utf8)))
        #expect(Digest.sha256.hash(repeatElement(0, count: 1)) != Digest.sha256.hash([]))
    }
}
