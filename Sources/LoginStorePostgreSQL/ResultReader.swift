// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import CLoginPostgreSQL
internal import LoginAccounts

/// The types that are not read as text, by their constant OIDs (`pg_type.dat`).
enum PostgreSQLType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
}

/// A reader of the rows of a result in text format.
@safe struct ResultReader {
    private let result: OpaquePointer?
    private let names: [String]
    private let types: [UInt32]

    init(_ result: OpaquePointer?) {
        unsafe self.result = unsafe result
        let columns = unsafe 0..<PQnfields(result)
        names = columns.map { unsafe String(cString: PQfname(result, $0)) }
        types = columns.map { unsafe PQftype(result, $0) }
    }

    func rows() throws(StoreError) -> [StoreRow] {
        let count = unsafe PQntuples(result)
        var rows: [StoreRow] = []
        rows.reserveCapacity(Int(count))
        for row in 0..<count {
            var cells: [StoreValue] = []
            cells.reserveCapacity(types.count)
            for (index, type) in types.enumerated() { cells.append(try value(row, Int32(index), type)) }
            rows.append(StoreRow(names: names, cells: cells))
        }
        return rows
    }

    private func value(_ row: Int32, _ column: Int32, _ type: UInt32) throws(StoreError) -> StoreValue {
        guard unsafe PQgetisnull(result, row, column) == 0, let start = unsafe PQgetvalue(result, row, column) else {
            return .null
        }
        let length = unsafe Int(PQgetlength(result, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        switch type {
        case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2:
            guard let integer = unsafe Int64(String(decoding: bytes, as: UTF8.self)) else { throw unreadable(column) }
            return .integer(integer)
        case PostgreSQLType.bool:
            return unsafe .integer(bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case PostgreSQLType.bytea:
            guard let decoded = unsafe Self.decodeHex(bytes) else { throw unreadable(column) }
            return .bytes(decoded)
        default:
            guard let text = unsafe String(validating: bytes, as: UTF8.self) else { throw unreadable(column) }
            return .text(text)
        }
    }

    private func unreadable(_ column: Int32) -> StoreError {
        StoreError(.damaged, "the column \(names[Int(column)]) came in a form that cannot be read")
    }

    /// Decodes `\x00ff…`, the form of bytes with `bytea_output` = `hex`.
    private static func decodeHex(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count >= 2, text.count % 2 == 0, unsafe text[0] == UInt8(ascii: "\\"),
            unsafe text[1] == UInt8(ascii: "x")
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2 - 1)
        for index in stride(from: 2, to: text.count, by: 2) {
            guard let high = unsafe digit(text[index]), let low = unsafe digit(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
#endif
