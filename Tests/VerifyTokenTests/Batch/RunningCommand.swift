// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import Testing

/// A command that runs concurrently with the test, which writes to it, reads from it, and terminates it.
final class RunningCommand {
    private let process = Process()
    private let errorFile: URL
    private let standardInput = Pipe()
    private let standardOutput = Pipe()

    /// Its standard input; closing it ends the input.
    let input: FileHandle
    /// Its standard output.
    let output: FileHandle

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - errorFile: The file for standard error.
    ///   - blocks: Whether its standard input and output block, rather than fail with `EAGAIN`.
    /// - Throws: The system's error if the command cannot be started.
    init(_ arguments: [String], errorFile: URL, blocks: Bool = true) throws {
        self.errorFile = errorFile
        try Data().write(to: errorFile)
        input = standardInput.fileHandleForWriting
        output = standardOutput.fileHandleForReading
        if !blocks {
            for handle in [standardInput.fileHandleForReading, standardOutput.fileHandleForWriting] {
                _ = fcntl(handle.fileDescriptor, F_SETFL, O_NONBLOCK)
            }
        }
        // Commands that other tests start meanwhile must not inherit the pipes and keep them open.
        for handle in [input, output] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        process.executableURL = CommandLineRun.executable
        process.arguments = arguments
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Reads until it has printed this number of lines.
    func readLines(_ count: Int) throws -> String {
        var text: [UInt8] = []
        var missing = count
        while missing > 0, let byte = try output.read(upToCount: 1)?.first {
            text.append(byte)
            if byte == UInt8(ascii: "\n") { missing -= 1 }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the remaining output, and waits until it exits.
    func end() throws -> (status: Int32, output: String, errors: String) {
        let rest = (try? output.readToEnd()) ?? Data()
        process.waitUntilExit()
        let errors = try String(contentsOf: errorFile, encoding: .utf8)
        return (process.terminationStatus, String(decoding: rest, as: UTF8.self), errors)
    }

    /// The peak memory so far, in KiB; nil where the system does not report it.
    var peakKiB: Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    /// Waits until the command sleeps: its processor time does not change for a while.
    func waitUntilIdle() throws {
        let file = "/proc/\(process.processIdentifier)/stat"
        var (last, unchanged) = ("", 0)
        for _ in 0..<600 where unchanged < 5 {
            usleep(50_000)
            let fields = try String(contentsOfFile: file, encoding: .utf8).split(separator: " ")
            let now = fields[13...14].joined(separator: " ")
            unchanged = now == last && now != "0 0" ? unchanged + 1 : 0
            last = now
        }
    }
}
#endif
