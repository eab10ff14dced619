// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// One run of the built `verify-token`, as a person or a script would run it.
struct CommandLineRun {
    let status: Int32
    let outputBytes: Data
    let errors: String

    /// What the command printed, as text.
    var output: String { String(decoding: outputBytes, as: UTF8.self) }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - input: A file for standard input; nil for an empty one.
    ///   - output: Where standard output goes; nil to keep it.
    ///   - program: Another program to run in its place.
    /// - Throws: What the system says if the command cannot be started.
    init(
        _ arguments: [String],
        input: URL? = nil,
        output: URL? = nil,
        program: URL = executable
    ) throws {
        let process = Self.process(arguments, program: program)
        let (outputPipe, errorPipe) = (Pipe(), Pipe())
        process.standardOutput = outputPipe
        if let output { process.standardOutput = try FileHandle(forWritingTo: output) }
        process.standardError = errorPipe
        process.standardInput = try input.map(FileHandle.init(forReadingFrom:)) ?? FileHandle.nullDevice
        try process.run()
        if output != nil { try outputPipe.fileHandleForWriting.close() }
        // What the command prints to either is far below a pipe's 64 KiB, so reading one after the other cannot block it.
        outputBytes = outputPipe.fileHandleForReading.readDataToEndOfFile()
        errors = String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// Runs the command with a terminal for its standard output.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - environment: What it finds in its environment, and nothing else.
    /// - Throws: What the system says if the command cannot be started.
    init(atTerminal arguments: [String], environment: [String: String]) throws {
        let terminal = try PseudoTerminal()
        let process = Self.process(arguments)
        process.environment = environment
        let errorPipe = Pipe()
        process.standardOutput = terminal.end
        process.standardError = errorPipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Only when nobody has it open any more does reading end.
        try terminal.end.close()
        outputBytes = terminal.readToEnd()
        errors = String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    private static func process(_ arguments: [String], program: URL = executable) -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        // What the service keeps beside its store is not to be in the home of whoever runs the tests.
        let state = FileManager.default.temporaryDirectory.appending(path: "state-of-tests").path
        process.environment = ProcessInfo.processInfo.environment.merging(["STATE_DIRECTORY": state]) { $1 }
        return process
    }

    /// What the command printed, as JSON.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: outputBytes) as? [String: Any])
    }

    /// The code of a report in JSON; nil for what was verified.
    func code() throws -> String? { try json()["code"] as? String }

    /// The command stands beside the test program.
    static let executable = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent()
        .appending(path: "verify-token")
}

/// A folder of files for one test, with an issuer whose tokens and keys they are.
struct Workspace: ~Copyable {
    let folder: URL
    let issuer: TestIssuer

    init(issuer: TestIssuer = .facebook(appID: "1234567890")) throws {
        self.issuer = issuer
        folder = FileManager.default.temporaryDirectory.appending(path: "verify-token-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(issuer.keySet.text, "keys.json")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @discardableResult
    func write(_ text: String, _ name: String) throws -> URL {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file
    }

    func path(_ name: String) -> String { folder.appending(path: name).path() }

    /// The options that suit the issuer's tokens, the nonce aside.
    var options: [String] {
        [
            "--provider", "facebook", "--app-id", issuer.audience, "--keys", path("keys.json"),
            "--at", String(Int(issuer.clock.now.timeIntervalSince1970)),
        ]
    }

    /// Verifies a token that stands in a file.
    func verify(
        _ token: String,
        nonce: [String] = ["--nonce", "n-1"],
        _ further: String...
    ) throws -> CommandLineRun {
        let file = try write(token + "\n", "token.jwt")
        return try CommandLineRun(["verify", file.path()] + options + nonce + further)
    }
}
#endif
