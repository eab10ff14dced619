// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The export of a store and its import into another, for example from SQLite to PostgreSQL when one machine is no
/// longer enough, or back.
///
/// ```swift
/// let lines = Mutex<[[UInt8]]>([])
/// try await AccountExport.write(old) { line in lines.withLock { $0.append(line) } }
/// try await AccountExport.read(into: new) { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
/// ```
///
/// Sessions stay valid, because the hashes of their tokens are exported; no user has to sign in again. The export is
/// therefore as secret as the store.
///
/// It is a file of JSON lines. The first contains the format and the names of the migrations. Then each table follows:
/// its name and columns, its rows as arrays of values (bytes in base64url), and the number of rows with a SHA-256 over
/// its lines. The last line marks the end. The same content always yields the same bytes.
public enum AccountExport {
    /// The maximum length of a line in bytes, including its line feed.
    ///
    /// Longer lines are neither written nor read; no row comes near it.
    public static let lineBytes = 4 * 1024 * 1024

    /// Exports all tables from one snapshot.
    ///
    /// One table at a time is held in memory. An in-memory store blocks writers meanwhile. SQLite and PostgreSQL do
    /// not, and later writes are not part of the export. To move a store, stop the servers first: otherwise later
    /// writes are lost.
    ///
    /// - Parameters:
    ///   - store: The store to export. It must have been migrated.
    ///   - sink: The receiver of the lines, each with its line feed. It is called while the store is read.
    /// - Returns: The number of exported rows, by table.
    /// - Throws: ``StoreError``; rethrows errors of `sink`.
    @discardableResult
    public static func write(
        _ store: any AccountStore,
        to sink: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws -> [String: Int] {
        try await store.read { rows in
            var counts: [String: Int] = [:]
            try sink(ExportLine.head)
            for table in StoreSchema.tables {
                var digest = ExportDigest()
                let begin = ExportLine.begin(table)
                digest.add(begin)
                try sink(begin)
                let found = try rows.select(from: table, where: [], order: table.exportOrder, limit: nil)
                for row in found {
                    let line = ExportLine.row(row, of: table)
                    guard line.count <= lineBytes else {
                        throw StoreError(.damaged, "a row of \(table.name) has more than \(lineBytes) bytes")
                    }
                    digest.add(line)
                    try sink(line)
                }
                try sink(ExportLine.end(of: table, rows: found.count, digest: digest.bytes))
                counts[table.name] = found.count
            }
            try sink(ExportLine.tail)
            return counts
        }
    }

    /// Imports into an empty store what ``write(_:to:)`` has exported, in one transaction: all of it, or nothing.
    ///
    /// - Parameters:
    ///   - store: The target. It must have been migrated by the same version, and be empty.
    ///   - isDryRun: Whether to check everything, including the constraints of the tables, and write nothing.
    ///   - source: The source of the export in pieces of any size; it returns nil at the end. It is called within the
    ///     transaction, on a thread that may block.
    /// - Returns: The number of imported rows, by table.
    /// - Throws: ``StoreError``: `damaged` if the export is truncated, modified, or of another format; `schema` if it
    ///   is of another version; `constraint` if the store is not empty, or the rows violate a constraint of the tables.
    ///   Rethrows errors of `source`.
    @discardableResult
    public static func read(
        into store: any AccountStore,
        isDryRun: Bool = false,
        from source: @escaping @Sendable () throws -> [UInt8]?
    ) async throws -> [String: Int] {
        do {
            return try await store.transaction { rows in
                for table in StoreSchema.tables {
                    guard try rows.select(from: table, where: [], order: nil, limit: 1).isEmpty else {
                        throw StoreError(.constraint, "the store is not empty: \(table.name) has rows")
                    }
                }
                var reader = ExportReader(source: source)
                let counts = try reader.readAll(into: rows)
                // References are checked when a transaction ends. A dry run is rolled back before that.
                if isDryRun {
                    try checkReferences(in: rows)
                    throw DryRun(counts: counts)
                }
                return counts
            }
        } catch let dryRun as DryRun {
            return dryRun.counts
        }
    }

    /// The error that rolls a dry run back.
    private struct DryRun: Error {
        let counts: [String: Int]
    }

    private static func checkReferences(in rows: any StoreTransaction) throws(StoreError) {
        for table in StoreSchema.tables where !table.references.isEmpty {
            let found = try rows.select(from: table, where: [], order: nil, limit: nil)
            for reference in table.references {
                let target = StoreSchema.table(reference.table)
                let present = try rows.select(from: target, where: [], order: nil, limit: nil)
                let keys = Set(present.map { row in reference.target.map { row[$0] } })
                for row in found {
                    let key = reference.columns.map { row[$0] }
                    guard key.contains(.null) || keys.contains(key) else {
                        throw StoreError(
                            .constraint,
                            "a row of \(table.name) refers to a missing row of \(reference.table)"
                        )
                    }
                }
            }
        }
    }
}

extension StoreTable {
    /// The order by the primary key, so that the same content is always exported alike.
    fileprivate var exportOrder: StoreOrder {
        precondition((1...2).contains(primaryKey.count), "a primary key must have one or two columns")
        return .ascending(primaryKey[0], then: primaryKey.count > 1 ? primaryKey[1] : nil)
    }
}
