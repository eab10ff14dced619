// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The header of a signed token (RFC 7515 §4).
///
/// It is written by whoever made the token, so it decides nothing: it names a key and an algorithm, and the key and the
/// policy decide. Keys that a header brings along (`jwk`, `x5c`) or points at (`jku`, `x5u`) are never looked at.
public struct JOSEHeader: Sendable {
    /// The header as a JSON object.
    public var json: JSONValue { storage.json }

    /// The ID of the key the token claims to be signed with, `kid`; nil if it is not a string.
    public var keyID: String? { storage.keyID }

    /// What all copies of a header share: it is handed from one step to the next, and many tokens have the same.
    private final class Storage: Sendable {
        let json: JSONValue
        let keyID: String?

        /// The algorithm of `alg`; nil if it is not one of ours.
        let knownAlgorithm: SignatureAlgorithm?

        /// Whether `typ` says that the token is a JSON Web Token; nil if it is missing.
        let isJWT: Bool?

        /// Whether `cty` says that the payload is another token.
        let hasTokenContent: Bool

        init(_ json: JSONValue) {
            self.json = json
            keyID = json["kid"]?.string
            knownAlgorithm = json["alg"].flatMap(SignatureAlgorithm.init)
            isJWT = json["typ"].map { $0.string.map(JOSEHeader.mediaType)?.utf8.elementsEqual("jwt".utf8) == true }
            hasTokenContent = json["cty"].map { $0.string.map(JOSEHeader.isTokenType) ?? true } ?? false
        }
    }

    private let storage: Storage

    /// Reads a header, and refuses those that a reader of signed tokens must not pass over.
    init(_ bytes: [UInt8]) throws(TokenRefusal) {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONDocument.read(bytes).root
        } catch {
            throw TokenRefusal(.header, "not strict JSON: \(error)")
        }
        guard json.kind == .object else { throw TokenRefusal(.header, "not a JSON object") }
        if let name = Self.encryptionParameters.first(where: { json[$0] != nil }) {
            throw TokenRefusal(.header, "\(name) belongs to encrypted tokens", member: name)
        }
        storage = Storage(json)
    }

    /// The algorithm the token claims to be signed with, `alg`; nil if it is not a string.
    public var algorithm: String? { json["alg"]?.string }

    /// The kind of token, `typ`; nil if it is not a string.
    public var type: String? { json["typ"]?.string }

    /// Any other header parameter.
    public subscript(name: String) -> JSONValue? { json[name] }

    /// The names of all parameters, in the order of the token.
    public var names: [String] { json.members?.map(\.name) ?? [] }

    /// RFC 7515 §4.1.11: what is critical must be understood, and we understand no extension.
    ///
    /// RFC 7797 §6 makes `b64` critical; without `crit` a reader that honours it and one that does not see two
    /// payloads.
    func refuseExtensions() throws(TokenRefusal) {
        if let critical = json["crit"] {
            let names = critical.elements?.compactMap(\.string) ?? []
            throw TokenRefusal(.criticalHeader, "crit asks for \(quoted(names))", member: "crit")
        }
        if let encoded = json["b64"], encoded.boolean != true {
            throw TokenRefusal(.criticalHeader, "b64 is not true", member: "b64")
        }
    }

    /// RFC 8725 §3.11: a token that says it is another kind is not an ID token, whoever signed it.
    func checkType(required: Bool) throws(TokenRefusal) {
        guard !storage.hasTokenContent else {
            throw TokenRefusal(.tokenType, "cty says that the payload is another token", member: "cty")
        }
        guard let isJWT = storage.isJWT else {
            guard !required else { throw TokenRefusal(.tokenType, "typ is missing and required", member: "typ") }
            return
        }
        guard isJWT else {
            throw TokenRefusal(
                .tokenType,
                "typ is \(type.map { quoted($0) } ?? "no string"), not \"JWT\"",
                member: "typ"
            )
        }
    }

    func checkAlgorithm(allowed: some Collection<SignatureAlgorithm> & Sendable) throws(TokenRefusal)
        -> SignatureAlgorithm
    {
        guard let knownAlgorithm = storage.knownAlgorithm, allowed.contains(knownAlgorithm) else {
            guard json["alg"] != nil else { throw TokenRefusal(.algorithm, "alg is missing", member: "alg") }
            let expected = { @Sendable in allowed.map(\.rawValue).sorted().joined(separator: ", ") }
            throw TokenRefusal(
                .algorithm,
                "alg is \(algorithm.map { quoted($0) } ?? "no string"), allowed: \(expected())",
                member: "alg"
            )
        }
        return knownAlgorithm
    }

    func checkKeyID(required: Bool) throws(TokenRefusal) {
        guard let keyID else {
            guard json["kid"] == nil else { throw Self.badKeyID }
            guard !required else { throw TokenRefusal(.keyID, "kid is missing and required", member: "kid") }
            return
        }
        guard (1...Limits.keyIDBytes).contains(keyID.utf8.count) else { throw Self.badKeyID }
    }

    private static var badKeyID: TokenRefusal {
        TokenRefusal(.keyID, "kid is not a string of 1 to \(Limits.keyIDBytes) bytes", member: "kid")
    }

    /// A media type as RFC 7515 §4.1.9 compares it: without case, and without the prefix that may be left out.
    ///
    /// By bytes, because a combining mark after the prefix would make another character of its end.
    static func mediaType(_ type: String) -> String {
        let type = type.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let prefix = type.starts(with: "application/".utf8) ? "application/".utf8.count : 0
        return String(decoding: type.dropFirst(prefix), as: UTF8.self)
    }

    /// Whether content of this type is a token, by its name or by its suffix (RFC 8417 §2.3), parameters aside.
    private static func isTokenType(_ type: String) -> Bool {
        let name = mediaType(type).utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        return name.elementsEqual("jwt".utf8) || name.suffix(4).elementsEqual("+jwt".utf8)
    }

    /// Header parameters of RFC 7516 and RFC 7518 §4, which no signed token has.
    private static let encryptionParameters = ["enc", "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"]
}
