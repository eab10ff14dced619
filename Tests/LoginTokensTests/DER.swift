// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting

/// The part of the distinguished encoding rules (X.690) that public keys and certificates need.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts.flatMap(\.self)) }
    static func set(_ part: [UInt8]) -> [UInt8] { value(0x31, part) }
    static func identifier(_ bytes: [UInt8]) -> [UInt8] { value(0x06, bytes) }
    static func bits(_ bytes: [UInt8]) -> [UInt8] { value(0x03, [0] + bytes) }
    static func text(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }
    static func time(_ text: String) -> [UInt8] { value(0x17, Array(text.utf8)) }
    static let null: [UInt8] = value(0x05, [])

    /// Encodes a non-negative number, given as big-endian bytes.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let significant = Array(bytes.drop { $0 == 0 })
        return value(0x02, significant.first.map { $0 & 0x80 == 0 } == true ? significant : [0] + significant)
    }

    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = [UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        let prefix: [UInt8] =
            switch content.count {
            case ..<128: [length[1]]
            case ..<256: [0x81, length[1]]
            default: [0x82] + length
            }
        return [tag] + prefix + content
    }

    /// Returns the SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) of a JSON Web Key.
    static func publicKey(_ json: TestJSON) throws -> [UInt8] {
        switch json["crv"]?.text {
        case nil:
            // RFC 8017 appendix A.1.
            let numbers = try sequence(integer(json.decoded("n")), integer(json.decoded("e")))
            return sequence(sequence(identifier(rsaEncryption), null), bits(numbers))
        case "\"Ed25519\"":
            // RFC 8410 §3 and §4.
            return try sequence(sequence(identifier([0x2B, 0x65, 0x70])), bits(json.decoded("x")))
        case let curve:
            // RFC 5480 §2.
            let point = try [4] + json.decoded("x") + json.decoded("y")
            let name = identifier(curves[curve ?? ""] ?? [])
            return sequence(sequence(identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]), name), bits(point))
        }
    }

    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let curves: [String: [UInt8]] = [
        "\"P-256\"": [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07],
        "\"P-384\"": [0x2B, 0x81, 0x04, 0x00, 0x22],
        "\"P-521\"": [0x2B, 0x81, 0x04, 0x00, 0x23],
    ]

    /// Returns an X.509 certificate (RFC 5280 §4.1) for the key.
    ///
    /// Its signature is all zeros, because nothing verifies
    /// it.
    static func certificate(of json: TestJSON) throws -> [UInt8] {
        // sha256WithRSAEncryption and commonName.
        let algorithm = sequence(identifier(rsaEncryption.dropLast() + [0x0B]), null)
        let name = sequence(set(sequence(identifier([0x55, 0x04, 0x03]), text("test"))))
        let validity = sequence(time("250101000000Z"), time("350101000000Z"))
        let body = try sequence(
            value(0xA0, integer([2])),
            integer([1]),
            algorithm,
            name,
            validity,
            name,
            publicKey(json)
        )
        return sequence(body, algorithm, bits([UInt8](repeating: 0, count: 256)))
    }
}
