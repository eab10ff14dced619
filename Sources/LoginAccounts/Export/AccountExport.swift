// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Carries everything that a store keeps to another store: from SQLite to PostgreSQL when one machine is no longer enough, or back.
///
/// ```swift
/// let lines = Mutex<[[UInt8]]>([])
/// try await AccountExport.write(old) { line in lines.withLock { $0.append(line) } }
/// try await AccountExport.read(into: new) { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
/// ```
///
/// Sessions survive, since their hashes are carried along: nobody has to sign in again. So the file is as secret as the store.
///
/// It is lines of JSON. The first says what it is and which steps of migration were taken; then comes each table: its name and columns,
/// its rows as arrays of values (bytes in base64url), and how many they were with a SHA-256 over its lines; the last says that this is
/// the end. One store gives the same bytes each time.
public enum AccountExport {
    /// The bytes of a line, its end included: what is longer is neither written nor read, and no row comes near it.
    public static let lineBytes = 4 * 1024 * 1024

    /// Writes all tables as they are at one moment.
    ///
    /// One table at a time is held in memory. Meanwhile nobody else writes to a store in memory; SQLite and PostgreSQL let others
    /// write, and what they write is not in it. Stop the servers before all the same where the store is to move: what comes later
    /// stays behind.
    ///
    /// - Parameters:
    ///   - store: What to write. It must have been migrated.
    ///   - sink: Takes one line after the other, each with its line feed. It is called while the store is read.
    /// - Returns: How many rows were written, by table.
    /// - Throws: ``StoreError``, or what `sink` throws.
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

    /// Writes into an empty store what ``write(_:to:)`` has written, in one transaction: all of it, or nothing.
    ///
    /// - Parameters:
    ///   - store: Where to. It must have been migrated by the same version, and hold nothing.
    ///   - isDryRun: Whether to check everything, the promises of the tables included, and write nothing.
    ///   - source: Gives one piece after the other, of any size, then nil. It is called within the transaction, on a thread that may wait.
    /// - Returns: How many rows were read, by table.
    /// - Throws: ``StoreError``: `damaged` if it is cut, changed, or nothing that this writes; `schema` if it is of another version;
    ///   `constraint` if the store holds something, or the rows break a promise of the tables; or what `source` throws.
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
                        throw StoreError(.constraint, "the store is not empty: \(table.name) holds rows")
                    }
                }
                var reader = ExportReader(source: source)
                let counts = try reader.readAll(into: rows)
                // References are looked at when a transaction ends; a dry run ends by being undone.
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

    /// What undoes a dry run.
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
                            "a row of \(table.name) refers to one of \(reference.table) that is not there"
                        )
                    }
                }
            }
        }
    }
}

extension StoreTable {
    /// By the primary key, so that one store is written the same each time.
    fileprivate var exportOrder: StoreOrder {
        precondition((1...2).contains(primaryKey.count), "a primary key has one column, or two")
        return .ascending(primaryKey[0], then: primaryKey.count > 1 ? primaryKey[1] : nil)
    }
}
