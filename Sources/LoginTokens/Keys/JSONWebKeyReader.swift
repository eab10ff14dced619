// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads the members that all JSON Web Keys have, and refuses what RFC 7517 refuses and OpenSSL would not.
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

    /// RFC 7517 §4.4: a key that names its algorithm is for no other.
    func narrow(_ algorithms: Set<SignatureAlgorithm>) throws(UnusableKey) -> Set<SignatureAlgorithm> {
        guard let name = value["alg"] else { return algorithms }
        let seen = quoted(name)
        guard let algorithm = SignatureAlgorithm(name) else { throw unusable(.algorithm, "alg \(seen) is not known") }
        guard algorithms.contains(algorithm) else {
            throw unusable(.algorithm, "alg \(seen) is not one of a key of this type and curve")
        }
        return [algorithm]
    }

    /// RFC 7517 §4.7: the first certificate holds this key.
    ///
    /// Nothing else of it counts: who vouches for the key is the server it came from.
    func checkCertificate(of publicKey: PublicKey) throws(UnusableKey) {
        guard let chain = value["x5c"] else { return }
        // Foundation also takes padding and bits that are left over.
        guard let first = chain.elements?.first?.string, let certificate = Data(base64Encoded: first),
            isEqual(certificate.base64EncodedString(), first)
        else {
            throw unusable(.malformed, "x5c is not a list of certificates in base64")
        }
        guard publicKey.isKey(of: Array(certificate)) else {
            throw unusable(.malformed, "the first certificate of x5c holds another key, or is no certificate")
        }
    }

    /// Whose tokens the key is for; nil if it does not say, and a name that nobody has if it says so wrongly.
    var issuer: String? { value["issuer"].map { $0.string ?? "" } }

    /// A member that is a string: canonical base64url of at least one byte.
    func readBytes(_ name: String) throws(UnusableKey) -> [UInt8] {
        guard let text = value[name]?.utf8 else { throw unusable(.malformed, "\(name) is not a string") }
        guard let bytes = Base64URL.decode(text), !bytes.isEmpty else {
            throw unusable(.malformed, "\(name) is not canonical base64url")
        }
        return bytes
    }

    /// A member that is one of a few names, compared by case: `rsa` is no type (RFC 7517 §4.1).
    func readName(_ name: String) throws(UnusableKey) -> String {
        guard let text = value[name]?.string else { throw unusable(.malformed, "\(name) is not a string") }
        return text
    }
}
