// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CFloor

/// The cost of the cryptography alone, in C: the reference for all measurements.
///
/// Not thread-safe: OpenSSL's contexts are prepared once and reused.
@safe
public final class Floor {
    private let floor: OpaquePointer
    private let modulus: [UInt8]
    private let exponent: [UInt8]
    private let input: [UInt8]
    private let signature: [UInt8]

    /// Prepares the contexts, and throws if the signature is invalid.
    init(modulus: [UInt8], exponent: [UInt8], input: [UInt8], signature: [UInt8]) throws {
        guard let floor = unsafe CFloor_new(modulus, modulus.count, exponent, exponent.count) else {
            throw NotMeasurable("OpenSSL does not take the key")
        }
        unsafe self.floor = floor
        self.modulus = modulus
        self.exponent = exponent
        self.input = input
        self.signature = signature
        try verify(times: 1)
    }

    deinit { unsafe CFloor_free(floor) }

    /// Hashes the signing input, and verifies the signature.
    public func verify(times: Int) throws {
        let valid = unsafe CFloor_verify(floor, input, input.count, signature, signature.count, times)
        guard valid == times else { throw NotMeasurable("the floor refuses the token") }
    }

    /// Creates OpenSSL's key from the modulus and the exponent.
    public func importKey(times: Int) throws {
        let taken = unsafe CFloor_import(modulus, modulus.count, exponent, exponent.count, times)
        guard taken == times else { throw NotMeasurable("OpenSSL does not take the key") }
    }

    /// Writes the key for the openssl command.
    public func writeKey(to path: String) throws {
        guard unsafe CFloor_write_key(floor, path) == 1 else { throw NotMeasurable("\(path) cannot be written") }
    }

    /// The version of OpenSSL at run time.
    public static var openSSLVersion: String { unsafe String(cString: CFloor_openssl_version()) }
}
