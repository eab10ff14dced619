// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation

/// A terminal without a screen: what a program writes to its end comes out on our side.
struct PseudoTerminal {
    /// The end that a program takes for its terminal.
    let end: FileHandle
    private let ourSide: FileHandle

    init() throws {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        guard unsafe openpty(&ours, &theirs, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
        ourSide = FileHandle(fileDescriptor: ours, closeOnDealloc: true)
        end = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        // Commands that other tests start meanwhile must not keep it open.
        for descriptor in [ours, theirs] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Everything that is written, until nobody has the other end open; with the line breaks that the program wrote, not
    /// those the terminal makes of them.
    func readToEnd() -> Data {
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        // On Linux the end is an error, for which FileHandle would give up what it has read before.
        while case let count = unsafe read(ourSide.fileDescriptor, &part, part.count), count > 0 {
            content += part.prefix(count)
        }
        return Data(String(decoding: content, as: UTF8.self).replacing("\r\n", with: "\n").utf8)
    }
}
#endif
