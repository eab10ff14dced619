// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A block of a text in PEM form (RFC 7468).
package struct PEMBlock: Sendable {
    /// The label, for example `PRIVATE KEY`.
    package let label: String
    /// The content; empty if it is not base64.
    package let bytes: [UInt8]

    /// Returns the complete blocks of a text.
    ///
    /// Text around them is ignored (RFC 7468 §2).
    package static func blocks(in text: some Collection<UInt8>) -> [Self] {
        var blocks: [Self] = []
        var open: (label: ArraySlice<UInt8>, base64: [UInt8])?
        for line in Array(text).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map({ trimmed($0) }) {
            if let label = label(of: line, after: "-----BEGIN ") {
                open = (label, [])
            } else if let block = open, label(of: line, after: "-----END ") == block.label {
                blocks.append(Self(label: block.label, base64: block.base64))
                open = nil
            } else {
                open?.base64 += line
            }
        }
        return blocks
    }

    private init(label: ArraySlice<UInt8>, base64: [UInt8]) {
        self.label = String(decoding: label, as: UTF8.self)
        bytes = Base64.decode(base64) ?? []
    }

    private static func label(of line: ArraySlice<UInt8>, after prefix: String) -> ArraySlice<UInt8>? {
        let (prefix, suffix) = (Array(prefix.utf8), Array("-----".utf8))
        guard line.count >= prefix.count + suffix.count, line.starts(with: prefix), line.suffix(5).elementsEqual(suffix)
        else { return nil }
        return line.dropFirst(prefix.count).dropLast(suffix.count)
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var line = line.drop(while: isBlank)
        while line.last.map(isBlank) == true { line.removeLast() }
        return line
    }
}
