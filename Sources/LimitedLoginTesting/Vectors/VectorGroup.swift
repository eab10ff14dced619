// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Tests of one kind that share a policy and keys.
struct VectorGroup: Sendable {
    enum Kind: String, CaseIterable {
        case idToken = "id-token"
        case jws, signature, key, json
        case accessToken = "access-token"
        case dpop
        case secret

        /// Whether refusals of this kind have codes.
        var hasCodes: Bool { self != .key && self != .json && self != .secret }

        /// Returns the kinds of a format; nil if the format is not known.
        static func kinds(of format: String) -> [Self]? {
            switch format {
            case "login-vectors/1": [.idToken, .jws, .signature, .key, .json]
            case "login-vectors/2": allCases.filter { $0 != .secret }
            case "login-vectors/3": allCases
            default: nil
            }
        }
    }

    let kind: Kind
    let policy: VectorPolicy?
    let keys: JSONWebKeySet?
    let tests: [VectorTest]

    /// Parses a group.
    ///
    /// - Parameters:
    ///   - value: The group.
    ///   - kinds: The kinds that the format of the file has.
    /// - Throws: ``VectorFileError``, with the reason and the place.
    init(_ value: JSONValue, kinds: [Kind]) throws(VectorFileError) {
        let group = try VectorObject(value, "a group", members: ["name", "kind", "policy", "keys", "tests"])
        let place = "group \(quoted(try group.string("name")))"
        let name = try group.string("kind")
        guard let kind = Kind(rawValue: name), kinds.contains(kind) else {
            throw VectorFileError("\(place): kind \(quoted(name)) is not known")
        }
        self.kind = kind
        self.policy = try group.value["policy"].map { value throws(VectorFileError) in
            try VectorPolicy(value, kind: kind, mayHaveSecret: kinds.contains(.secret), place)
        }
        self.keys = try group.value["keys"].map { value throws(VectorFileError) in try Self.readKeys(value, place) }
        if kind == .json || kind == .secret, policy != nil || keys != nil {
            throw VectorFileError("\(place): this kind has neither policy nor keys")
        }
        if kind == .dpop, keys != nil { throw VectorFileError("\(place): a proof contains its key") }
        var tests: [VectorTest] = []
        for test in try group.array("tests") { tests.append(try VectorTest(test, kind: kind, place)) }
        self.tests = tests
    }

    func run() async -> [VectorResult] {
        var results: [VectorResult] = []
        for test in tests { results.append(VectorResult(id: test.id, failure: await failure(of: test))) }
        return results
    }

    private func failure(of test: VectorTest) async -> String? {
        do {
            switch kind {
            case .idToken: return try verifyIDToken(test)
            case .jws: return try verifyJWS(test)
            case .signature: return try verifySignature(test)
            case .key: return try readKey(test)
            case .json: return readJSON(test)
            case .accessToken: return try verifyAccessToken(test)
            case .dpop: return try await verifyRequest(test)
            case .secret: return try readSecret(test)
            }
        } catch {
            return "cannot be run: \(error)"
        }
    }

    private static func readKeys(_ value: JSONValue, _ place: String) throws(VectorFileError) -> JSONWebKeySet {
        do throws(KeySetError) {
            return try JSONWebKeySet(value, allowPublishedTestKeys: true)
        } catch {
            throw VectorFileError("\(place): \(error)")
        }
    }
}
