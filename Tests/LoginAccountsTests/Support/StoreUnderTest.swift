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

/// A kind of store that this build has: `@Test(arguments: StoreUnderTest.all)` runs a test on each of them.
struct StoreUnderTest: Sendable, CustomTestStringConvertible {
    /// How it is called in what a run prints.
    let name: String

    private let makePlace: @Sendable () throws -> Opening

    /// Opens a store at a place that was made for it: each time another object, as each server has one of its own.
    typealias Opening = @Sendable () throws -> any AccountStore

    init(_ name: String, place: @escaping @Sendable () throws -> Opening) {
        self.name = name
        makePlace = place
    }

    var testDescription: String { name }

    /// A store that is empty, migrated, and nobody else's.
    ///
    /// What it kept goes when it is let go of.
    func make() async throws -> any AccountStore {
        let store = try makePlace()()
        try await store.migrate()
        return store
    }

    /// The same database twice, as two servers have it; in memory it is one object, since there is no other way in.
    func pair() async throws -> StorePair {
        let open = try makePlace()
        let pair = StorePair(one: try open(), other: try open())
        try await pair.one.migrate()
        return pair
    }

    /// All that this build has.
    static let all: [Self] = [inMemory] + sqlite + postgreSQL

    /// Those in which others read while somebody writes.
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

/// A directory that goes when nobody holds it any longer.
private final class TemporaryDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("limited-login-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A store that is another one, and cleans up when nobody holds it any longer.
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

    func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
}
