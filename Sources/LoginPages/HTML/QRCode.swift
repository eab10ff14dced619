// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A QR code (ISO/IEC 18004:2015) of a text, in byte mode with error correction level M.
///
/// It is generated here, so that no image service and no cache of images gets the secret in it.
struct QRCode: Sendable {
    /// The number of modules of a side: 17 + 4 × version.
    let size: Int

    /// The modules, row by row; true is dark.
    var modules: [Bool]

    /// The function patterns, and the format and version information: the modules without data.
    private(set) var isFunction: [Bool]

    private let version: Int

    /// The largest version that is generated: 666 bytes, which phones can still read from a screen.
    private static let longestVersion = 20

    /// The number of error correction codewords of each block, by version (table 9, level M).
    private static let correctionBytes = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]

    /// The number of blocks, by version (table 9, level M).
    private static let blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

    /// Creates the QR code of a text; nil if the text is too long.
    ///
    /// - Parameters:
    ///   - text: The text, at most 666 bytes.
    ///   - mask: The mask, 0 ... 7; nil for the one with the lowest penalty.
    init?(_ text: String, mask: Int? = nil) {
        let bytes = Array(text.utf8)
        guard
            let version = (1...Self.longestVersion).first(where: { version in
                12 + (version < 10 ? 0 : 8) + 8 * bytes.count <= 8 * Self.dataByteCount(version)
            })
        else { return nil }
        self.version = version
        size = 17 + 4 * version
        modules = Array(repeating: false, count: size * size)
        isFunction = modules
        drawFunctionPatterns()
        place(Self.interleaved(Self.data(bytes, version), version))
        if let mask {
            apply(mask: mask)
            drawFormat(mask: mask)
        } else {
            chooseMask()
        }
    }

    /// Returns whether a module is dark.
    ///
    /// The coordinates must be inside the symbol.
    subscript(x: Int, y: Int) -> Bool { modules[y * size + x] }

    private mutating func setFunction(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        modules[y * size + x] = isDark
        isFunction[y * size + x] = true
    }
}

/// The codewords.
extension QRCode {
    /// Returns the number of modules for data and error correction in a version.
    private static func moduleCount(_ version: Int) -> Int {
        var count = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            count -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { count -= 36 }
        }
        return count
    }

    private static func dataByteCount(_ version: Int) -> Int {
        moduleCount(version) / 8 - correctionBytes[version - 1] * blockCounts[version - 1]
    }

    /// Returns the data codewords: mode, length, bytes, terminator and padding (§7.4).
    private static func data(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version < 10 ? 8 : 16)
        for byte in bytes { append(Int(byte), 8) }
        let capacity = 8 * dataByteCount(version)
        append(0, min(4, capacity - bits.count))
        append(0, -bits.count & 7)
        var result = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0 as UInt8) { $0 << 1 | ($1 ? 1 : 0) }
        }
        var filler: UInt8 = 0xEC
        while result.count < capacity / 8 {
            result.append(filler)
            filler ^= 0xEC ^ 0x11
        }
        return result
    }

    /// Divides the data into blocks, adds error correction to each, and interleaves them (§7.6).
    private static func interleaved(_ data: [UInt8], _ version: Int) -> [UInt8] {
        let (blockCount, correctionCount) = (blockCounts[version - 1], correctionBytes[version - 1])
        let short = data.count / blockCount
        let longCount = data.count % blockCount
        let divisor = generator(correctionCount)
        var blocks: [[UInt8]] = []
        var start = 0
        for index in 0..<blockCount {
            let end = start + short + (index < blockCount - longCount ? 0 : 1)
            blocks.append(Array(data[start..<end]))
            start = end
        }
        let corrections = blocks.map { remainder(of: $0, by: divisor) }
        var result: [UInt8] = []
        for index in 0...short { for block in blocks where index < block.count { result.append(block[index]) } }
        for index in 0..<correctionCount { for correction in corrections { result.append(correction[index]) } }
        return result
    }

    /// Returns the product of two elements of GF(2⁸) with the polynomial 0x11D.
    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carry = result >> 7
            result = result << 1 ^ carry &* 0x1D
            if second >> UInt8(bit) & 1 == 1 { result ^= first }
        }
        return result
    }

    /// Returns the polynomial with the roots 2⁰, 2¹ and so on, without its first coefficient, which is 1.
    private static func generator(_ degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = product(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    private static func remainder(of data: [UInt8], by divisor: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= product(divisor[index], factor) }
        }
        return result
    }
}

/// The symbol.
extension QRCode {
    private mutating func drawFunctionPatterns() {
        for index in 0..<size {
            setFunction(6, index, index % 2 == 0)
            setFunction(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        let positions = alignmentPositions
        let last = positions.count - 1
        for (row, y) in positions.enumerated() {
            for (column, x) in positions.enumerated() {
                let isFinder = (row, column) == (0, 0) || (row, column) == (0, last) || (row, column) == (last, 0)
                if !isFinder { drawAlignment(x, y) }
            }
        }
        // Drawn again once the mask is chosen. Here it reserves the modules.
        drawFormat(mask: 0)
        drawVersion()
    }

    private mutating func drawFinder(_ x: Int, _ y: Int) {
        for dy in -4...4 {
            for dx in -4...4 {
                let distance = max(abs(dx), abs(dy))
                setFunction(x + dx, y + dy, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ x: Int, _ y: Int) {
        for dy in -2...2 { for dx in -2...2 { setFunction(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) } }
    }

    /// The coordinates of the centres of alignment patterns, in both directions (annex E).
    private var alignmentPositions: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }

    /// Draws the format information twice: level and mask, with 10 bits of error correction (§7.9).
    mutating func drawFormat(mask: Int) {
        // Level M is 00.
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { setFunction(8, index, bit(index)) }
        setFunction(8, 7, bit(6))
        setFunction(8, 8, bit(7))
        setFunction(7, 8, bit(8))
        for index in 9..<15 { setFunction(14 - index, 8, bit(index)) }
        for index in 0..<8 { setFunction(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { setFunction(8, size - 15 + index, bit(index)) }
        setFunction(8, size - 8, true)
    }

    /// Draws the version information twice, with 12 bits of error correction, from version 7 (§7.10).
    private mutating func drawVersion() {
        guard version >= 7 else { return }
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            let (far, near) = (size - 11 + index % 3, index / 3)
            setFunction(far, near, isDark)
            setFunction(near, far, isDark)
        }
    }

    /// Places the bits in pairs of columns from the right, alternating upwards and downwards (§7.7.3).
    private mutating func place(_ bytes: [UInt8]) {
        var index = 0
        var right = size - 1
        while right >= 1 {
            if right == 6 { right = 5 }
            let isUpwards = (right + 1) & 2 == 0
            for step in 0..<size {
                let y = isUpwards ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * size + x] && index < 8 * bytes.count {
                    modules[y * size + x] = bytes[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }
}
#endif
