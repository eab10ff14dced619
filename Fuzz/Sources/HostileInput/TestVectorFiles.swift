// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

/// The test vectors, read as plain JSON: seeds for the attacks on the library.
public struct TestVectorFiles {
    /// One test of a group.
    public struct Vector {
        /// The name of its file, without the extension.
        public let file: String
        /// The kind of its group.
        public let kind: String
        /// Its policy as canonical JSON text, for comparison.
        public let policy: String
        /// Its members.
        public let members: [String: Any]
        /// Whether the expected result is acceptance.
        public var isAccepted: Bool { ["verified", "usable", "accepted"].contains(members["result"] as? String) }
    }

    /// All vectors, in the order of files and tests.
    public let vectors: [Vector]

    /// The key sets of the groups, each once, in JSON.
    public let keySets: [[UInt8]]

    /// Reads every file with vectors in a directory.
    public init(folder: String = "TestVectors") throws {
        var vectors: [Vector] = []
        var keySets: [[UInt8]] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".json") {
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
            guard let groups = (json as? [String: Any])?["groups"] as? [[String: Any]] else { continue }
            for group in groups {
                if let keys = group["keys"] { keySets.append(try Self.canonical(keys)) }
                let policy = try Self.canonical(group["policy"] ?? [:])
                for test in group["tests"] as? [[String: Any]] ?? [] {
                    vectors.append(
                        Vector(
                            file: String(name.dropLast(5)),
                            kind: group["kind"] as? String ?? "",
                            policy: String(decoding: policy, as: UTF8.self),
                            members: test
                        )
                    )
                }
            }
        }
        self.vectors = vectors
        self.keySets = Set(keySets).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns JSON with sorted member names.
    public static func canonical(_ json: Any) throws -> [UInt8] {
        try Array(JSONSerialization.data(withJSONObject: json, options: [.sortedKeys, .withoutEscapingSlashes]))
    }

    /// Returns the bytes of a string member.
    public static func text(_ name: String, of vector: Vector) -> [UInt8] {
        Array((vector.members[name] as? String ?? "").utf8)
    }
}
