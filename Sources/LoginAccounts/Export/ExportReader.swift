// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
internal import LoginTokens

/// A reader that validates an export line by line.
struct ExportReader {
    private let source: () throws -> [UInt8]?
    private var buffer: [UInt8] = []
    private var start = 0
    private var number = 0

    init(source: @escaping () throws -> [UInt8]?) {
        self.source = source
    }

    /// Reads all tables, and writes their rows.
    mutating func readAll(into rows: any StoreTransaction) throws -> [String: Int] {
        try readHead()
        var counts: [String: Int] = [:]
        for table in StoreSchema.tables { counts[table.name] = try read(table, into: rows) }
        guard try nextLine() == ExportLine.tail else { throw damaged("the end of the export is missing") }
        guard try nextLine() == nil else { throw damaged("unexpected data after the end") }
        return counts
    }

    private mutating func readHead() throws {
        let line = try nextLine()
        let head = try value(of: line)
        guard head["format"]?.isString(ExportLine.format) == true else {
            throw damaged("not an account export")
        }
        guard head["version"]?.integer == ExportLine.version else {
            throw StoreError(.schema, "the format version of the export is not \(ExportLine.version)")
        }
        let steps = head["migrations"]?.elements ?? []
        guard steps.count == StoreMigration.all.count,
            zip(steps, StoreMigration.all).allSatisfy({ $0.isString($1.name) })
        else {
            throw StoreError(
                .schema,
                "the export is from a store with other migrations: migrate that store, and export it again"
            )
        }
    }

    private mutating func read(_ table: StoreTable, into rows: any StoreTransaction) throws -> Int {
        let begin = ExportLine.begin(table)
        guard try nextLine() == begin else { throw damaged("expected the table \(table.name)") }
        var digest = ExportDigest()
        digest.add(begin)
        var count = 0
        while let line = try nextLine() {
            if line.first == UInt8(ascii: "{") {
                guard line == ExportLine.end(of: table, rows: count, digest: digest.bytes) else {
                    throw damaged("the checksum of the rows of \(table.name) does not match")
                }
                return count
            }
            let row = try row(line, of: table)
            guard try rows.insert(row, into: table) else { throw damaged("duplicate key in \(table.name)") }
            digest.add(line)
            count += 1
        }
        throw damaged("the export is truncated in \(table.name)")
    }

    private func row(_ line: [UInt8], of table: StoreTable) throws(StoreError) -> StoreRow {
        guard let values = try value(of: line).elements, values.count == table.columns.count else {
            throw damaged("a row of \(table.name) has unexpected columns")
        }
        var row = StoreRow()
        for (column, value) in zip(table.columns, values) {
            if value.kind == .null { continue }
            let stored: StoreValue? =
                switch column.kind {
                case .integer: value.integer.map { .integer(Int64($0)) }
                case .text: value.string.map { .text($0) }
                case .bytes: value.string.flatMap { Base64URL.decode($0.utf8) }.map { .bytes($0) }
                }
            guard let stored else { throw damaged("\(table.name).\(column.name) has a value of the wrong type") }
            if column.isTime, case .integer(let time) = stored, !StoreTime.range.contains(time) {
                throw damaged("\(table.name).\(column.name) has a time outside the years 1 to 9999")
            }
            row[column] = stored
        }
        return row
    }

    private func value(of line: [UInt8]?) throws(StoreError) -> JSONValue {
        guard let line else { throw damaged("the export is truncated") }
        let limits = JSONLimits(bytes: AccountExport.lineBytes, depth: 2, members: 1024)
        do throws(JSONError) {
            return try JSONDocument.read(line, limits: limits).root
        } catch {
            throw damaged(number == 1 ? "not an account export" : "not strict JSON: \(error)")
        }
    }

    /// Returns the next line with its line feed; nil at the end.
    private mutating func nextLine() throws -> [UInt8]? {
        number += 1
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                guard end - start < AccountExport.lineBytes else { throw damaged("the line is too long") }
                defer { start = end + 1 }
                return Array(buffer[start...end])
            }
            guard buffer.count - start < AccountExport.lineBytes else { throw damaged("the line is too long") }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            guard let piece = try source() else {
                guard buffer.isEmpty else { throw damaged("the export is truncated within a line") }
                return nil
            }
            buffer += piece
        }
    }

    private func damaged(_ detail: String) -> StoreError {
        StoreError(.damaged, "line \(number) of the export: \(detail)")
    }
}
