// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The keys an issuer publishes (RFC 7517 §5).
///
/// A key that cannot be used is set aside with its reason, and the others stay usable (RFC 7517 §5: ignore what you do
/// not understand). A token that names it learns that it is unusable, not that it does not exist.
public struct JSONWebKeySet: Sendable {
    /// The keys that can be used, in the order of the document.
    public let keys: [JSONWebKey]

    /// The keys that cannot, and why.
    public let unusableKeys: [UnusableKey]

    /// A set of these keys, for tests and for keys from elsewhere.
    public init(_ keys: [JSONWebKey]) {
        self.keys = keys
        self.unusableKeys = []
    }

    /// Reads a key set.
    ///
    /// - Parameters:
    ///   - json: A JSON object by RFC 7517 §5, in UTF-8, at most ``Limits/keySetBytes``.
    ///   - allowPublishedTestKeys: Whether keys will do whose private half everybody can read. For tests only.
    /// - Throws: ``KeySetError`` if this is not a key set, or an empty one, or one of more than ``Limits/keySetKeys`` keys.
    public init(json: some Collection<UInt8>, allowPublishedTestKeys: Bool = false) throws(KeySetError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(Array(json), limits: .keySet).root
        } catch {
            throw KeySetError("not strict JSON: \(error)")
        }
        try self.init(root, allowPublishedTestKeys: allowPublishedTestKeys)
    }

    package init(_ root: JSONValue, allowPublishedTestKeys: Bool = false) throws(KeySetError) {
        guard let members = root["keys"]?.elements else {
            throw KeySetError("there is not an array \"keys\" in an object")
        }
        guard (1...Limits.keySetKeys).contains(members.count) else {
            throw KeySetError("it has \(members.count) keys, not 1 to \(Limits.keySetKeys)")
        }
        var keys: [JSONWebKey] = []
        var unusableKeys: [UnusableKey] = []
        for member in members {
            do throws(UnusableKey) {
                keys.append(try JSONWebKey(member, allowPublishedTestKeys: allowPublishedTestKeys))
            } catch {
                unusableKeys.append(error)
            }
        }
        self.keys = keys
        self.unusableKeys = unusableKeys
    }

    /// The one key that the header asks for.
    ///
    /// Never a default: a token that names a key is verified with that key or not at all.
    ///
    /// - Parameters:
    ///   - header: What names the key.
    ///   - algorithm: What the key must be for.
    ///   - isFitting: What else it must be.
    /// - Returns: The key.
    /// - Throws: `key-not-found`, `key-unusable` or `key-ambiguous`.
    func key(
        for header: JOSEHeader,
        algorithm: SignatureAlgorithm,
        where isFitting: (JSONWebKey) -> Bool = { _ in true }
    ) throws(TokenRefusal) -> JSONWebKey {
        let name = header.keyID
        func isNamed(_ key: JSONWebKey) -> Bool {
            name.map { key.isNamed($0) } ?? true
        }
        var fitting: JSONWebKey?
        for key in keys where isNamed(key) && key.canVerify(algorithm) && isFitting(key) {
            guard fitting == nil else {
                let detail = name.map { "the ID \(quoted($0))" } ?? "no ID in the token, and"
                throw TokenRefusal(.keyAmbiguous, "several keys fit: \(detail) does not tell them apart", member: "kid")
            }
            fitting = key
        }
        guard let fitting else {
            throw noFittingKey(name, algorithm: algorithm, sameName: keys.filter(isNamed))
        }
        return fitting
    }

    private func noFittingKey(
        _ named: String?,
        algorithm: SignatureAlgorithm,
        sameName: [JSONWebKey]
    ) -> TokenRefusal {
        guard let named else {
            return TokenRefusal(
                .keyNotFound,
                "the token names no key, and none of \(keys.count) keys fits",
                member: "kid"
            )
        }
        if let other = sameName.first {
            let purpose = other.canVerify(algorithm) ? "tokens of this issuer" : algorithm.rawValue
            return TokenRefusal(.keyUnusable, "key \(quoted(named)) (\(other)) is not for \(purpose)", member: "kid")
        }
        if let unusable = unusableKeys.first(where: { $0.keyID.map { isEqual($0, named) } ?? false }) {
            return TokenRefusal(.keyUnusable, unusable.description, member: "kid")
        }
        return TokenRefusal(.keyNotFound, "kid \(quoted(named)) is \(textOfOtherNames)", member: "kid")
    }

    private var textOfOtherNames: String {
        let known = keys.compactMap(\.keyID)
        return known.isEmpty ? "unknown, and no key has an ID" : "none of \(quoted(known))"
    }
}

/// Why a document is no usable key set.
public struct KeySetError: Error, Sendable, CustomStringConvertible {
    private let detail: String

    init(_ detail: String) {
        self.detail = detail
    }

    /// What is wrong with the document; nothing of it is quoted.
    public var description: String { "not a key set: \(detail)" }
}
