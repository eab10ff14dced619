// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginText
internal import LoginTokens

/// Lines of the input, as one worker takes them: each is a token, or what stands in the place of one.
struct LineBlock: Sendable {
    /// The number of its first line, counted from 1.
    let firstLine: Int

    /// The lines, one after the other, without their line breaks.
    fileprivate(set) var bytes: [UInt8] = []

    /// Where in the bytes each line ends.
    fileprivate(set) var ends: [Int] = []

    /// How much of the input has been read up to the end of the block, in bytes.
    fileprivate(set) var inputEnd = 0

    /// What stands in the lines, in order.
    var lines: some Sequence<ArraySlice<UInt8>> {
        zip([0] + ends, ends).lazy.map { bytes[$0..<$1] }
    }
}

/// Cuts what was read into lines, and gathers them into blocks.
///
/// It keeps no more than a block and one line, however long a line is: of one that is too long for a token only so much
/// is kept as it takes to see that.
struct LineCutter {
    /// Bytes of a block: 64 KiB, what a pipe holds, and some eighty tokens, so that handing it on costs nothing beside them.
    static let blockBytes = 64 * 1024

    /// Lines of a block: 512, so that the verdicts on short lines take no more room than the lines of long ones.
    static let blockLines = 512

    /// What is kept of a line: a token of the greatest length, a carriage return, and one byte that makes it too long.
    private static let lineBytes = Limits.tokenBytes + 2

    private var block = LineBlock(firstLine: 1)
    private var read = 0

    /// Where in the block the line begins whose end was not seen yet.
    private var lineStart: Int { block.ends.last ?? 0 }

    /// Cuts what was read.
    ///
    /// - Parameters:
    ///   - input: What follows on what was cut before.
    ///   - use: Receives each block, never an empty one: whole lines, with all that were ended by now.
    mutating func cut(_ input: ArraySlice<UInt8>, use: (LineBlock) -> Void) {
        var rest = input
        while let lineFeed = firstOffset(of: UInt8(ascii: "\n"), in: rest.span).map({ rest.startIndex + $0 }) {
            keep(rest[..<lineFeed])
            if block.bytes.count > lineStart, block.bytes.last == UInt8(ascii: "\r") { block.bytes.removeLast() }
            read += lineFeed - rest.startIndex + 1
            rest = rest[(lineFeed + 1)...]
            block.ends.append(block.bytes.count)
            if block.bytes.count >= Self.blockBytes || block.ends.count >= Self.blockLines { use(takeBlock()) }
        }
        keep(rest)
        read += rest.count
        if !block.ends.isEmpty { use(takeBlock()) }
    }

    /// What is left when the input ends: a line without a line break.
    ///
    /// - Returns: The last block; nil where the input ended with a line break, or was empty.
    mutating func end() -> LineBlock? {
        guard block.bytes.count > lineStart else { return nil }
        block.ends.append(block.bytes.count)
        return takeBlock()
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        block.bytes += part.prefix(Self.lineBytes - (block.bytes.count - lineStart))
    }

    /// The lines that have ended; the one that has not begins the next block.
    private mutating func takeBlock() -> LineBlock {
        var taken = block
        block = LineBlock(firstLine: taken.firstLine + taken.ends.count)
        block.bytes += taken.bytes[(taken.ends.last ?? 0)...]
        taken.bytes.removeSubrange((taken.ends.last ?? 0)...)
        taken.inputEnd = read
        return taken
    }
}
#endif
