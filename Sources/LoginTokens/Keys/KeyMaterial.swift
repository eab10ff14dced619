// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// A validated public key with its derived properties.
struct KeyMaterial {
    let type: String
    let curve: String?
    let bits: Int
    let algorithms: Set<SignatureAlgorithm>
    let publicKey: PublicKey

    /// The required members of the key, in the order in which RFC 7638 §3.2 hashes them.
    let members: [(name: String, value: String)]

    /// The thumbprint (RFC 7638 §3): the hash of the required members as JSON without whitespace.
    var thumbprint: String {
        let json = JSONWriter.object { for member in members { $0.add(member.name, member.value) } }
        return Base64URL.encode(Digest.sha256.hash(json))
    }
}

extension JSONWebKeyReader {
    /// Reads the public key and checks it (RFC 7517 §4.1, RFC 7518 §6.1, RFC 8037 §2).
    func readMaterial() throws(UnusableKey) -> KeyMaterial {
        let type = try readName("kty")
        switch Array(type.utf8) {
        case Array("RSA".utf8): return try readRSA()
        case Array("EC".utf8): return try readEC()
        case Array("OKP".utf8): return try readOKP()
        default: throw unusable(.keyType, "unsupported kty \(quoted(type))")
        }
    }

    /// Reads an RSA key (RFC 7518 §6.3.1), with the checks that OpenSSL does not make.
    ///
    /// OpenSSL accepts an exponent of 1, and then every signature that equals the padded digest.
    /// `EVP_PKEY_public_check` would detect this, but takes milliseconds, and seconds for a modulus made to be slow.
    private func readRSA() throws(UnusableKey) -> KeyMaterial {
        let modulus = try readNumber("n")
        let exponent = try readNumber("e")
        let bits = modulus.count * 8 - modulus[0].leadingZeroBitCount
        guard Limits.rsaModulusBits.contains(bits) else {
            throw unusable(.weak, "the modulus has \(bits) bits, not \(Limits.rsaModulusBits)")
        }
        guard let last = modulus.last, last & 1 == 1 else { throw unusable(.weak, "the modulus is even") }
        // An exponent of at most 32 bits is always below a modulus of at least 2,048 bits, so this needs no separate
        // check.
        guard exponent.count <= 4 else { throw unusable(.weak, "the exponent has more than 32 bits") }
        let e = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard Limits.rsaExponent.contains(e), e & 1 == 1 else {
            throw unusable(.weak, "the exponent is not an odd number of at least 3")
        }
        guard !ROCA.hasFingerprint(modulus) else {
            throw unusable(.weak, "the modulus can be factored (ROCA, CVE-2017-15361)")
        }
        guard let publicKey = PublicKey(modulus: modulus, exponent: exponent) else {
            throw unusable(.malformed, "libcrypto rejects the key")
        }
        return KeyMaterial(
            type: "RSA",
            curve: nil,
            bits: bits,
            algorithms: SignatureAlgorithm.ofRSA,
            publicKey: publicKey,
            members: [("e", Base64URL.encode(exponent)), ("kty", "RSA"), ("n", Base64URL.encode(modulus))]
        )
    }

    /// Reads a positive integer: big-endian, without leading zeros (RFC 7518 §2, Base64urlUInt).
    ///
    /// A document may have some, such as the zero for the sign with which several libraries write an integer.
    private func readNumber(_ name: String) throws(UnusableKey) -> [UInt8] {
        let bytes = try readBytes(name)
        let number = bytes[0] == 0 ? Array(bytes.drop { $0 == 0 }) : bytes
        guard !number.isEmpty else { throw unusable(.malformed, "\(name) is zero") }
        let (zeros, limit) = (bytes.count - number.count, place == .header ? 0 : Limits.leadingZeroBytes)
        guard zeros <= limit else {
            throw unusable(.malformed, "\(name) has leading zero bytes: \(zeros), at most \(limit)")
        }
        return number
    }

    /// Reads an elliptic curve key (RFC 7518 §6.2.1); each coordinate must have its full length.
    private func readEC() throws(UnusableKey) -> KeyMaterial {
        let name = try readName("crv")
        guard let curve = EllipticCurve.allCases.first(where: { isEqual($0.rawValue, name) }) else {
            throw unusable(.keyType, "unsupported crv \(quoted(name))")
        }
        let (x, y) = (try readBytes("x"), try readBytes("y"))
        guard x.count == curve.coordinateByteCount, y.count == curve.coordinateByteCount else {
            throw unusable(
                .malformed,
                "x or y does not have the \(curve.coordinateByteCount) bytes of \(curve.rawValue)"
            )
        }
        guard let publicKey = PublicKey(curve: curve, x: x, y: y) else {
            throw unusable(.malformed, "x and y are not a point on \(curve.rawValue)")
        }
        return KeyMaterial(
            type: "EC",
            curve: curve.rawValue,
            bits: curve.bits,
            algorithms: [.of(curve)],
            publicKey: publicKey,
            members: [
                ("crv", curve.rawValue), ("kty", "EC"), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y)),
            ]
        )
    }

    /// Reads an Ed25519 key (RFC 8037 §2), with a check OpenSSL does not make: the bytes must be a point of sufficient
    /// order.
    private func readOKP() throws(UnusableKey) -> KeyMaterial {
        let name = try readName("crv")
        guard isEqual(name, "Ed25519") else {
            throw unusable(.keyType, "unsupported crv \(quoted(name))")
        }
        let x = try readBytes("x")
        guard x.count == Ed25519Point.byteCount else {
            throw unusable(.malformed, "x does not have the \(Ed25519Point.byteCount) bytes of Ed25519")
        }
        switch Ed25519Point.fault(in: x) {
        case .notCanonical: throw unusable(.malformed, "x is not the canonical encoding of a point")
        case .notOnCurve: throw unusable(.malformed, "x is not a point on Ed25519")
        case .smallOrder: throw unusable(.weak, "x is a point of small order: its signatures can be forged")
        case nil: break
        }
        guard let publicKey = PublicKey(ed25519: x) else { throw unusable(.malformed, "libcrypto rejects the key") }
        return KeyMaterial(
            type: "OKP",
            curve: "Ed25519",
            bits: 255,
            algorithms: SignatureAlgorithm.ofEd25519,
            publicKey: publicKey,
            members: [("crv", "Ed25519"), ("kty", "OKP"), ("x", Base64URL.encode(x))]
        )
    }
}
