// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The header of a signed token (RFC 7515 §4).
///
/// The header may come from an attacker, so it decides nothing: it names a key and an algorithm, and the key and the
/// policy decide. Keys embedded in a header (`jwk`, `x5c`) or referenced by it (`jku`, `x5u`) are ignored.
public struct JOSEHeader: Sendable {
    /// The header as a JSON object.
    public var json: JSONValue { storage.json }

    /// The key ID, `kid`; nil if it is missing or not a string.
    public var keyID: String? { storage.keyID }

    /// The storage shared by all copies of a header; many tokens have the same header.
    private final class Storage: Sendable {
        let json: JSONValue
        let keyID: String?

        /// The algorithm of `alg`; nil if it is missing or not supported.
        let knownAlgorithm: SignatureAlgorithm?

        /// The media type of `typ`, for comparison; empty if it is not a string, and nil if it is missing.
        let mediaType: String?

        /// Whether `cty` declares the payload to be another token.
        let hasTokenContent: Bool

        init(_ json: JSONValue) {
            self.json = json
            keyID = json["kid"]?.string
            knownAlgorithm = json["alg"].flatMap(SignatureAlgorithm.init)
            mediaType = json["typ"].map { $0.string.map(JOSEHeader.mediaType) ?? "" }
            hasTokenContent = json["cty"].map { $0.string.map(JOSEHeader.isTokenType) ?? true } ?? false
        }
    }

    private let storage: Storage

    /// Parses a header, and refuses the header of an encrypted token.
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

    /// Returns the algorithm in the header of a token; nil if it is not supported, or the header is malformed.
    ///
    /// - Parameters:
    ///   - text: The token, of which nothing else is read.
    ///   - limits: The maximum sizes.
    /// - Returns: The algorithm.
    static func algorithm(of text: String, limits: TokenLimits) -> SignatureAlgorithm? {
        // Base64url has four characters for three bytes.
        let segment = text.utf8.prefix(limits.headerBytes / 3 * 4 + 4).prefix { $0 != UInt8(ascii: ".") }
        guard let bytes = Base64URL.decode(segment), bytes.count <= limits.headerBytes else { return nil }
        return (try? Self(bytes))?.storage.knownAlgorithm
    }

    /// The algorithm, `alg`; nil if it is missing or not a string.
    public var algorithm: String? { json["alg"]?.string }

    /// The type of token, `typ`; nil if it is missing or not a string.
    public var type: String? { json["typ"]?.string }

    /// Returns the header parameter with this name.
    public subscript(name: String) -> JSONValue? { json[name] }

    /// The names of all header parameters, in the order of the token.
    public var names: [String] { json.members?.map(\.name) ?? [] }

    /// Refuses critical extensions (RFC 7515 §4.1.11), because no extension is supported.
    ///
    /// RFC 7797 §6 makes `b64` critical. Without `crit`, a parser that honours `b64` and one that ignores it would read
    /// two different payloads.
    func refuseExtensions() throws(TokenRefusal) {
        if let critical = json["crit"] {
            let names = critical.elements?.compactMap(\.string) ?? []
            throw TokenRefusal(.criticalHeader, "crit requires \(quoted(names))", member: "crit")
        }
        if let encoded = json["b64"], encoded.boolean != true {
            throw TokenRefusal(.criticalHeader, "b64 is not true", member: "b64")
        }
    }

    /// Refuses a token whose `typ` or `cty` is that of another kind of token, regardless of the signer (RFC 8725
    /// §3.11).
    ///
    /// - Parameters:
    ///   - accepted: The accepted types, in lower case and without `application/`.
    ///   - required: Whether a token without `typ` is refused.
    /// - Throws: ``TokenRefusal`` with the code `token-type`.
    func checkType(_ accepted: [String], required: Bool) throws(TokenRefusal) {
        guard !storage.hasTokenContent else {
            throw TokenRefusal(.tokenType, "cty declares the payload to be another token", member: "cty")
        }
        guard let mediaType = storage.mediaType else {
            guard !required else { throw TokenRefusal(.tokenType, "typ is missing and required", member: "typ") }
            return
        }
        guard accepted.contains(where: { isEqual($0, mediaType) }) else {
            let expected = { @Sendable in quoted(accepted.map { $0 == "jwt" ? "JWT" : $0 }) }
            throw TokenRefusal(
                .tokenType,
                "typ is \(type.map { quoted($0) } ?? "not a string"), expected \(expected())",
                member: "typ"
            )
        }
    }

    /// Whether `typ` is that of an access token (RFC 9068 §2.1).
    var isAccessToken: Bool { storage.mediaType.map { isEqual($0, "at+jwt") } == true }

    func checkAlgorithm(allowed: some Collection<SignatureAlgorithm> & Sendable) throws(TokenRefusal)
        -> SignatureAlgorithm
    {
        guard let knownAlgorithm = storage.knownAlgorithm, allowed.contains(knownAlgorithm) else {
            throw otherAlgorithm { allowed.map(\.rawValue).sorted().joined(separator: ", ") }
        }
        return knownAlgorithm
    }

    /// Checks that the algorithm is that of the secret, the only one that a token signed with it can have.
    func checkAlgorithm(of secret: SharedSecret) throws(TokenRefusal) {
        let expected = secret.algorithm.rawValue
        guard json["alg"]?.isString(expected) == true else { throw otherAlgorithm { expected } }
    }

    private func otherAlgorithm(_ allowed: @escaping @Sendable () -> String) -> TokenRefusal {
        guard json["alg"] != nil else { return TokenRefusal(.algorithm, "alg is missing", member: "alg") }
        return TokenRefusal(
            .algorithm,
            "alg is \(algorithm.map { quoted($0) } ?? "not a string"), allowed: \(allowed())",
            member: "alg"
        )
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

    /// Returns a media type as RFC 7515 §4.1.9 compares it: in lower case and without the optional prefix.
    ///
    /// The comparison is by bytes, because a combining mark after the prefix would form another character with its last
    /// one.
    static func mediaType(_ type: String) -> String {
        let type = type.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let prefix = type.starts(with: "application/".utf8) ? "application/".utf8.count : 0
        return String(decoding: type.dropFirst(prefix), as: UTF8.self)
    }

    /// Returns whether this is the media type of a token, by its name or its suffix (RFC 8417 §2.3), ignoring
    /// parameters.
    private static func isTokenType(_ type: String) -> Bool {
        let name = mediaType(type).utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        return name.elementsEqual("jwt".utf8) || name.suffix(4).elementsEqual("+jwt".utf8)
    }

    /// The header parameters of RFC 7516 and RFC 7518 §4, which signed tokens never have.
    private static let encryptionParameters = ["enc", "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"]
}
