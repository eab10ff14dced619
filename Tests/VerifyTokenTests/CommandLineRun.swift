// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// One run of the built `verify-token`, as a user or a script would run it.
struct CommandLineRun {
    let status: Int32
    let outputBytes: Data
    let errors: String

    /// The standard output, as text.
    var output: String { String(decoding: outputBytes, as: UTF8.self) }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - input: A file for standard input; nil for an empty one.
    ///   - output: The file for standard output; nil to keep it in memory.
    ///   - program: Another program to run instead.
    ///   - environment: Further environment variables.
    /// - Throws: The system's error if the command cannot be started.
    init(
        _ arguments: [String],
        input: URL? = nil,
        output: URL? = nil,
        program: URL = executable,
        environment: [String: String] = [:]
    ) throws {
        let process = Self.process(arguments, program: program)
        process.environment?.merge(environment) { $1 }
        let (outputPipe, errorPipe) = (Pipe(), Pipe())
        process.standardOutput = outputPipe
        if let output { process.standardOutput = try FileHandle(forWritingTo: output) }
        process.standardError = errorPipe
        process.standardInput = try input.map(FileHandle.init(forReadingFrom:)) ?? FileHandle.nullDevice
        try process.run()
        if output != nil { try outputPipe.fileHandleForWriting.close() }
        // Both outputs are far below a pipe's 64 KiB, so reading one after the other cannot block the command.
        outputBytes = outputPipe.fileHandleForReading.readDataToEndOfFile()
        errors = String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// Runs the command with a terminal for its standard output.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - environment: Its whole environment.
    /// - Throws: The system's error if the command cannot be started.
    init(atTerminal arguments: [String], environment: [String: String]) throws {
        let terminal = try PseudoTerminal()
        let process = Self.process(arguments)
        process.environment = environment
        let errorPipe = Pipe()
        process.standardOutput = terminal.end
        process.standardError = errorPipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Reading ends only when no process has it open.
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
        // Files that the service keeps beside its store must not be written to the home directory of the user.
        let state = FileManager.default.temporaryDirectory.appending(path: "state-of-tests").path
        process.environment = ProcessInfo.processInfo.environment.merging(["STATE_DIRECTORY": state]) { $1 }
            .filter { !["https_proxy", "HTTPS_PROXY", "SSL_CERT_FILE"].contains($0.key) }
        return process
    }

    /// Returns the standard output as JSON.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: outputBytes) as? [String: Any])
    }

    /// Returns the code of a JSON report; nil for a verified token.
    func code() throws -> String? { try json()["code"] as? String }

    /// The command is in the directory of the test program.
    static let executable = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent()
        .appending(path: "verify-token")
}

/// A directory of files for one test, with an issuer of its tokens and keys.
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

    /// The options that fit the issuer's tokens, without the nonce.
    var options: [String] {
        [
            "--provider", "facebook", "--app-id", issuer.audience, "--keys", path("keys.json"),
            "--at", String(Int(issuer.clock.now.timeIntervalSince1970)),
        ]
    }

    /// Verifies a token in a file.
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
