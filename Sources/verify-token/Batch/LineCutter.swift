// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginText
internal import LoginTokens

/// A block of input lines for one worker.
///
/// Each line should be a token.
struct LineBlock: Sendable {
    /// The number of the first line, counted from 1.
    let firstLine: Int

    /// The lines, concatenated without their line breaks.
    fileprivate(set) var bytes: [UInt8] = []

    /// The end offset of each line in ``bytes``.
    fileprivate(set) var ends: [Int] = []

    /// The number of bytes of input that were read when the block was complete.
    fileprivate(set) var inputEnd = 0

    /// The lines, in order.
    var lines: some Sequence<ArraySlice<UInt8>> {
        zip([0] + ends, ends).lazy.map { bytes[$0..<$1] }
    }
}

/// A splitter that cuts the input into lines and groups them into blocks.
///
/// It stores at most one block and one line. Of a line that is too long for a token, only as many bytes are stored as
/// show that it is too long.
struct LineCutter {
    /// The size of a block in bytes.
    ///
    /// Passing on a block wakes other threads, which costs as much as parsing several tokens. A block holds more than a
    /// hundred tokens, so this cost is negligible.
    static let blockBytes = 256 * 1024

    /// The maximum number of lines in a block.
    ///
    /// It keeps the verdicts on short lines from taking more memory than a block of long lines.
    static let blockLines = 512

    /// The number of bytes stored of a line: the maximum length of a token, a carriage return, and one byte that
    /// shows that the line is too long.
    private let lineBytes: Int

    private var block = LineBlock(firstLine: 1)
    private var read = 0

    /// The offset of the unfinished line in the block.
    private var lineStart: Int { block.ends.last ?? 0 }

    /// Creates a splitter at the beginning of the input.
    ///
    /// - Parameter tokenBytes: The maximum length of a token.
    init(tokenBytes: Int) {
        lineBytes = tokenBytes + 2
    }

    /// Cuts input into lines.
    ///
    /// - Parameters:
    ///   - input: The bytes that follow the previous input.
    ///   - use: A closure that receives each block of complete lines. No block is empty, and no complete line is held
    ///     back.
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

    /// Returns the last line, if it has no line break.
    ///
    /// - Returns: The last block; nil if the input ended with a line break, or was empty.
    mutating func end() -> LineBlock? {
        guard block.bytes.count > lineStart else { return nil }
        block.ends.append(block.bytes.count)
        return takeBlock()
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        block.bytes += part.prefix(lineBytes - (block.bytes.count - lineStart))
    }

    /// Returns the block of complete lines.
    ///
    /// The unfinished line begins the next block.
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
