// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import Foundation
import LoginTokens
import Testing

@testable import LoginKeys

/// A directory for keys inside one that is removed afterwards.
struct KeyPlace: Sendable {
    let root: String
    let issuer = "https://issuer.example"
    /// A clock one minute ahead, so that files of the test are not from its future.
    var clock = FixedTime(now: Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 60).rounded()))

    var path: String { root + "/keys" }
    var file: String { path + "/" + KeyDirectoryEntry.fileName(of: issuer) }
    var keys: KeyDirectory { KeyDirectory(path: path, wallClock: clock) }

    func kept(_ text: String = "{}") -> KeptKeySet {
        let url = issuer + "/keys"
        return KeptKeySet(
            issuer: issuer,
            url: url,
            fetchedAt: clock.now,
            lifetime: .seconds(300),
            keySet: Array(text.utf8)
        )
    }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    func mode(of path: String) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return try #require(value).intValue
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func setOwner(_ owner: UInt32, of path: String) throws {
        try #require(unsafe chown(path, owner, owner) == 0)
    }

    func expectRefusal(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: KeyStoreError.self, sourceLocation: sourceLocation) {
            try await keys.load(issuer)
        }
        expect(words, in: error, sourceLocation)
    }

    func expectNotKept(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: KeyStoreError.self, sourceLocation: sourceLocation) {
            try await keys.save(kept())
        }
        expect(words, in: error, sourceLocation)
    }

    private func expect(_ words: String, in error: KeyStoreError?, _ sourceLocation: SourceLocation) {
        let text = error?.description ?? ""
        #expect(words.isEmpty || text.lowercased().contains(words), "\(text)", sourceLocation: sourceLocation)
    }
}

/// A clock that stands still.
struct FixedTime: WallClock {
    let now: Date
}

/// Calls the body with a place of its own, and removes it afterwards.
func withPlace(_ body: (KeyPlace) async throws -> Void) async throws {
    let root = FileManager.default.temporaryDirectory.path + "/limited-login-keys-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: root) }
    try await body(KeyPlace(root: root))
}
#endif
