// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Testing

@testable import LoginCrypto

@Suite struct ScryptTests {
    /// RFC 7914 §12, without the last example, which needs 1 GiB, more than is allowed.
    @Test(arguments: [
        (
            "", "", 4, 1, 1,
            """
            77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
            fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
            """
        ),
        (
            "password", "NaCl", 10, 8, 16,
            """
            fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
            2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
            """
        ),
        (
            "pleaseletmein", "SodiumChloride", 14, 8, 1,
            """
            7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
            d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
            """
        ),
    ])
    func `the vectors of RFC 7914 are reproduced`(
        password: String,
        salt: String,
        costLog2: Int,
        blockSize: Int,
        parallelization: Int,
        expected: String
    ) throws {
        let scrypt = try #require(Scrypt(costLog2: costLog2, blockSize: blockSize, parallelization: parallelization))
        let hash = scrypt.hash(Array(password.utf8), salt: Array(salt.utf8), byteCount: 64)
        #expect(hexadecimal(hash) == expected)
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test func `costs that exceed the default memory limit of libcrypto are supported`() throws {
        for costLog2 in [15, 17] {
            let scrypt = try #require(Scrypt(costLog2: costLog2, blockSize: 8, parallelization: 1))
            #expect(scrypt.hash([1], salt: [2]).count == Scrypt.byteCount)
        }
    }

    @Test func `an empty password can be hashed`() throws {
        let scrypt = try #require(Scrypt(costLog2: 4, blockSize: 8, parallelization: 1))
        // HMAC pads its key with zeros, so these two keys are equal to PBKDF2, and to scrypt: the length is not lost
        // here.
        #expect(scrypt.hash([], salt: [1]) == scrypt.hash([0], salt: [1]))
        #expect(scrypt.hash([], salt: [1]) != scrypt.hash([1], salt: [1]))
    }

    @Test func `parameters out of range, or that need too much memory, are refused`() {
        #expect(Scrypt(costLog2: 0, blockSize: 8, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: 1, blockSize: 8, parallelization: 1) != nil)
        #expect(Scrypt(costLog2: 19, blockSize: 8, parallelization: 1) != nil)
        #expect(Scrypt(costLog2: 20, blockSize: 8, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: 10, blockSize: 0, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: 10, blockSize: 33, parallelization: 1) == nil)
        #expect(Scrypt(costLog2: 10, blockSize: 8, parallelization: 0) == nil)
        #expect(Scrypt(costLog2: 10, blockSize: 8, parallelization: 17) == nil)
        #expect(Scrypt(costLog2: 64, blockSize: 8, parallelization: 1) == nil)
    }
}
