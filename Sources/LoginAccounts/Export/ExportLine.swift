// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// The lines of an export.
enum ExportLine {
    static let format = "limited-login accounts"
    static let version = 1

    /// What it is, and for which tables.
    static var head: [UInt8] {
        let steps = StoreMigration.all.map { quoted($0.name) }.joined(separator: ",")
        return line("{\"format\":\(quoted(format)),\"version\":\(version),\"migrations\":[\(steps)]}")
    }

    static func begin(_ table: StoreTable) -> [UInt8] {
        let columns = table.columns.map { quoted($0.name) }.joined(separator: ",")
        return line("{\"table\":\(quoted(table.name)),\"columns\":[\(columns)]}")
    }

    static func row(_ row: StoreRow, of table: StoreTable) -> [UInt8] {
        let values = table.columns.map { column in
            switch row[column] {
            case .null: "null"
            case .integer(let integer): String(integer)
            case .text(let text): quoted(text)
            case .bytes(let bytes): "\"\(Base64URL.encode(bytes))\""
            }
        }
        return line("[\(values.joined(separator: ","))]")
    }

    static func end(of table: StoreTable, rows: Int, digest: [UInt8]) -> [UInt8] {
        line("{\"end\":\(quoted(table.name)),\"rows\":\(rows),\"sha256\":\"\(hexadecimal(digest))\"}")
    }

    static var tail: [UInt8] { line("{\"end\":\(quoted(format))}") }

    private static func line(_ text: String) -> [UInt8] { Array(text.utf8) + [UInt8(ascii: "\n")] }

    /// A string of JSON (RFC 8259 §7), escaped where that must be.
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        bytes.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += Array("\\u00".utf8) + Array(hexadecimal([byte]).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The checksum of a table's lines: the hash of the one before and the line, over and over, so that no more is held than a hash.
struct ExportDigest {
    private(set) var bytes = [UInt8](repeating: 0, count: 32)

    mutating func add(_ line: [UInt8]) {
        bytes = Digest.sha256.hash(bytes + line)
    }
}
