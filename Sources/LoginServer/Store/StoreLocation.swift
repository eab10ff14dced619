// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
package import LoginAccounts
internal import LoginStorePostgreSQL
internal import LoginStoreSQLite

/// The location of a store of accounts: a SQLite file, or a database in PostgreSQL.
package struct StoreLocation: Sendable {
    /// A location that is wrong, or that this build does not support.
    package struct Fault: Error {
        /// The setting that is wrong.
        package enum Setting: Sendable { case store, schema }

        package let setting: Setting

        /// The reason, without the location: it may hold a password.
        package let reason: String
    }

    /// The path of the SQLite file, or the connection string of libpq after the prefix `postgresql:`.
    private let text: String

    /// The connection string of libpq; nil for a SQLite file.
    private let connection: String?

    private let schema: String

    /// The default schema in PostgreSQL.
    static let defaultSchema = "public"

    /// Reads a location.
    ///
    /// - Parameters:
    ///   - text: The path of a SQLite file, a `postgresql://` URL, or `postgresql:` and libpq's connection string.
    ///   - schema: The schema in PostgreSQL, 1 to 63 bytes; nil for the default.
    /// - Throws: ``Fault`` if it is neither, holds a password, or has a schema and is a file.
    package init(_ text: String, schema: String? = nil) throws(Fault) {
        self.text = text
        connection = Self.connection(text)
        self.schema = schema ?? Self.defaultSchema
        if let schema {
            guard connection != nil else { throw Fault(setting: .schema, reason: "schemas require PostgreSQL") }
            guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0) else {
                throw Fault(setting: .schema, reason: "the name must have 1 to 63 bytes")
            }
        }
        guard let connection else {
            guard !Self.isMistaken(text) else {
                throw Fault(
                    setting: .store,
                    reason: "use a file, or postgresql: and a connection string; prefix a file of such a name with ./"
                )
            }
            return
        }
        guard !Self.holdsPassword(connection) else {
            throw Fault(
                setting: .store,
                reason:
                    "remove the password, and store it in ~/.pgpass or PGPASSFILE; arguments are visible to other users"
            )
        }
    }

    /// Whether the store is a database in PostgreSQL.
    package var isDatabase: Bool { connection != nil }

    /// Whether the store is a SQLite file that does not exist.
    package var isMissingFile: Bool { !isDatabase && !FileManager.default.fileExists(atPath: text) }

    /// Whether the store is a SQLite file without content.
    package var isEmptyFile: Bool {
        let attributes = isDatabase ? nil : try? FileManager.default.attributesOfItem(atPath: text)
        return attributes?[.type] as? FileAttributeType == .typeRegular
            && (attributes?[.size] as? NSNumber)?.intValue == 0
    }

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - makesFile: Whether a missing file is created. A mistyped path would otherwise be a new, empty store.
    ///   - isWhole: Whether the whole store will be read: PostgreSQL then allows an hour for each table.
    ///   - connections: The maximum number of connections to PostgreSQL.
    /// - Returns: The store.
    /// - Throws: `StoreError`
    package func open(makesFile: Bool = false, isWhole: Bool = false, connections: Int = 2) throws(StoreError)
        -> any AccountStore
    {
        if let lack { throw StoreError(.unavailable, lack) }
        guard makesFile || !isMissingFile else {
            throw StoreError(.unavailable, "\(ShownArgument(text)) does not exist; \"accounts migrate\" creates it")
        }
        #if PostgreSQL
        if let connection {
            let hour = Duration.seconds(3600)
            return try PostgreSQLAccountStore(
                connection,
                schema: schema,
                connections: connections,
                timeouts: isWhole ? PostgreSQLTimeouts(statement: hour, idleTransaction: hour) : PostgreSQLTimeouts()
            )
        }
        #endif
        #if SQLite
        return try SQLiteAccountStore(path: text)
        #else
        throw StoreError(.unavailable, Self.lacksSQLite)
        #endif
    }

    /// The error message if this build does not support the store; nil if it does.
    package var lack: String? {
        #if !PostgreSQL
        if isDatabase {
            return "this verify-token was built without PostgreSQL; rebuild it with make install POSTGRESQL=1"
        }
        #endif
        #if !SQLite
        if !isDatabase { return Self.lacksSQLite }
        #endif
        return nil
    }

    #if !SQLite
    private static let lacksSQLite = "this verify-token was built without SQLite; rebuild it with make install"
    #endif

    /// Returns whether a path looks like a connection string or a URL without the prefix `postgresql:`.
    private static func isMistaken(_ text: String) -> Bool {
        guard !text.hasPrefix("/"), !text.hasPrefix("./") else { return false }
        return text.firstMatch(of: /\b(?:host|hostaddr|port|dbname|user|password|passfile|service)\s*=/) != nil
            || text.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/) != nil
    }

    private static func connection(_ text: String) -> String? {
        if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") { return text }
        return text.hasPrefix("postgresql:") ? String(text.dropFirst("postgresql:".count)) : nil
    }

    private static func holdsPassword(_ connection: String) -> Bool {
        // libpq accepts percent-encoded names, too.
        if (connection.removingPercentEncoding ?? connection).contains("password") { return true }
        guard let scheme = connection.range(of: "://") else { return false }
        let authority = connection[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}
