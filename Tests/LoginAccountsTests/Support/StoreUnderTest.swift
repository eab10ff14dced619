// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import LoginStoreSQLite
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A kind of store in this build: `@Test(arguments: StoreUnderTest.all)` runs a test on each of them.
struct StoreUnderTest: Sendable, CustomTestStringConvertible {
    /// The name in the output of a run.
    let name: String

    private let makePlace: @Sendable () throws -> Opening

    /// Opens the store at a prepared place: each time as another object, as each server has its own.
    typealias Opening = @Sendable () throws -> any AccountStore

    init(_ name: String, place: @escaping @Sendable () throws -> Opening) {
        self.name = name
        makePlace = place
    }

    var testDescription: String { name }

    /// Returns an empty, migrated store for this test alone.
    ///
    /// Its contents are removed when it is released.
    func make() async throws -> any AccountStore {
        let store = try makePlace()()
        try await store.migrate()
        return store
    }

    /// Returns the same database twice, as two servers have it; in memory both are one object, since nothing else is
    /// possible.
    func pair() async throws -> StorePair {
        let open = try makePlace()
        let pair = StorePair(one: try open(), other: try open())
        try await pair.one.migrate()
        return pair
    }

    /// All stores of this build.
    static let all: [Self] = [inMemory] + sqlite + postgreSQL

    /// The stores in which others can read during a write.
    static let databases: [Self] = sqlite + postgreSQL

    static let inMemory = Self("memory") {
        let store = InMemoryAccountStore()
        return { store }
    }

    #if SQLite
    private static let sqlite = [
        Self("SQLite") {
            let directory = try TemporaryDirectory()
            return {
                PassingStore(try SQLiteAccountStore(path: directory.url.appendingPathComponent("accounts").path)) {
                    withExtendedLifetime(directory) {}
                }
            }
        }
    ]
    #else
    private static let sqlite: [Self] = []
    #endif
}

/// Two stores with one database.
struct StorePair: Sendable {
    let one: any AccountStore
    let other: any AccountStore
}

/// A temporary directory, removed when it is released.
private final class TemporaryDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("limited-login-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A store that forwards to another one, and cleans up when it is released.
final class PassingStore: AccountStore {
    let base: any AccountStore
    private let cleanUp: @Sendable () -> Void

    init(_ base: any AccountStore, cleanUp: @escaping @Sendable () -> Void) {
        self.base = base
        self.cleanUp = cleanUp
    }

    deinit { cleanUp() }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.transaction(body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.read(body)
    }

    func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.readOnce(body)
    }

    func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
}
