// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// Writes an object of JSON (RFC 8259), member by member, in the order in which they are given.
///
/// For what is answered thousands of times a second; `JSONEncoder` takes longer for a verdict than the signature under it. Everything
/// else is answered with the encoder, which the tests compare this with.
struct JSONObjectWriter {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    /// Writes a text; nothing where there is none.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        add(name)
        write(value)
    }

    /// Writes a value that is JSON already, as it is; nothing where there is none.
    mutating func add(_ name: String, json: some Collection<UInt8>) {
        guard !json.isEmpty else { return }
        add(name)
        text += json
    }

    /// The whole object.
    consuming func finish() -> [UInt8] {
        text.append(UInt8(ascii: "}"))
        return text
    }

    private mutating func add(_ name: String) {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        write(name)
        text.append(UInt8(ascii: ":"))
    }

    /// Quotation marks, backslashes and control characters are escaped, and nothing else has to be (RFC 8259 §7).
    private mutating func write(_ value: String) {
        text.append(UInt8(ascii: "\""))
        if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            text += value.utf8
        } else {
            for byte in value.utf8 { writeEscaped(byte) }
        }
        text.append(UInt8(ascii: "\""))
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            text += [UInt8(ascii: "\\"), byte]
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            text += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        default:
            text.append(byte)
        }
    }
}
#endif
