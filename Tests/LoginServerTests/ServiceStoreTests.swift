// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird && SQLite
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import LoginAccounts
internal import LoginHTTP
internal import LoginStoreSQLite
internal import Testing

@testable internal import LoginServer

/// The store that the configuration names, and its keys.
@Suite struct ServiceStoreTests {
    /// Returns a configuration with a SQLite file.
    private static func configuration(_ store: String, _ further: [String: String] = [:]) throws
        -> ServiceConfiguration
    {
        let flags = ["store": store].merging(further) { $1 }
        return try ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"]).configuration(nil)
    }

    /// Calls the body with a directory for one test.
    private static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.path)
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `keys are created before the file of a new store, and named like keys once it has tables`() async throws
    {
        try await Self.withDirectory { directory in
            let configuration = try Self.configuration(directory + "/new/accounts.sqlite")
            let path = directory + "/new/accounts.keys"
            _ = try configuration.secrets(makesFile: false)
            #expect(!Self.exists(directory + "/new"))
            #expect(try configuration.isNewFile)
            _ = try configuration.secrets(makesFile: true)
            let keys = try String(contentsOfFile: path + ".new", encoding: .utf8)
            #expect(!Self.exists(configuration.store) && !Self.exists(path))
            // A start that was interrupted here continues with these keys, with an empty file of SQLite too.
            #expect(FileManager.default.createFile(atPath: configuration.store, contents: nil))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration.store)
            _ = try configuration.secrets(makesFile: true)
            #expect(try configuration.isNewFile)
            let store = try await configuration.openStore()
            await store.shutdown()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == keys && !Self.exists(path + ".new"))
            _ = try configuration.secrets(makesFile: true)
            #expect(try !configuration.isNewFile)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == keys)
        }
    }

    @Test func `of two first starts at once, both use the same keys and the same store`() async throws {
        try await Self.withDirectory { directory in
            let configuration = try Self.configuration(directory + "/accounts.sqlite")
            let path = directory + "/accounts.keys"
            _ = try configuration.secrets(makesFile: true)
            let keys = try String(contentsOfFile: path + ".new", encoding: .utf8)
            async let first = configuration.openStore()
            async let second = configuration.openStore()
            for store in try await [first, second] { await store.shutdown() }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == keys && !Self.exists(path + ".new"))
            // A start that had not seen the keys yet.
            try SecretFile.makeKeys(at: path + ".new") { [UInt8](repeating: 1, count: $0) }
            let store = try await configuration.openStore()
            await store.shutdown()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == keys && !Self.exists(path + ".new"))
        }
    }

    /// Checks that a start and its trial are refused because the store was lost, and create nothing.
    private static func expectLost(_ configuration: ServiceConfiguration, _ words: String) async throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: directory(of: configuration)).sorted()
        let refused: [() async throws -> Void] = [
            { _ = try await configuration.openStore() }, { _ = try await configuration.trialStore() },
            { _ = try configuration.isNewFile }, { _ = try configuration.secrets(makesFile: true) },
        ]
        for start in refused {
            let failure = await #expect(throws: OperationFailure.self) { try await start() }
            #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
            #expect(failure?.description.contains("Restore the accounts from a backup") == true)
            #expect(failure?.description.contains("accounts migrate --store") == true)
        }
        let after = try FileManager.default.contentsOfDirectory(atPath: directory(of: configuration)).sorted()
        #expect(after == before)
    }

    private static func directory(of configuration: ServiceConfiguration) -> String {
        URL(filePath: configuration.store).deletingLastPathComponent().path
    }

    @Test func `a store that was lost is not replaced by a new one: missing beside its keys, or empty`() async throws {
        try await Self.withDirectory { directory in
            let configuration = try Self.configuration(directory + "/accounts.sqlite")
            _ = try configuration.secrets(makesFile: true)
            let store = try await configuration.openStore()
            await store.shutdown()
            let file = URL(filePath: configuration.store)
            let content = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            try await Self.expectLost(configuration, "does not exist, although its keys do")
            #expect(FileManager.default.createFile(atPath: file.path, contents: Data()))
            try await Self.expectLost(configuration, "is empty")
            // Named keys do not tell whether a store existed, but an empty file is never one.
            let named = try Self.configuration(file.path, ["secrets-file": directory + "/accounts.keys"])
            try await Self.expectLost(named, "is empty")
            try FileManager.default.removeItem(at: file)
            #expect(try named.isNewFile)
            try content.write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let restored = try await configuration.openStore()
            await restored.shutdown()
        }
    }

    @Test func `a file without our tables is refused until accounts are migrated into it`() async throws {
        try await Self.withDirectory { directory in
            let configuration = try Self.configuration(directory + "/accounts.sqlite")
            let other = try SQLiteAccountStore(path: configuration.store)
            _ = try await other.withTransaction { try $0.execute("CREATE TABLE note (id TEXT PRIMARY KEY)", []) }
            await other.shutdown()
            let failure = await #expect(throws: OperationFailure.self) { _ = try await configuration.openStore() }
            #expect(failure?.description.contains("has no tables of accounts") == true)
            let migrated = try SQLiteAccountStore(path: configuration.store)
            try await migrated.migrate()
            await migrated.shutdown()
            let store = try await configuration.openStore()
            try await store.check()
            await store.shutdown()
        }
    }

    @Test func `the service is ready while its file is in place, and refuses writes but not reads otherwise`()
        async throws
    {
        try await Self.withDirectory { directory in
            let configuration = try Self.configuration(
                directory + "/accounts.sqlite",
                ["keys-directory": directory + "/keys"]
            )
            let parts = try await ServiceParts(
                configuration,
                version: "1",
                metrics: PrometheusMetrics(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                logLevel: LogLevel(.info)
            )
            let routes = LoginRoutes(parts.login.apiRoutes())
            func expect(_ status: HTTPResponse.Status) async throws {
                let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/readyz")
                let request = ServerRequest(head, from: .unixSocket, logger: parts.logger)
                #expect(try await routes.respond(to: request)?.status == status)
            }
            try await expect(.ok)
            let away = directory + "/away"
            try FileManager.default.moveItem(atPath: configuration.store, toPath: away)
            try await expect(.serviceUnavailable)
            let error = await #expect(throws: StoreError.self) { try await parts.store.transaction { _ in } }
            #expect(error?.code == .unavailable)
            try await parts.store.read { _ in }
            try FileManager.default.moveItem(atPath: away, toPath: configuration.store)
            try await expect(.ok)
            try await parts.store.transaction { rows in
                let rows = try #require(rows as? any SQLStoreTransaction)
                try rows.execute("DELETE FROM login_migration WHERE name = '0004-dpop'", [])
            }
            try await expect(.serviceUnavailable)
            await parts.store.shutdown()
        }
    }

    @Test func `keys are not created beside an existing store or at a configured path`() async throws {
        try await Self.withDirectory { directory in
            let path = directory + "/accounts.sqlite"
            let named = directory + "/mistyped.keys"
            for makesFile in [true, false] {
                let fault = #expect(throws: ConfigurationFault.self) {
                    _ = try Self.configuration(path, ["secrets-file": named]).secrets(makesFile: makesFile)
                }
                #expect(fault?.description.hasPrefix("secrets-file: \"\(named)\" does not exist") == true)
                #expect(fault?.description.contains("openssl rand -hex 32") == true)
            }
            let store = try await Self.configuration(path).openStore()
            await store.shutdown()
            for makesFile in [true, false] {
                let fault = #expect(throws: ConfigurationFault.self) {
                    _ = try Self.configuration(path).secrets(makesFile: makesFile)
                }
                #expect(
                    fault?.description.hasPrefix("secrets-file: \"\(directory)/accounts.keys\" does not exist") == true
                )
            }
            #expect(!Self.exists(named) && !Self.exists(directory + "/accounts.keys"))
            let keys = Data((String(repeating: "01", count: 32) + "\n").utf8)
            #expect(
                FileManager.default.createFile(
                    atPath: named,
                    contents: keys,
                    attributes: [.posixPermissions: 0o600]
                )
            )
            _ = try Self.configuration(path, ["secrets-file": named]).secrets(makesFile: false)
        }
    }

    @Test func `an invalid store is refused before anything is created, and an unavailable store when it is opened`()
        async throws
    {
        try await Self.withDirectory { directory in
            for (path, words) in [
                ("/dev/null/a/accounts.sqlite", "store: /dev/null is not a directory"),
                (directory, "store: \(directory) is a directory"), ("mysql://x/y", "store: "),
            ] {
                let configuration = try Self.configuration(path)
                for isTrial in [true, false] {
                    let fault = await #expect(throws: ConfigurationFault.self) {
                        _ = try await isTrial ? configuration.trialStore() : configuration.openStore()
                    }
                    #expect(fault?.description.hasPrefix(words) == true, "\(fault?.description ?? "none")")
                }
            }
            let path = directory + "/accounts.sqlite"
            await #expect(throws: ConfigurationFault.self) {
                _ = try await Self.configuration(path, ["store-connections": "4"]).trialStore()
            }
            _ = try await Self.configuration(path).trialStore()
            #expect(!Self.exists(path))
            #expect(
                FileManager.default.createFile(
                    atPath: path,
                    contents: Data("not a database".utf8),
                    attributes: [.posixPermissions: 0o644]
                )
            )
            let fault = await #expect(throws: StoreError.self) { _ = try await Self.configuration(path).openStore() }
            #expect(fault?.code == .unavailable)
        }
    }
}
#endif
