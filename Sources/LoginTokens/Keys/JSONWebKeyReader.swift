// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Reads the members of a JSON Web Key, and refuses what RFC 7517 and RFC 7518 refuse and OpenSSL would not.
struct JSONWebKeyReader {
    private let value: JSONValue
    private(set) var keyID: String?

    init(_ value: JSONValue) {
        self.value = value
    }

    func unusable(_ reason: UnusableKey.Reason, _ detail: String) -> UnusableKey {
        UnusableKey(reason, detail, keyID: keyID)
    }

    mutating func readKeyID() throws(UnusableKey) {
        guard value.kind == .object else { throw unusable(.malformed, "a key is a JSON object") }
        guard let member = value["kid"] else { return }
        guard let text = member.string, (1...Limits.keyIDBytes).contains(text.utf8.count) else {
            throw unusable(.malformed, "kid is not a string of 1 to \(Limits.keyIDBytes) bytes")
        }
        keyID = text
    }

    /// A set of public keys that shows a private one has leaked it: everybody can sign with it now.
    func refusePrivateMembers() throws(UnusableKey) {
        if let name = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first(where: { value[$0] != nil }) {
            throw unusable(.privateKey, "member \(name) is private: this key has leaked and must be replaced")
        }
    }

    /// RFC 7517 §4.2 and §4.3.
    func checkUse() throws(UnusableKey) {
        let use = value["use"]
        if let use, !use.isString("sig") { throw unusable(.use, "use is not \"sig\"") }
        guard let operations = value["key_ops"] else { return }
        guard let names = operations.elements?.map(\.string), !names.contains(nil), Set(names).count == names.count
        else {
            throw unusable(.use, "key_ops is not an array of distinct strings")
        }
        guard names.contains("verify") else { throw unusable(.use, "key_ops lacks \"verify\"") }
        guard use == nil || names.allSatisfy({ $0 == "verify" || $0 == "sign" }) else {
            throw unusable(.use, "use and key_ops contradict each other")
        }
    }

    /// RFC 7517 §4.1 and §4.4.
    ///
    /// Names are compared by case: `rsa` is no type.
    func readAlgorithms() throws(UnusableKey) -> Set<SignatureAlgorithm> {
        guard let type = value["kty"], type.kind == .string else { throw unusable(.malformed, "kty is not a string") }
        guard type.isString("RSA") else { throw unusable(.keyType, "kty \(quoted(type.string ?? "")) is not known") }
        guard let name = value["alg"] else { return [.rs256] }
        guard let algorithm = SignatureAlgorithm(name) else {
            throw unusable(.algorithm, "alg \(quoted(name.string ?? name.kind.rawValue)) is not known")
        }
        return [algorithm]
    }

    /// RFC 7518 §6.3.1, and the checks that OpenSSL does not make: it takes an exponent of 1 and then every signature
    /// that equals the padded digest.
    ///
    /// `EVP_PKEY_public_check` would find that too, at the price of milliseconds, and of seconds for a modulus made to
    /// be slow.
    func readRSA() throws(UnusableKey) -> (modulus: [UInt8], exponent: [UInt8]) {
        let modulus = try readNumber("n")
        let exponent = try readNumber("e")
        let bits = modulus.count * 8 - modulus[0].leadingZeroBitCount
        guard Limits.rsaModulusBits.contains(bits) else {
            throw unusable(.weak, "the modulus has \(bits) bits, not \(Limits.rsaModulusBits)")
        }
        guard let last = modulus.last, last & 1 == 1 else { throw unusable(.weak, "the modulus is even") }
        // At most 32 bits against at least 2,048: that the exponent is below the modulus needs no check of its own.
        guard exponent.count <= 4 else { throw unusable(.weak, "the exponent has more than 32 bits") }
        let e = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard Limits.rsaExponent.contains(e), e & 1 == 1 else {
            throw unusable(.weak, "the exponent is not an odd number of at least 3")
        }
        guard !ROCA.hasFingerprint(modulus) else {
            throw unusable(.weak, "the modulus has the form that CVE-2017-15361 lets one factor")
        }
        return (modulus, exponent)
    }

    /// A positive number, big-endian, without leading zeros (RFC 7518 §2, Base64urlUInt).
    private func readNumber(_ name: String) throws(UnusableKey) -> [UInt8] {
        guard let text = value[name]?.utf8 else { throw unusable(.malformed, "\(name) is not a string") }
        guard let bytes = Base64URL.decode(text), let first = bytes.first else {
            throw unusable(.malformed, "\(name) is not canonical base64url")
        }
        guard first != 0 else { throw unusable(.malformed, "\(name) has a leading zero byte, or is zero") }
        return bytes
    }
}
