// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The files of test vectors; each vector runs through the same code as tokens of users.
@Suite struct VectorFileTests {
    private static let names = [
        "access-tokens", "attacks", "dpop", "facebook", "json", "jws", "keys", "openid", "providers", "published",
        "relying-party", "secrets", "signature",
    ]

    @Test(arguments: names)
    func `every vector of a file has the expected outcome`(name: String) async throws {
        let file = try Self.file(name)
        let results = await file.run()
        #expect(results.count == file.count)
        #expect(!results.isEmpty)
        let failures = results.compactMap { result in result.failure.map { "\(result.id): \($0)" } }
        #expect(failures == [])
    }

    @Test func `there are at least 3,000 vectors, each with a unique ID`() async throws {
        var ids: [String] = []
        for name in Self.names { ids += try await Self.file(name).run().map(\.id) }
        #expect(ids.count >= 3000)
        let repeated = Dictionary(grouping: ids) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        #expect(repeated == [])
    }

    @Test(.rule("T-145"))
    func `vectors expect every refusal code except those of a shared store, and no unknown code`() throws {
        let expected = try Self.names.reduce(into: Set<String>()) { $0.formUnion(try Self.file($1).expectedCodes) }
        let known = Set((VerificationCode.refusals + VerificationCode.possession).map(\.rawValue))
        // Vectors have no store of nonces, and no ledger that is full or unavailable.
        #expect(known.subtracting(expected).sorted() == ["proof-undecided", "replayed"])
        #expect(expected.subtracting(known).sorted() == [])
    }

    @Test func `every vector file of the folder is run`() throws {
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
        let names = files.filter { $0.pathExtension == "json" }.map { $0.deletingPathExtension().lastPathComponent }
            .filter { !$0.hasSuffix(".schema") }
        #expect(names.sorted() == Self.names.sorted())
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "TestVectors")

    private static func file(_ name: String) throws -> VectorFile {
        let file = try VectorFile(json: Data(contentsOf: folder.appending(path: "\(name).json")))
        try #require(!file.generator.isEmpty)
        return file
    }
}
