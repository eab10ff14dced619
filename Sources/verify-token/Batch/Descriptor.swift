// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer

/// What the system has open for this process: asked for as much as it has, which `FileHandle` does not do.
///
/// `FileHandle` waits until it has everything, takes "not now" for a failure, and cannot be called away. Beside
/// `LoginCrypto` and the resolver this is the place with `unsafe`: the system takes its buffers as pointers.
struct Descriptor: Sendable {
    /// What came of an attempt to read or write.
    enum Attempt {
        /// So many bytes; of reading, none is the end.
        case bytes(Int)
        /// Nothing now: whoever opened it wants nobody to wait in the call (`O_NONBLOCK`).
        case notNow
        case failed(POSIXError)
    }

    let number: Int32

    static let standardInput = Descriptor(number: STDIN_FILENO)
    static let standardOutput = Descriptor(number: STDOUT_FILENO)
    static let standardError = Descriptor(number: STDERR_FILENO)

    var isTerminal: Bool { isatty(number) == 1 }

    /// Whether whoever started the process opened it.
    ///
    /// In the place of what is closed the runtime opens something of its own, which is of no type of file; writing to it
    /// would wait for ever.
    var isOpen: Bool {
        var status = stat()
        return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT != 0
    }

    /// How much can be read from here to the end; nil for what is no regular file.
    var remainingBytes: Int? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let position = lseek(number, 0, SEEK_CUR)
        return position < 0 ? nil : max(0, Int(status.st_size) - Int(position))
    }

    /// Makes a file that is the user's alone, where there is none of this name: not even a link to somewhere else.
    static func makePrivateFile(_ path: String) throws(FileProblem) -> FileHandle {
        let number = unsafe Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw FileProblem("cannot make", path, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        return FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    /// Reads what there is, up to the size of the buffer.
    func read(into buffer: inout [UInt8]) -> Attempt {
        attempt { unsafe Foundation.read(number, &buffer, buffer.count) }
    }

    /// Writes as much as is taken.
    func write(_ bytes: ArraySlice<UInt8>) -> Attempt {
        attempt {
            unsafe bytes.withUnsafeBytes { unsafe Foundation.write(number, $0.baseAddress, $0.count) }
        }
    }

    private func attempt(_ call: () -> Int) -> Attempt {
        while true {
            let count = call()
            guard count < 0 else { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .notNow
            default: return .failed(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
            }
        }
    }

    /// Waits until reading or writing gives something at once: bytes, the end, or a failure.
    ///
    /// - Parameters:
    ///   - event: `POLLIN` or `POLLOUT`.
    ///   - stop: Turned, it ends the waiting; nil to wait on.
    /// - Returns: Whether it was worth it; false where the switch was turned.
    func wait(for event: Int32, unless stop: StopSwitch?) -> Bool {
        var entries = [pollfd(fd: number, events: Int16(event), revents: 0)]
        if let stop { entries.append(pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0)) }
        while unsafe poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
        return entries.count == 1 || entries[1].revents == 0
    }
}

/// Turned once, it calls away everybody who waits for a descriptor.
///
/// It is a pipe into which nobody writes: with one end closed, the other is ready for ever.
final class StopSwitch: Sendable {
    let readEnd: Int32
    private let pipe = Pipe()

    init() {
        readEnd = pipe.fileHandleForReading.fileDescriptor
    }

    func turn() {
        try? pipe.fileHandleForWriting.close()
    }
}

/// What the system tells this process unasked.
enum Signals {
    /// Has a write to a pipe that nobody reads fail, instead of ending the process in the middle of things.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Has a signal call the handler in the place of what it does by itself, until the source is let go of.
    ///
    /// - Returns: The source; nil where whoever started the process wants the signal ignored, as a shell does with SIGINT for
    ///   what it runs in the background.
    static func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) -> (any DispatchSourceSignal)? {
        guard !isIgnored(number) else { return nil }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
        source.setEventHandler(handler: handler)
        #if canImport(Darwin)
        // There the source sees the signal, but does not keep it from ending the process.
        signal(number, SIG_IGN)
        #endif
        // A signal that came before would end the process as if nobody watched.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.resume()
        isRegistered.wait()
        return source
    }

    /// Has a signal that was watched do again what it does by itself.
    static func release(_ source: any DispatchSourceSignal, of number: Int32) {
        source.cancel()
        signal(number, SIG_DFL)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        let handler = unsafe action.__sigaction_u.__sa_handler
        #else
        let handler = unsafe action.__sigaction_handler.sa_handler
        #endif
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
#endif
