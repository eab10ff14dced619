// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// A parser for the members that all JSON Web Keys share; it enforces the rules of RFC 7517 that OpenSSL does not
/// check.
///
/// A published key is read leniently in spelling and strictly in meaning: a key whose numbers are clear is
/// used, however they are spelled. A key in a token has one spelling.
struct JSONWebKeyReader {
    /// The place of a key, which decides how its members are spelled.
    enum Place {
        /// A document that a provider publishes.
        case document
        /// The header of a token.
        case header
    }

    let place: Place
    private let key: JSONValue
    private(set) var keyID: String?

    /// The members that are ignored because they cannot be read, each with the reason.
    private(set) var notes: [String] = []

    init(_ key: JSONValue, in place: Place) {
        self.key = key
        self.place = place
    }

    /// Returns the member with this name; nil if it is absent.
    ///
    /// In a document, `null` and an empty string are absent too: programs write them for members that are not set.
    subscript(name: String) -> JSONValue? {
        guard let member = key[name] else { return nil }
        return place == .document && (member.kind == .null || member.isString("")) ? nil : member
    }

    func unusable(_ reason: UnusableKey.Reason, _ detail: String) -> UnusableKey {
        UnusableKey(reason, detail, keyID: keyID)
    }

    mutating func readKeyID() throws(UnusableKey) {
        guard key.kind == .object else { throw unusable(.malformed, "not a JSON object") }
        guard let member = self["kid"] else { return }
        guard let text = member.string, (1...Limits.keyIDBytes).contains(text.utf8.count) else {
            throw unusable(.malformed, "kid is not a string of 1 to \(Limits.keyIDBytes) bytes")
        }
        keyID = text
    }

    /// The first private or symmetric member; nil if the key has none.
    var privateMember: String? {
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].first { self[$0] != nil }
    }

    /// The modulus and the coordinate `x`, as far as they can be read, each without leading zero bytes.
    var identifyingNumbers: [[UInt8]] {
        ["n", "x"].compactMap { try? readBytes($0) }.map { Array($0.drop { $0 == 0 }) }.filter { !$0.isEmpty }
    }

    /// Refuses a key with private members: a public key set that contains one has leaked it, and anybody can sign with
    /// it.
    ///
    /// Call it before other checks, so that no other defect hides the leak.
    mutating func refusePrivateMembers() throws(UnusableKey) {
        guard let name = privateMember else { return }
        // The ID is for the message, if it can be read.
        try? readKeyID()
        guard name == "k" || keyID != nil || !identifyingNumbers.isEmpty else {
            throw unusable(
                .privateKey,
                "the member \(name) is private, and the entry does not say of which key: replace all keys of the set"
            )
        }
        throw unusable(.privateKey, "the member \(name) is private: the key has leaked and must be replaced")
    }

    /// Checks that the key is for verifying signatures (RFC 7517 §4.2 and §4.3).
    func checkUse() throws(UnusableKey) {
        let use = self["use"]
        if let use, !use.isString("sig") { throw unusable(.use, "use is not \"sig\"") }
        guard let operations = self["key_ops"] else { return }
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
        guard let name = self["alg"] else { return algorithms }
        let seen = quoted(name)
        guard let algorithm = SignatureAlgorithm(name) else { throw unusable(.algorithm, "unsupported alg \(seen)") }
        guard algorithms.contains(algorithm) else {
            throw unusable(.algorithm, "alg \(seen) does not fit the type or curve of the key")
        }
        return [algorithm]
    }

    /// Checks that the first certificate of `x5c` holds this key (RFC 7517 §4.7).
    ///
    /// The rest of the certificate is ignored: trust in the key comes from the server that published it. Certificates
    /// and their thumbprints and URLs never supply a key, so one that cannot be read is ignored with a note. Bytes after
    /// the certificate are ignored too, because they must not hide that it is another key's.
    mutating func checkCertificate(of publicKey: PublicKey) throws(UnusableKey) {
        if let chain = self["x5c"] {
            let certificate = chain.elements?.first?.utf8.flatMap(Self.decodeCertificate)
            switch certificate.flatMap(publicKey.isKey(of:)) {
            case true?: break
            case false?: throw unusable(.malformed, "the first certificate in x5c contains another key")
            case nil: notes.append("x5c is ignored: its first element is not a certificate in base64")
            }
        }
        noteUnlessDigest("x5t", "SHA-1", byteCount: 20)
        noteUnlessDigest("x5t#S256", "SHA-256", byteCount: 32)
        if let url = self["x5u"], url.kind != .string { notes.append("x5u is ignored: it is not a string") }
    }

    /// Decodes the base64 of a certificate, with or without PEM armour (RFC 7468), with white space anywhere.
    private static func decodeCertificate(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: Array("-----".utf8))
        let label = parts.firstIndex { $0.starts(with: "BEGIN ".utf8) }
        let body = label.map { parts.dropFirst($0 + 1).first ?? [] } ?? text
        return Base64.decodeAnySpelling(body.filter { !$0.isWhitespace })
    }

    private mutating func noteUnlessDigest(_ name: String, _ algorithm: String, byteCount: Int) {
        guard let member = self[name] else { return }
        guard member.utf8.flatMap(Base64.decodeAnySpelling)?.count != byteCount else { return }
        notes.append("\(name) is ignored: it is not a \(algorithm) digest in base64url")
    }

    /// The issuer whose tokens the key may verify; nil if it names none, and empty, which matches no issuer, if it is
    /// empty or not a string.
    var issuer: String? { key["issuer"].flatMap { $0.kind == .null ? nil : $0.string ?? "" } }

    /// Returns the bytes of a string member, at least one.
    ///
    /// In a header, the member is canonical base64url (RFC 7515 §2). A document may spell it in any way that has one
    /// reading.
    func readBytes(_ name: String) throws(UnusableKey) -> [UInt8] {
        guard let text = self[name]?.utf8 else { throw unusable(.malformed, "\(name) is missing or not a string") }
        let bytes = place == .header ? Base64URL.decode(text) : Base64.decodeAnySpelling(text)
        guard let bytes, !bytes.isEmpty else {
            let form = place == .header ? "canonical base64url" : "base64url or base64"
            throw unusable(.malformed, "\(name) is not \(form)")
        }
        return bytes
    }

    /// Returns a string member whose value is a name, compared case-sensitively: `rsa` is not a type (RFC 7517 §4.1).
    func readName(_ name: String) throws(UnusableKey) -> String {
        guard let text = self[name]?.string else { throw unusable(.malformed, "\(name) is missing or not a string") }
        return text
    }
}
