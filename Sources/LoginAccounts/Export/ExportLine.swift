// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// The lines of an export.
enum ExportLine {
    static let format = "limited-login accounts"
    static let version = 1

    /// The format and its version, and the names of the migrations of the tables.
    static var head: [UInt8] {
        object {
            $0.add("format", format)
            $0.add("version", json: String(version).utf8)
            $0.add(name: "migrations")
            $0.addArray { for step in StoreMigration.all { $0.add(step.name) } }
        }
    }

    static func begin(_ table: StoreTable) -> [UInt8] {
        object {
            $0.add("table", table.name)
            $0.add(name: "columns")
            $0.addArray { for column in table.columns { $0.add(column.name) } }
        }
    }

    static func row(_ row: StoreRow, of table: StoreTable) -> [UInt8] {
        var json = JSONWriter()
        json.addArray {
            for column in table.columns {
                switch row[column] {
                case .null: $0.add(json: "null".utf8)
                case .integer(let integer): $0.add(json: String(integer).utf8)
                case .text(let text): $0.add(text)
                case .bytes(let bytes): $0.add(Base64URL.encode(bytes))
                }
            }
        }
        return json.bytes + [UInt8(ascii: "\n")]
    }

    static func end(of table: StoreTable, rows: Int, digest: [UInt8]) -> [UInt8] {
        object {
            $0.add("end", table.name)
            $0.add("rows", json: String(rows).utf8)
            $0.add("sha256", hexadecimal(digest))
        }
    }

    static var tail: [UInt8] { object { $0.add("end", format) } }

    private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object(members) + [UInt8(ascii: "\n")]
    }
}

/// The checksum of a table's lines: a hash chain over the lines, so that only one hash is held.
struct ExportDigest {
    private(set) var bytes = [UInt8](repeating: 0, count: 32)

    mutating func add(_ line: [UInt8]) {
        bytes = Digest.sha256.hash(bytes + line)
    }
}
