// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import Foundation
import LoginAccounts
import LoginStorePostgreSQL
import TestSupport
import Testing

/// Restarts of the server.
///
/// The test has its own server, because other tests use the shared one.
@Suite(.enabled(if: PostgreSQLServer.connection != nil)) struct PostgreSQLRestartTests {
    @Test(.timeLimit(.minutes(10)), arguments: ["fast", "immediate"])
    func `acknowledged writes survive a restart of the server, and failed writes are not stored`(mode: String)
        async throws
    {
        let directory = try await PostgreSQLServer.run(["scripts/postgresql", "start"])
        let result: Result<Void, any Error>
        do { result = .success(try await restart(directory, mode)) } catch { result = .failure(error) }
        try await PostgreSQLServer.run(["scripts/postgresql", "remove", directory])
        try result.get()
    }

    private func restart(_ directory: String, _ mode: String) async throws {
        let server = "host=\(directory) user=login dbname=postgres"
        try await PostgreSQLServer.withStore(on: server, connections: 8) { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY)")
            let log = Shared(Log())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask { await Self.write(Int64(task) * 1_000_000, to: store, log) }
                }
                group.addTask {
                    defer { log.change { $0.isOver = true } }
                    // Two restarts with transactions in progress, each followed by successful transactions.
                    for turn in 1...2 {
                        try await eventually("so much is written") { log.now.written.count >= 200 * turn }
                        try await PostgreSQLServer.run(["scripts/postgresql", "stop", directory, mode])
                        let failed = log.now.failed.count
                        try await eventually("one fails") { log.now.failed.count > failed }
                        try await PostgreSQLServer.run(["scripts/postgresql", "start", directory])
                    }
                    let count = log.now.written.count
                    try await eventually("so much is written") { log.now.written.count >= count + 200 }
                }
                try await group.waitForAll()
            }
            let rows = try await store.sql("SELECT n FROM kept")
            let found = Set(rows.compactMap { if case .integer(let n) = $0.values["n"] { n } else { nil } })
            let end = log.now
            #expect(end.unexpected.isEmpty)
            #expect(found.isSuperset(of: end.written))
            #expect(found.isDisjoint(with: end.failed))
            #expect(found.subtracting(end.written).isSubset(of: end.unknown))
        }
    }

    struct Log {
        var written: Set<Int64> = []
        var failed: Set<Int64> = []
        var unknown: Set<Int64> = []
        var unexpected: [String] = []
        var isOver = false
    }

    private static func write(_ first: Int64, to store: PostgreSQLAccountStore, _ log: Shared<Log>) async {
        var number = first
        while !log.now.isOver {
            number += 1
            do {
                try await store.sql("INSERT INTO kept VALUES ($1)", .integer(number))
                log.change { $0.written.insert(number) }
            } catch let error as StoreError where error.code == .unavailable || error.code == .busy {
                log.change { log in
                    if error.detail.contains("may have been written") {
                        log.unknown.insert(number)
                    } else {
                        log.failed.insert(number)
                    }
                }
                try? await Task.sleep(for: .milliseconds(5))
            } catch {
                log.change { $0.unexpected.append("\(error)") }
            }
        }
    }
}

extension PostgreSQLServer {
    /// Runs a script of this project, given by its path in the repository, and returns its output.
    @discardableResult
    static func run(_ command: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { waiting in
            // A separate thread, because tasks must not block.
            Thread.detachNewThread { waiting.resume(with: Result { try runAndWait(command) }) }
        }
    }

    private static func runAndWait(_ command: [String]) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = root
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command) failed")
        return words.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Runs a statement that cannot run in a transaction.
func psql(_ server: String, _ statement: String) async throws {
    try await PostgreSQLServer.run(["psql", "--no-psqlrc", "-q", "-d", server, "-c", statement])
}
#endif
