// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginServer

/// A file descriptor of this process, with reads and writes that transfer as many bytes as are available.
///
/// `FileHandle` reads until it has everything, treats `EAGAIN` as a failure, and cannot be interrupted. This file
/// uses `unsafe` because the system calls take pointers.
struct Descriptor: Sendable {
    /// The result of a read or write.
    enum Attempt {
        /// The number of bytes transferred; 0 for a read at the end of the input.
        case bytes(Int)
        /// No bytes now: the descriptor is non-blocking (`O_NONBLOCK`).
        case notNow
        case failed(POSIXError)
    }

    let number: Int32

    static let standardInput = Descriptor(number: STDIN_FILENO)
    static let standardOutput = Descriptor(number: STDOUT_FILENO)
    static let standardError = Descriptor(number: STDERR_FILENO)

    var isTerminal: Bool { isatty(number) == 1 }

    /// Whether the descriptor was open when the process started.
    ///
    /// The runtime may open an object of its own under the number of a closed descriptor. Such an object has no file
    /// type, and writing to it would block forever.
    var isOpen: Bool {
        var status = stat()
        return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT != 0
    }

    /// Whether only the owner has access; a pipe has no other readers than those that it was passed to.
    var isPrivate: Bool {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & 0o077 == 0
    }

    /// The number of bytes from the current position to the end; nil if this is not a regular file.
    var remainingBytes: Int? {
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let position = lseek(number, 0, SEEK_CUR)
        return position < 0 ? nil : max(0, Int(status.st_size) - Int(position))
    }

    /// Creates a file that only its owner can access (mode 0600).
    ///
    /// An existing file or symbolic link of this name is an error.
    static func makePrivateFile(_ path: String) throws(FileProblem) -> FileHandle {
        let number = unsafe Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else {
            throw FileProblem("cannot create", path, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        return FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    /// Reads the bytes that are available, up to the size of the buffer.
    func read(into buffer: inout [UInt8]) -> Attempt {
        attempt { unsafe Foundation.read(number, &buffer, buffer.count) }
    }

    /// Writes as many bytes as the descriptor accepts.
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

    /// Waits until a read or write would not block: there are bytes, the end of the input, or a failure.
    ///
    /// - Parameters:
    ///   - event: `POLLIN` or `POLLOUT`.
    ///   - stop: The switch that ends the wait; nil for none.
    /// - Returns: Whether to read or write now; false if the switch was turned.
    func wait(for event: Int32, unless stop: StopSwitch?) -> Bool {
        var entries = [pollfd(fd: number, events: Int16(event), revents: 0)]
        if let stop { entries.append(pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0)) }
        while unsafe poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
        return entries.count == 1 || entries[1].revents == 0
    }
}

/// A switch that ends all waits for descriptors once it is turned.
///
/// It is a pipe that carries no bytes. Closing the write end makes the read end permanently ready.
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

/// The handling of signals.
enum Signals {
    /// Ignores `SIGPIPE`, so that a write to a broken pipe fails with `EPIPE` instead of ending the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls the handler for a signal, instead of the default action, until the source is released.
    ///
    /// - Returns: The source; nil if the signal was ignored when the process started, as a shell does with `SIGINT`
    ///   for background jobs.
    static func watch(_ number: Int32, _ handler: @escaping @Sendable () -> Void) -> (any DispatchSourceSignal)? {
        guard !isIgnored(number) else { return nil }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
        source.setEventHandler(handler: handler)
        #if canImport(Darwin)
        // On Darwin, the source observes the signal but does not suppress its default action.
        signal(number, SIG_IGN)
        #endif
        // Until the source is registered, a signal would have its default action.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { isRegistered.signal() }
        source.resume()
        isRegistered.wait()
        return source
    }

    /// Cancels the source, and restores the signal's default action.
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
