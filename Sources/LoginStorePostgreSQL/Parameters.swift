// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts

/// The values of a statement, in the form of libpq.
@safe struct Parameters {
    /// The declared type of each value; 0 if the statement determines it, as for a literal.
    let types: [UInt32]

    private var buffer: [UInt8] = []
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// The maximum length of all values.
    ///
    /// It is far more than accounts need; the server's limit is 1 GiB for a message.
    private static let bytesMax = 64 << 20

    init(_ values: [StoreValue]) throws(StoreError) {
        types = values.map { value in
            switch value {
            case .integer: PostgreSQLType.int8
            case .bytes: PostgreSQLType.bytea
            case .text, .null: 0
            }
        }
        // The protocol has a 16-bit count.
        guard values.count <= Int(UInt16.max) else { throw StoreError(.constraint, "a statement has too many values") }
        for value in values { try add(value) }
    }

    private mutating func add(_ value: StoreValue) throws(StoreError) {
        var isBinary = false
        starts.append(buffer.count)
        switch value {
        case .null: starts[starts.count - 1] = nil
        case .integer(let integer): buffer += String(integer).utf8
        case .bytes(let bytes):
            buffer += bytes
            isBinary = true
        case .text(let text):
            // PostgreSQL does not support such texts, and C would truncate them without an error.
            guard !text.utf8.contains(0) else { throw StoreError(.constraint, "a text holds NUL") }
            buffer += text.utf8
        }
        let start = starts[starts.count - 1] ?? buffer.count
        guard buffer.count <= Self.bytesMax else {
            throw StoreError(.constraint, "the values of a statement are too long")
        }
        lengths.append(Int32(buffer.count - start))
        formats.append(isBinary ? 1 : 0)
        // The terminator of a C string.
        buffer.append(0)
    }

    /// Calls `body` with the pointers to the values, null for null; with their lengths; and with their formats.
    func withPointers<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        unsafe buffer.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers: [UnsafePointer<CChar>?] = unsafe starts.map { start in
                guard let start, let base = unsafe base else { return nil }
                return unsafe base + start
            }
            return unsafe body(pointers, lengths, formats)
        }
    }
}
#endif
