// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CFloor
internal import LoginTesting

/// The cost of the cryptography alone, in C: the reference for all measurements.
///
/// Not thread-safe: OpenSSL's contexts are prepared once and reused.
@safe
public final class Floor {
    private let floor: OpaquePointer
    private let key: FloorKey
    private let input: [UInt8]
    private let signature: [UInt8]

    /// Prepares the contexts for a token or a proof.
    ///
    /// - Parameters:
    ///   - token: The token, signed with RS256 or ES256.
    ///   - signer: The key that signed it.
    /// - Throws: ``NotMeasurable`` if the signature is invalid.
    init(of token: String, signedBy signer: TestKey) throws {
        let key = try FloorKey(signer.json)
        guard let floor = unsafe key.prepared() else { throw NotMeasurable("OpenSSL does not take the key") }
        let encoded = token.split(separator: ".").last.map(String.init) ?? ""
        unsafe self.floor = floor
        self.key = key
        self.input = Array(token.utf8.dropLast(1 + encoded.utf8.count))
        self.signature = key.openSSLSignature(decode(encoded))
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
        guard case .rsa(let modulus, let exponent) = key else { throw NotMeasurable("the key is not an RSA key") }
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

/// The public key of a floor.
private enum FloorKey {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case p256(point: [UInt8])

    init(_ json: TestJSON) throws {
        if case .string(let modulus)? = json["n"], case .string(let exponent)? = json["e"] {
            self = .rsa(modulus: decode(modulus), exponent: decode(exponent))
        } else if case .string(let x)? = json["x"], case .string(let y)? = json["y"] {
            self = .p256(point: [0x04] + decode(x) + decode(y))
        } else {
            throw NotMeasurable("the key is neither an RSA key nor one of P-256")
        }
    }

    func prepared() -> OpaquePointer? {
        switch self {
        case .rsa(let modulus, let exponent):
            return unsafe CFloor_new(modulus, modulus.count, exponent, exponent.count)
        case .p256(let point):
            return unsafe CFloor_new_p256(point, point.count)
        }
    }

    /// Returns the signature of a token as OpenSSL reads it: for ES256, r and s (RFC 7518 §3.4) in DER (RFC 3279 §2.2.3).
    func openSSLSignature(_ signature: [UInt8]) -> [UInt8] {
        guard case .p256 = self else { return signature }
        let numbers = [signature.prefix(32), signature.suffix(32)].flatMap { bytes -> [UInt8] in
            var number = Array(bytes.drop { $0 == 0 })
            // An integer in DER is signed.
            if number.first ?? 0x80 >= 0x80 { number.insert(0, at: 0) }
            return [0x02, UInt8(number.count)] + number
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
