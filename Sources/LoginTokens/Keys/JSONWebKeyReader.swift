// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// A parser for the members that all JSON Web Keys share; it enforces the rules of RFC 7517 that OpenSSL does not
/// check.
struct JSONWebKeyReader {
    let value: JSONValue
    private(set) var keyID: String?

    init(_ value: JSONValue) {
        self.value = value
    }

    func unusable(_ reason: UnusableKey.Reason, _ detail: String) -> UnusableKey {
        UnusableKey(reason, detail, keyID: keyID)
    }

    mutating func readKeyID() throws(UnusableKey) {
        guard value.kind == .object else { throw unusable(.malformed, "not a JSON object") }
        guard let member = value["kid"] else { return }
        guard let text = member.string, (1...Limits.keyIDBytes).contains(text.utf8.count) else {
            throw unusable(.malformed, "kid is not a string of 1 to \(Limits.keyIDBytes) bytes")
        }
        keyID = text
    }

    /// Refuses a key with private members: a public key set that contains one has leaked it, and anybody can sign with
    /// it.
    func refusePrivateMembers() throws(UnusableKey) {
        if let name = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first(where: { value[$0] != nil }) {
            throw unusable(.privateKey, "the member \(name) is private: the key has leaked and must be replaced")
        }
    }

    /// Checks that the key is for verifying signatures (RFC 7517 §4.2 and §4.3).
    func checkUse() throws(UnusableKey) {
        let use = value["use"]
        if let use, !use.isString("sig") { throw unusable(.use, "use is not \"sig\"") }
        guard let operations = value["key_ops"] else { return }
        guard let names = operations.elements?.map(\.string), !names.contains(nil),
            Set(names.map { $0.map { Array($0.utf8) } }).count == names.count
        else {
            throw unusable(.use, "key_ops is not an array of distinct strings")
        }
        guard names.contains("verify") else { throw unusable(.use, "key_ops lacks \"verify\"") }
        guard use == nil || names.allSatisfy({ $0 == "verify" || $0 == "sign" }) else {
            throw unusable(.use, "use and key_ops contradict each other")
        }
    }

    /// Restricts the algorithms to the one that the key names in `alg`, if any (RFC 7517 §4.4).
    func narrow(_ algorithms: Set<SignatureAlgorithm>) throws(UnusableKey) -> Set<SignatureAlgorithm> {
        guard let name = value["alg"] else { return algorithms }
        let seen = quoted(name)
        guard let algorithm = SignatureAlgorithm(name) else { throw unusable(.algorithm, "unsupported alg \(seen)") }
        guard algorithms.contains(algorithm) else {
            throw unusable(.algorithm, "alg \(seen) does not fit the type or curve of the key")
        }
        return [algorithm]
    }

    /// Checks that the first certificate of `x5c` holds this key (RFC 7517 §4.7).
    ///
    /// The rest of the certificate is ignored: trust in the key comes from the server that published it.
    func checkCertificate(of publicKey: PublicKey) throws(UnusableKey) {
        guard let chain = value["x5c"] else { return }
        guard let first = chain.elements?.first?.utf8, let certificate = Base64.decode(first) else {
            throw unusable(.malformed, "x5c is not an array of certificates in base64")
        }
        guard publicKey.isKey(of: certificate) else {
            throw unusable(.malformed, "the first certificate in x5c is invalid, or contains another key")
        }
    }

    /// The issuer whose tokens the key may verify; nil if it names none, and empty, which matches no issuer, if it is
    /// not a string.
    var issuer: String? { value["issuer"].map { $0.string ?? "" } }

    /// Returns a string member decoded from canonical base64url; it has at least one byte.
    func readBytes(_ name: String) throws(UnusableKey) -> [UInt8] {
        guard let text = value[name]?.utf8 else { throw unusable(.malformed, "\(name) is not a string") }
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw unusable(.malformed, "\(name) is not canonical base64url")
        }
        return bytes
    }

    /// Returns a string member whose value is a name, compared case-sensitively: `rsa` is not a type (RFC 7517 §4.1).
    func readName(_ name: String) throws(UnusableKey) -> String {
        guard let text = value[name]?.string else { throw unusable(.malformed, "\(name) is not a string") }
        return text
    }
}
