// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Tests of one kind that share a policy and keys.
struct VectorGroup: Sendable {
    enum Kind: String {
        case idToken = "id-token"
        case jws, signature, key, json

        /// Whether refusals of this kind have codes.
        var hasCodes: Bool { self == .idToken || self == .jws || self == .signature }
    }

    let kind: Kind
    let policy: VectorPolicy?
    let keys: JSONWebKeySet?
    let tests: [VectorTest]

    init(_ value: JSONValue) throws(VectorFileError) {
        let group = try VectorObject(value, "a group", members: ["name", "kind", "policy", "keys", "tests"])
        let place = "group \(quoted(try group.string("name")))"
        let name = try group.string("kind")
        guard let kind = Kind(rawValue: name) else {
            throw VectorFileError("\(place): kind \(quoted(name)) is not known")
        }
        self.kind = kind
        self.policy = try group.value["policy"].map { value throws(VectorFileError) in try VectorPolicy(value, place) }
        self.keys = try group.value["keys"].map { value throws(VectorFileError) in try Self.readKeys(value, place) }
        if kind == .json, policy != nil || keys != nil {
            throw VectorFileError("\(place): JSON is read without policy and keys")
        }
        var tests: [VectorTest] = []
        for test in try group.array("tests") { tests.append(try VectorTest(test, kind: kind, place)) }
        self.tests = tests
    }

    func run() -> [VectorResult] {
        tests.map { VectorResult(id: $0.id, failure: failure(of: $0)) }
    }

    private func failure(of test: VectorTest) -> String? {
        do {
            switch kind {
            case .idToken: return try verifyIDToken(test)
            case .jws: return try verifyJWS(test)
            case .signature: return try verifySignature(test)
            case .key: return try readKey(test)
            case .json: return readJSON(test)
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
