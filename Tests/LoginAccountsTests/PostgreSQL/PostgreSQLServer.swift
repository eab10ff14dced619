// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import Foundation
import LoginAccounts
import LoginStorePostgreSQL
import Synchronization
import Testing

/// The PostgreSQL server of the tests.
enum PostgreSQLServer {
    /// The connection string, set by `scripts/postgresql run`.
    static var connection: String? {
        ProcessInfo.processInfo.environment["LIMITED_LOGIN_POSTGRESQL"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Calls `body` with a store in an empty schema of its own, which is removed afterwards.
    ///
    /// Its connections have the application name `name`, by which the server lists them.
    @discardableResult
    static func withStore<Value>(
        on server: String? = connection,
        connections: Int = 4,
        timeouts: PostgreSQLTimeouts = .patient(),
        name: String = "limited-login-test",
        _ body: (PostgreSQLAccountStore) async throws -> Value
    ) async throws -> Value {
        let server = try #require(server)
        let schema = "test \(UUID().uuidString.lowercased().prefix(13))"
        let store = try PostgreSQLAccountStore(
            "\(server) application_name=\(name)",
            schema: schema,
            connections: connections,
            timeouts: timeouts
        )
        // A store refuses a schema that does not exist.
        let admin = try PostgreSQLAccountStore(server, connections: 1, timeouts: timeouts)
        let result: Result<Value, any Error>
        do {
            _ = try await admin.sql("CREATE SCHEMA \"\(schema)\"")
            result = .success(try await body(store))
        } catch {
            result = .failure(error)
        }
        await store.shutdown()
        _ = try? await admin.sql("DROP SCHEMA \"\(schema)\" CASCADE")
        await admin.shutdown()
        return try result.get()
    }
}

extension PostgreSQLTimeouts {
    /// Returns long timeouts: on a busy machine only the timeout under test may be short.
    ///
    /// The server detects deadlocks at once, without a timeout.
    static func patient(
        freeConnection: Duration = .seconds(600),
        lock: Duration = .seconds(600),
        statement: Duration = .seconds(600),
        idleTransaction: Duration = .seconds(600)
    ) -> Self {
        Self(
            freeConnection: freeConnection,
            connecting: .seconds(60),
            lock: lock,
            statement: statement,
            idleTransaction: idleTransaction
        )
    }
}

extension AccountStore {
    /// Runs one statement in a transaction of its own.
    @discardableResult
    func sql(_ statement: String, _ values: StoreValue...) async throws -> [StoreRow] {
        try await transaction { rows in try rows.sql(statement, values) }
    }

    /// Runs a statement in its own transaction, and returns its error.
    func fault(_ statement: String, _ values: StoreValue...) async throws -> StoreError {
        try await fault { rows in _ = try rows.sql(statement, values) }
    }

    /// Runs a transaction, and returns its error.
    func fault(_ body: @escaping @Sendable (any StoreTransaction) throws -> Void) async throws -> StoreError {
        do {
            try await transaction(body)
        } catch let error as StoreError {
            return error
        }
        throw NoFault()
    }
}

struct NoFault: Error {}

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    var now: Value { value.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) {
        value.withLock { body(&$0) }
    }
}

extension StoreTransaction {
    @discardableResult
    func sql(_ statement: String, _ values: [StoreValue] = []) throws -> [StoreRow] {
        let transaction = try #require(self as? any SQLStoreTransaction)
        return try transaction.execute(statement, values)
    }
}

extension [StoreRow] {
    /// Returns the integer in this column of the first row.
    func integer(_ column: String) -> Int64? {
        if case .integer(let value) = first?.values[column] { value } else { nil }
    }

    /// Returns the text in this column of the first row.
    func text(_ column: String) -> String? {
        if case .text(let value) = first?.values[column] { value } else { nil }
    }
}
#endif
