// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import InMemoryLogging
import Logging
import Testing

@testable import LoginServer

/// Secret files that are replaced while the service runs.
@Suite struct SecretFilesTests {
    private static let key = "provider.google.client-secret-file"

    private let folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
    private let handler = InMemoryLogHandler()

    private var path: String { folder.appending(path: "secret").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Replaces the file by renaming a new one, as a deployment does.
    private func write(_ content: String, mode: Int = 0o600) throws {
        let new = path + ".new"
        let data = Data(content.utf8)
        try #require(
            FileManager.default.createFile(atPath: new, contents: data, attributes: [.posixPermissions: mode])
        )
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: new, toPath: path)
    }

    private func follower() -> SecretFollower {
        let handler = handler
        let logger = Logger(label: "test") { _ in handler }
        return SecretFollower(SecretFiles([Self.key: path]), logger: logger)
    }

    private var lines: [String] {
        handler.entries.map { "\($0.level) \($0.message): \($0.metadata["configuration.key"] ?? "")" }
    }

    private static let changed = "warning secret file changed; a restart is needed to use it: \(key)"
    private static let lost = "error secret file cannot be used; the previous secret stays in use: \(key)"

    @Test func `a change is reported once, when two checks agree`() {
        var changes = SecretChanges(from: ["a": .hash(1), "b": .hash(2)])
        func add(_ readings: [String: SecretFiles.Reading]) -> [String: SecretFiles.Reading] {
            changes.add(readings, isAsked: false)
        }
        #expect(add(["a": .hash(1), "b": .hash(2)]).isEmpty)
        #expect(add(["a": .hash(3), "b": .hash(2)]).isEmpty)
        #expect(add(["a": .hash(4), "b": .hash(2)]).isEmpty)
        #expect(add(["a": .hash(4), "b": .hash(2)]) == ["a": .hash(4)])
        #expect(add(["a": .hash(4), "b": .fault("missing")]).isEmpty)
        #expect(add(["a": .hash(4), "b": .fault("missing")]) == ["b": .fault("missing")])
        #expect(add(["a": .hash(4), "b": .fault("missing")]).isEmpty)
    }

    @Test func `a file that has the secret in use again is no change, and a later change is reported`() {
        var changes = SecretChanges(from: ["a": .hash(1)])
        for reading in [.hash(2), .hash(1), .hash(2), .hash(1), .hash(1)] as [SecretFiles.Reading] {
            #expect(changes.add(["a": reading], isAsked: false).isEmpty)
        }
        #expect(changes.add(["a": .hash(2)], isAsked: false).isEmpty)
        #expect(changes.add(["a": .hash(2)], isAsked: false) == ["a": .hash(2)])
        #expect(changes.add(["a": .hash(1)], isAsked: false).isEmpty)
        #expect(changes.add(["a": .hash(2)], isAsked: false).isEmpty)
        #expect(changes.add(["a": .hash(2)], isAsked: false) == ["a": .hash(2)])
    }

    @Test func `a requested check reports a change at once, and again, but nothing that is unchanged`() {
        var changes = SecretChanges(from: ["a": .hash(1), "b": .hash(2)])
        for _ in 0..<2 {
            #expect(changes.add(["a": .hash(3), "b": .hash(2)], isAsked: true) == ["a": .hash(3)])
        }
        #expect(changes.add(["a": .hash(3), "b": .hash(2)], isAsked: false).isEmpty)
    }

    @Test func `a replaced secret is logged with its key, and without its content`() async throws {
        defer { remove() }
        try write("the first secret\n")
        var follower = follower()
        await follower.check(isAsked: true)
        #expect(lines.isEmpty)
        try write("the second secret\n")
        for _ in 0..<3 { await follower.check() }
        #expect(lines == [Self.changed])
        #expect(handler.entries.allSatisfy { !"\($0)".contains("first secret") && !"\($0)".contains("second secret") })
        await follower.check(isAsked: true)
        #expect(lines == [Self.changed, Self.changed])
    }

    @Test func `a new file with the same secret is no change`() async throws {
        defer { remove() }
        try write("the secret\n")
        var follower = follower()
        try write("the secret\n")
        await follower.check(isAsked: true)
        #expect(lines.isEmpty)
    }

    @Test func `a file with which a restart would fail is logged as an error, with the reason`() async throws {
        defer { remove() }
        try write("the secret\n")
        var follower = follower()
        try write("the secret\n", mode: 0o644)
        await follower.check(isAsked: true)
        #expect(lines == [Self.lost])
        let reason = handler.entries.last?.metadata["configuration.reason"].map { "\($0)" }
        #expect(reason?.hasSuffix("set its mode to 0600") == true)
        try FileManager.default.removeItem(atPath: path)
        await follower.check(isAsked: true)
        #expect(lines == [Self.lost, Self.lost])
        try write("the secret\n")
        await follower.check(isAsked: true)
        #expect(lines.count == 2)
    }

    @Test func `the secret files of providers, APIs and the service are found, and credentials of systemd`() throws {
        defer { remove() }
        let credentials = folder.path
        try Data("s".utf8).write(to: folder.appending(path: "provider.corp.client-secret"))
        let yaml = """
            secrets-file: /etc/keys
            providers: [facebook, corp]
            provider:
              facebook: { app-ids: ["123"], app-secret-file: /etc/app }
              corp: { issuer: "https://login.corp.example", client-id: web }
            apis: [own]
            api: { own: { issuer: our, audiences: [own], resource: "https://api.example.com", secret-file: /etc/own } }
            """
        let reader = ConfigurationFileReader(
            flags: [:],
            environment: ["HOME": "/h", "CREDENTIALS_DIRECTORY": credentials]
        )
        let configuration = try reader.configuration(try ServiceFile(Array(yaml.utf8)))
        #expect(
            configuration.secretFiles == [
                "secrets-file": "/etc/keys", "provider.facebook.app-secret-file": "/etc/app",
                "provider.corp.client-secret-file": credentials + "/provider.corp.client-secret",
                "api.own.secret-file": "/etc/own",
            ]
        )
    }
}
#endif
