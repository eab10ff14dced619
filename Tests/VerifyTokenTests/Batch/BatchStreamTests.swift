// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token batch` with slow and exiting programs at both ends, and with signals.
@Suite struct BatchStreamTests {
    private static let lineCount = 40_000
    /// Lines whose verdicts are more than a pipe holds.
    private static let manyLines = String(repeating: "x\n", count: lineCount)
    private static let allVerdicts = (1...lineCount).map { "\($0)\tsegments\n" }.joined()

    private func start(
        _ workspace: borrowing Workspace,
        _ file: String = "-",
        _ further: String...,
        blocks: Bool = true
    ) throws -> RunningCommand {
        try RunningCommand(
            ["batch", file, "--nonce", "n-1"] + workspace.options + further,
            errorFile: workspace.folder.appending(path: "errors"),
            blocks: blocks
        )
    }

    /// Whether the text consists of whole lines and is a prefix of the output.
    private func isBeginning(_ text: String) -> Bool {
        (text.isEmpty || text.hasSuffix("\n")) && Self.allVerdicts.hasPrefix(text)
    }

    @Test(arguments: [true, false])
    func `a verdict is written as soon as its line has ended, however slowly input arrives`(blocks: Bool) throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1")
        let command = try start(workspace, blocks: blocks)
        try command.input.write(contentsOf: Data("\(token)\n\(token.prefix(10))".utf8))
        #expect(try command.readLines(1) == "1\tverified\n")
        try command.input.write(contentsOf: Data("\(token.dropFirst(10))\nx".utf8))
        #expect(try command.readLines(1) == "2\tverified\n")
        try command.input.close()
        let end = try command.end()
        #expect(end.output == "3\tsegments\n" && end.status == 1)
    }

    @Test(arguments: [true, false])
    func `a slow reader gets every verdict`(blocks: Bool) throws {
        let workspace = try Workspace()
        let file = try workspace.write(Self.manyLines, "tokens.txt").path()
        let command = try start(workspace, file, blocks: blocks)
        let first = try command.readLines(3)
        try command.waitUntilIdle()
        let end = try command.end()
        #expect(first + end.output == Self.allVerdicts)
        #expect(end.status == 1)
    }

    @Test(.rule("T-185"), arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal during the work ends it after a complete line, and the totals match the output`(
        signal: Int32,
        status: Int32
    ) throws {
        let workspace = try Workspace()
        let file = try workspace.write(Self.manyLines, "tokens.txt").path()
        let command = try start(workspace, file)
        let first = try command.readLines(1)
        // Nothing reads the output now, so the command stops in the middle of it.
        try command.waitUntilIdle()
        command.send(signal)
        let end = try command.end()
        let output = first + end.output
        let lines = output.count { $0 == "\n" }
        #expect(end.status == status)
        #expect(lines < Self.lineCount && isBeginning(output))
        let name = signal == SIGINT ? "SIGINT" : "SIGTERM"
        let sums = "\(lines) lines: 0 verified, \(lines) refused, 0 undecided; STOPPED: \(name)"
        #expect(end.errors.hasPrefix("verify-token: \(sums)\n  \(lines) segments\n"), "\(end.errors)")
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal while waiting for input ends the command at once`(signal: Int32, status: Int32) throws {
        let workspace = try Workspace()
        let command = try start(workspace)
        try command.input.write(contentsOf: Data("x\ny".utf8))
        #expect(try command.readLines(1) == "1\tsegments\n")
        command.send(signal)
        let end = try command.end()
        #expect(end.status == status && end.output == "")
        #expect(end.errors.hasPrefix("verify-token: 1 line: 0 verified, 1 refused, 0 undecided; STOPPED: "))
    }

    @Test(.rule("T-185"))
    func `a closed output pipe ends the command with status 141 and a message`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(Self.manyLines, "tokens.txt").path()
        let command = try start(workspace, file)
        #expect(isBeginning(try command.readLines(10)))
        try command.output.close()
        let end = try command.end()
        #expect(end.status == 141)
        #expect(end.errors.contains("; STOPPED: the reader of the verdicts closed the pipe\n"), "\(end.errors)")
    }

    @Test(.rule("T-185"))
    func `a line of 100 MB is skipped without using memory, and the next is verified`() throws {
        let workspace = try Workspace()
        let command = try start(workspace)
        let part = Data(repeating: UInt8(ascii: "a"), count: 1 << 20)
        for _ in 0..<100 { try command.input.write(contentsOf: part) }
        try command.input.write(contentsOf: Data("\n\(workspace.issuer.token(nonce: "n-1"))\n".utf8))
        #expect(try command.readLines(2) == "1\ttoo-large\n2\tverified\n")
        let peak = command.peakKiB
        try command.input.close()
        #expect(try command.end().status == 1)
        if let peak { #expect(peak < 64 * 1024, "\(peak) KiB") }
    }

    @Test(.rule("T-185"), arguments: ["text", "json"])
    func `memory use depends neither on the size of the input nor on the speed of the reader`(format: String) throws {
        let workspace = try Workspace()
        let file = try workspace.write("", "tokens.txt")
        let handle = try FileHandle(forWritingTo: file)
        for _ in 0..<64 { try handle.write(contentsOf: Data(String(repeating: "x\n", count: 1 << 19).utf8)) }
        try handle.close()
        let command = try start(workspace, file.path(), "--format", format)
        _ = try command.readLines(10)
        try command.waitUntilIdle()
        let peak = command.peakKiB
        command.send(SIGTERM)
        #expect(try command.end().status == 143)
        if let peak { #expect(peak < 64 * 1024, "\(peak) KiB") }
    }

    @Test func `the progress is shown on a terminal and erased at the end`() throws {
        let workspace = try Workspace()
        let token = workspace.issuer.token(nonce: "n-1") + "\n"
        let file = try workspace.write(String(repeating: token, count: 40_000), "tokens.txt")
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = CommandLineRun.executable
        process.arguments = ["batch", file.path(), "--nonce", "n-1"] + workspace.options
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.end
        try process.run()
        try terminal.end.close()
        let shown = String(decoding: terminal.readToEnd(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let parts = shown.split(separator: "\r", omittingEmptySubsequences: true)
        #expect(parts.count >= 3)
        let progress = try #require(parts.first)
        #expect(progress.contains(" lines, ") && progress.contains(" per second, ") && progress.contains(" %, "))
        #expect(progress.trimmingCharacters(in: .whitespaces).hasSuffix(" left"))
        // Spaces overwrite the progress, and the summary takes its place.
        #expect(parts.dropLast().last?.allSatisfy { $0 == " " } == true)
        #expect(parts.last?.hasPrefix("verify-token: 40000 lines: 40000 verified, ") == true)
    }
}
#endif
