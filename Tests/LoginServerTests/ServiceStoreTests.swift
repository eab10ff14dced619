// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird && SQLite
internal import Foundation
internal import LoginAccounts
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

    @Test func `keys are created before the file of a new store, and reused by the next start`() async throws {
        try await Self.withDirectory { directory in
            let configuration = try Self.configuration(directory + "/new/accounts.sqlite")
            _ = try configuration.secrets(makesFile: false)
            #expect(!Self.exists(directory + "/new"))
            _ = try configuration.secrets(makesFile: true)
            let keys = try String(contentsOfFile: directory + "/new/accounts.keys", encoding: .utf8)
            #expect(!Self.exists(configuration.store))
            // A start that was interrupted here would continue with these keys.
            let store = try await configuration.openStore()
            await store.shutdown()
            _ = try configuration.secrets(makesFile: true)
            #expect(try String(contentsOfFile: directory + "/new/accounts.keys", encoding: .utf8) == keys)
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
                FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
            )
            let fault = await #expect(throws: StoreError.self) { _ = try await Self.configuration(path).openStore() }
            #expect(fault?.code == .unavailable)
        }
    }
}
#endif
