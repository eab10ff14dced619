// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The keys that an issuer publishes (RFC 7517 §5).
///
/// An unusable key is set aside with its reason, and the other keys stay usable (RFC 7517 §5 says to ignore keys that
/// are not understood). A token that names such a key is refused as `key-unusable`, not as `key-not-found`.
///
/// A key that is listed several times is one key, whatever its spelling and its IDs (RFC 7638). What an entry says about
/// its use (`alg`, `use`, `key_ops`, `issuer`, `x5c`) holds for that entry; a private member makes all entries of its key
/// unusable, whatever else is wrong with its own entry.
public struct JSONWebKeySet: Sendable {
    /// The usable keys, in the order of the document.
    public let keys: [JSONWebKey]

    /// The unusable keys, with their reasons.
    public let unusableKeys: [UnusableKey]

    /// Creates a set of keys, for tests and for keys from other sources.
    public init(_ keys: [JSONWebKey]) {
        self.keys = keys
        self.unusableKeys = []
    }

    /// Parses a key set.
    ///
    /// - Parameters:
    ///   - json: A JSON object by RFC 7517 §5, in UTF-8.
    ///   - allowPublishedTestKeys: Whether to accept keys whose private key is published. For tests only.
    ///   - limits: The maximum number of keys, and size of the JSON.
    /// - Throws: ``KeySetError`` if the JSON is not a key set, is empty, or exceeds a limit.
    public init(
        json: some Collection<UInt8>,
        allowPublishedTestKeys: Bool = false,
        limits: KeySetLimits = .standard
    ) throws(KeySetError) {
        guard json.count <= limits.bytes else {
            throw KeySetError("more than \(limits.bytes) bytes\(limits.remedy)")
        }
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(json.withoutByteOrderMark, limits: limits.json).root
        } catch {
            throw KeySetError("not strict JSON: \(error)")
        }
        try self.init(root, allowPublishedTestKeys: allowPublishedTestKeys, limits: limits)
    }

    /// Parses a key set.
    ///
    /// - Parameters:
    ///   - json: A JSON object by RFC 7517 §5.
    ///   - allowPublishedTestKeys: Whether to accept keys whose private key is published. For tests only.
    ///   - limits: The maximum number of keys, and size of the JSON in UTF-8.
    /// - Throws: ``KeySetError`` if the JSON is not a key set, is empty, or exceeds a limit.
    public init(
        json: some StringProtocol,
        allowPublishedTestKeys: Bool = false,
        limits: KeySetLimits = .standard
    ) throws(KeySetError) {
        try self.init(json: json.utf8, allowPublishedTestKeys: allowPublishedTestKeys, limits: limits)
    }

    package init(
        _ root: JSONValue,
        allowPublishedTestKeys: Bool = false,
        limits: KeySetLimits = .standard
    ) throws(KeySetError) {
        guard let members = root["keys"]?.elements else {
            throw KeySetError("no array \"keys\" in the object")
        }
        guard (1...limits.keys).contains(members.count) else {
            throw KeySetError("\(members.count) keys, not 1 to \(limits.keys)\(members.isEmpty ? "" : limits.remedy)")
        }
        var keys: [JSONWebKey] = []
        var unusableKeys: [UnusableKey] = []
        let leaked = LeakedKeys(in: members)
        for member in members {
            do throws(UnusableKey) {
                let key = try JSONWebKey(member, allowPublishedTestKeys: allowPublishedTestKeys)
                try leaked.check(key, from: member)
                keys.append(key)
            } catch {
                unusableKeys.append(error)
            }
        }
        self.keys = keys
        self.unusableKeys = unusableKeys
    }

    /// Returns the keys that match the header: one, or up to ``Limits/keysPerID`` with the key ID that it names.
    ///
    /// There is no default key: a token that names a key ID is verified with a key of that ID or not at all.
    ///
    /// - Parameters:
    ///   - header: The header, which may name a key ID.
    ///   - algorithm: The algorithm that the keys must support.
    ///   - isFitting: An additional condition for the keys.
    /// - Returns: The keys.
    /// - Throws: `key-not-found`, `key-unusable` or `key-ambiguous`.
    func keys(
        matching header: JOSEHeader,
        algorithm: SignatureAlgorithm,
        where isFitting: (JSONWebKey) -> Bool = { _ in true }
    ) throws(TokenRefusal) -> MatchingKeys {
        let name = header.keyID
        func isNamed(_ key: JSONWebKey) -> Bool {
            name.map { key.isNamed($0) } ?? true
        }
        let limit = name == nil ? 1 : Limits.keysPerID
        var matching: MatchingKeys?
        for key in keys where isNamed(key) && key.canVerify(algorithm) && isFitting(key) {
            if matching == nil { matching = MatchingKeys(key) } else { matching?.insert(key) }
            if let matching, matching.count > limit { throw Self.ambiguous(name) }
        }
        guard let matching else {
            throw noFittingKey(name, algorithm: algorithm, sameName: keys.filter(isNamed))
        }
        return matching
    }

    private static func ambiguous(_ named: String?) -> TokenRefusal {
        let detail =
            named.map { "more than \(Limits.keysPerID) different keys have the ID \(quoted($0))" }
            ?? "several different keys match, and the token has no kid"
        return TokenRefusal(.keyAmbiguous, detail, member: "kid")
    }

    private func noFittingKey(
        _ named: String?,
        algorithm: SignatureAlgorithm,
        sameName: [JSONWebKey]
    ) -> TokenRefusal {
        guard let named else {
            return TokenRefusal(
                .keyNotFound,
                "the token has no kid, and none of the \(keys.count) keys matches",
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
        return known.isEmpty ? "unknown, and no key has an ID" : "not among \(quoted(known))"
    }
}

/// An error for a document that is not a usable key set.
public struct KeySetError: Error, Sendable, CustomStringConvertible {
    private let detail: String

    init(_ detail: String) {
        self.detail = detail
    }

    /// A description of the problem, which quotes nothing of the document.
    public var description: String { "not a key set: \(detail)" }
}
