// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// A file of test vectors in one of the formats `login-vectors/1` to `login-vectors/3`, described in
/// TestVectors/README.md.
public struct VectorFile: Sendable {
    /// The program that generated the vectors.
    public let generator: String

    /// The maximum size of a file: 16 MiB.
    public static let maximumBytes = 1 << 24

    let groups: [VectorGroup]

    /// Parses a file.
    ///
    /// Unknown members are refused, because a test that is silently skipped looks like one that passed.
    ///
    /// - Parameter json: The content of the file; at most ``maximumBytes``.
    /// - Throws: ``VectorFileError``, with the reason and the place.
    public init(json: some Collection<UInt8>) throws(VectorFileError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(
                Array(json),
                limits: JSONLimits(bytes: Self.maximumBytes, depth: 32, members: 256)
            )
            .root
        } catch {
            throw VectorFileError("not strict JSON: \(error)")
        }
        guard let format = root["format"]?.string else {
            throw VectorFileError("not a file of test vectors: it names no format")
        }
        guard let kinds = VectorGroup.Kind.kinds(of: format) else {
            throw VectorFileError("format \(quoted(format)) is not known")
        }
        let file = try VectorObject(root, "the file", members: ["format", "generator", "groups"])
        generator = try file.string("generator")
        var groups: [VectorGroup] = []
        for group in try file.array("groups") { groups.append(try VectorGroup(group, kinds: kinds)) }
        self.groups = groups
        var seen: Set<String> = []
        if let twice = groups.flatMap(\.tests).first(where: { !seen.insert($0.id).inserted }) {
            throw VectorFileError("two tests have the id \(quoted(twice.id))")
        }
        guard !seen.isEmpty else { throw VectorFileError("there is no test in the file") }
    }

    /// The number of tests.
    public var count: Int { groups.reduce(0) { $0 + $1.tests.count } }

    /// Runs all tests, and returns their results.
    public func run() async -> [VectorResult] {
        var results: [VectorResult] = []
        for group in groups { results += await group.run() }
        return results
    }

    /// The refusal codes that the tests expect.
    public var expectedCodes: Set<String> {
        Set(groups.flatMap(\.tests).flatMap { $0.codes ?? [] })
    }
}

/// The result of one test.
public struct VectorResult: Sendable, Hashable {
    /// The ID of the test, unique across all files.
    public let id: String
    /// The difference from the expectation; nil if the test passed.
    public let failure: String?
}

/// An error for a malformed test vector file.
public struct VectorFileError: Error, Sendable, CustomStringConvertible {
    /// The reason and the place.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An object of a vector file; unknown members are refused.
struct VectorObject {
    let value: JSONValue
    private let place: String

    init(_ value: JSONValue, _ place: String, members: Set<String>) throws(VectorFileError) {
        guard let present = value.members else { throw VectorFileError("\(place) is not an object") }
        if let unknown = present.first(where: { !members.contains($0.name) }) {
            throw VectorFileError("\(place) has the member \(quoted(unknown.name)), which the format does not know")
        }
        self.value = value
        self.place = place
    }

    func string(_ name: String) throws(VectorFileError) -> String {
        guard let text = value[name]?.string else { throw VectorFileError("\(place): \(name) is not a string") }
        return text
    }

    func array(_ name: String) throws(VectorFileError) -> [JSONValue] {
        guard let elements = value[name]?.elements else { throw VectorFileError("\(place): \(name) is not an array") }
        return elements
    }

    /// Returns the members of an object; empty if the member is absent.
    func members(_ name: String) throws(VectorFileError) -> [(name: String, value: JSONValue)] {
        guard let member = value[name] else { return [] }
        guard let members = member.members else { throw VectorFileError("\(place): \(name) is not an object") }
        return members
    }

    /// Returns an array of strings; nil if the member is absent.
    func strings(_ name: String) throws(VectorFileError) -> [String]? {
        guard value[name] != nil else { return nil }
        let strings = try array(name).map(\.string)
        guard !strings.contains(nil) else { throw VectorFileError("\(place): \(name) holds more than strings") }
        return strings.compactMap { $0 }
    }

    /// Returns a number of seconds; nil if the member is absent.
    func seconds(_ name: String) throws(VectorFileError) -> Double? {
        guard let member = value[name] else { return nil }
        // A larger number is beyond any clock, and would overflow `Duration`.
        guard let number = member.number, number.magnitude < 1e12 else {
            throw VectorFileError("\(place): \(name) is not a number of seconds")
        }
        return number
    }

    func boolean(_ name: String) throws(VectorFileError) -> Bool? {
        guard let member = value[name] else { return nil }
        guard let boolean = member.boolean else { throw VectorFileError("\(place): \(name) is not a truth value") }
        return boolean
    }

    /// Returns bytes decoded from hexadecimal.
    func bytes(_ name: String) throws(VectorFileError) -> [UInt8] {
        let digits = try string(name).utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, !digits.contains(nil) else {
            throw VectorFileError("\(place): \(name) is not hexadecimal")
        }
        let values = digits.compactMap { $0 }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
