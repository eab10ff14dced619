// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation

/// A program that sends e-mail or codes to phones, one message per run, which it reads from standard input.
struct MessageCommand: Sendable {
    /// The configuration key of the program, which errors name.
    let key: ConfigurationKey

    /// The path of the program, followed by its arguments.
    let commandLine: [String]

    /// The maximum run time of the program.
    var deadline = Duration.seconds(30)

    /// Runs an empty program once, so that Foundation allocates its file descriptors early.
    ///
    /// Foundation ends the process if no file descriptor is left at that moment.
    static func prepare() {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", ":"]
        try? process.run()
    }

    /// Runs the program, and waits until it exits.
    ///
    /// - Parameter message: The message, which fits in the buffer of a pipe.
    /// - Throws: ``MessageFailure`` if the program cannot be started, fails, or runs too long.
    func send(_ message: String) async throws {
        guard let program = commandLine.first else { throw MessageFailure(description: "\(key.name) is empty") }
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = Array(commandLine.dropFirst())
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        do {
            try process.run()
        } catch {
            throw MessageFailure(description: "\(key.name) cannot be started")
        }
        // If the program exits before it has read the message, its status decides.
        try? input.fileHandleForWriting.write(contentsOf: Data(message.utf8))
        try? input.fileHandleForWriting.close()
        let status = await withTaskGroup(of: Int32?.self) { group in
            group.addTask { await ends.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        switch status {
        case 0?: return
        case let status?: throw MessageFailure(description: "\(key.name) exited with status \(status)")
        case nil where Task.isCancelled:
            // The program has the whole message, and may continue without the service.
            throw MessageFailure(description: "the service stopped before \(key.name) exited")
        case nil:
            // A hanging program may ignore SIGTERM. The ID of one that has just exited may belong to another process.
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            throw MessageFailure(description: "\(key.name) timed out")
        }
    }
}

/// The reason why a message was not sent, without its recipient and its content.
struct MessageFailure: Error, CustomStringConvertible {
    let description: String
}
#endif
