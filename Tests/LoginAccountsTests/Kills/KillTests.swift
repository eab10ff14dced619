// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite || PostgreSQL
import Foundation
import Testing

/// Servers that are killed at random points of their work.
@Suite(.serialized) struct KillTests {
    @Test(arguments: WorkerStore.all)
    func `a killed server loses no acknowledged change and leaves no partial change`(
        _ kind: WorkerStore
    ) async throws {
        let store = try kind.make()
        defer { store.cleanUp() }
        for round in 1...Race.rounds {
            let journal = store.folder.appending(path: "journal-\(round)").path()
            let worker = try Worker(["work", store.name, journal])
            try await worker.waitForLines(of: journal, atLeast: 12)
            // At any point of any transaction: the work on one user takes some tens of milliseconds.
            try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000)))
            worker.kill()
            let check = try Worker(["check", store.name, journal])
            let (status, output) = check.finish()
            #expect(status == 0, "round \(round): \(output)")
        }
    }

    @Test func `the check reports a login that was acknowledged and is missing`() async throws {
        let kind = try #require(WorkerStore.all.first)
        let store = try kind.make()
        defer { store.cleanUp() }
        let journal = store.folder.appending(path: "journal").path()
        let worker = try Worker(["work", store.name, journal])
        try await worker.waitForLines(of: journal, atLeast: 12)
        worker.kill()
        let lie = "done liar link account=nobody-in-particular provider=beta subject=somebody token=llr_ .\n"
        let text = try String(contentsOfFile: journal, encoding: .utf8)
        let cut = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().joined(separator: "\n")
        try (cut + "\n" + lie).write(toFile: journal, atomically: true, encoding: .utf8)
        let (status, output) = try Worker(["check", store.name, journal]).finish()
        #expect(status == 1 && output.contains("beta somebody is nobody's, not nobody-in-particular's"))
    }
}

/// A store that several processes can open.
struct WorkerStore: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let name: @Sendable (URL) -> String

    /// A store for one test.
    struct Made {
        let name: String
        let folder: URL

        func cleanUp() { try? FileManager.default.removeItem(at: folder) }
    }

    func make() throws -> Made {
        let folder = FileManager.default.temporaryDirectory.appending(path: "limited-login-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Made(name: name(folder), folder: folder)
    }

    static let all: [Self] = sqlite + postgreSQL

    #if SQLite
    private static let sqlite = [Self(testDescription: "SQLite") { "sqlite:\($0.appending(path: "accounts").path())" }]
    #else
    private static let sqlite: [Self] = []
    #endif

    #if PostgreSQL
    private static let postgreSQL =
        PostgreSQLServer.connection.map { connection in
            [
                Self(testDescription: "PostgreSQL") { folder in
                    // A schema of its own, removed together with the server.
                    "postgresql:kill_\(folder.lastPathComponent.filter(\.isHexDigit).prefix(12)) \(connection)"
                }
            ]
        } ?? []
    #else
    private static let postgreSQL: [Self] = []
    #endif
}

/// A process that works on accounts.
final class Worker {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "AccountWorker"
        )
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        // A failing test may release the worker while it runs.
        if process.isRunning { kill() }
    }

    /// Waits until the journal has this number of lines.
    func waitForLines(of journal: String, atLeast count: Int) async throws {
        let deadline = ContinuousClock().now + .seconds(60)
        while ContinuousClock().now < deadline {
            let lines = (try? String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n").count) ?? 0
            if lines >= count { return }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        let said = process.isRunning ? "nothing" : finish().output
        throw WorkerFailure(description: "the worker does not work; it says: \(said)")
    }

    /// Kills the process by its ID, as the kernel does when memory is short.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until the process exits.
    func finish() -> (status: Int32, output: String) {
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}

/// The reason why a worker could not be used.
struct WorkerFailure: Error, CustomStringConvertible {
    let description: String
}
#endif
