// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation

/// A pseudo-terminal: the output of a program arrives at our side.
struct PseudoTerminal {
    /// The side that a program uses as its terminal.
    let end: FileHandle
    private let ourSide: FileHandle

    init() throws {
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        guard unsafe openpty(&ours, &theirs, nil, nil, nil) == 0 else { throw POSIXError(.ENXIO) }
        ourSide = FileHandle(fileDescriptor: ours, closeOnDealloc: true)
        end = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        // Commands that other tests start meanwhile must not inherit it and keep it open.
        for descriptor in [ours, theirs] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Reads the output until no process has the other side open, with the original line breaks instead of the
    /// terminal's.
    func readToEnd() -> Data {
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        // On Linux the end is reported as an error, on which FileHandle would discard what it has read.
        while case let count = unsafe read(ourSide.fileDescriptor, &part, part.count), count > 0 {
            content += part.prefix(count)
        }
        return Data(String(decoding: content, as: UTF8.self).replacing("\r\n", with: "\n").utf8)
    }
}
#endif
