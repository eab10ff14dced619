// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && Hummingbird && SQLite
internal import Foundation
internal import Testing

@testable internal import verify_token

/// The service as a process.
@Suite(.timeLimit(.minutes(2))) struct ServeCommandTests {
    /// A service over a new store in a directory of its own.
    private final class Service {
        let directory: URL
        let process = Process()
        private let errors: URL

        init(_ arguments: [String] = []) throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("s\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            errors = directory.appendingPathComponent("log")
            _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
            process.executableURL = CommandLineRun.executable
            process.arguments =
                [
                    "serve", "--listen", "127.0.0.1:0", "--store", path("store/accounts.sqlite"),
                    "--admin-listen", "unix:" + path("admin.sock"),
                ] + arguments
            process.standardError = try FileHandle(forWritingTo: errors)
            process.standardOutput = FileHandle.nullDevice
        }

        deinit {
            if process.isRunning { process.terminate() }
            try? FileManager.default.removeItem(at: directory)
        }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

        var log: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

        /// Waits until the log has a text.
        func wait(for text: String) async throws {
            for _ in 0..<600 {
                if log.contains(text) { return }
                try #require(process.isRunning, "\(log)")
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("the log has no \(text): \(log)")
        }

        func mode(_ name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
            return try #require(attributes[.posixPermissions] as? NSNumber).intValue
        }
    }

    @Test func `what the service makes is its owner's alone, and it ends when it is told to`() async throws {
        let service = try Service()
        try service.process.run()
        try await service.wait(for: "listening on 127.0.0.1")
        try await service.wait(for: "admin.sock")
        // It is nobody else's from its first moment, and what is left of its mode means nothing to a socket.
        #expect(try service.mode("admin.sock") & 0o077 == 0)
        for _ in 0..<100 where try service.mode("admin.sock") != 0o600 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try service.mode("admin.sock") == 0o600)
        #expect(try service.mode("store/accounts.keys") == 0o600)
        #expect(try service.mode("store/accounts.sqlite") == 0o600)
        #expect(try service.mode("store") == 0o700)
        // Whoever has no file to look at again is not ended by the signal that says so.
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: "SIGHUP")
        service.process.terminate()
        service.process.waitUntilExit()
        #expect(service.process.terminationStatus == 0, "\(service.log)")
    }

    @Test func `a level in the file counts when the file has changed, and a wrong file changes nothing`() async throws {
        let service = try Service()
        let file = service.path("serve.yaml")
        try Data("log-level: info\n".utf8).write(to: URL(filePath: file))
        service.process.arguments? += ["--config", file]
        try service.process.run()
        try await service.wait(for: "admin.sock")
        #expect(!service.log.contains(" debug "))
        try Data("listn: x\n".utf8).write(to: URL(filePath: file))
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: "The configuration is wrong")
        #expect(service.log.contains("listn") && !service.log.contains(" debug "))
        try Data("log-level: debug\n".utf8).write(to: URL(filePath: file))
        kill(service.process.processIdentifier, SIGHUP)
        try await service.wait(for: " debug ")
        service.process.terminate()
        service.process.waitUntilExit()
        #expect(service.process.terminationStatus == 0)
    }

    @Test func `a service that cannot have what it needs names the key, and ends with 64`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("s\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = ["--store", directory.appendingPathComponent("accounts.sqlite").path]
        let cases: [(arguments: [String], key: String)] = [
            (["--store", "/dev/null/accounts.sqlite"], "store: "),
            (store + ["--admin-listen", "127.0.0.1:0", "--admin-token-file", "/none"], "admin.token-file: "),
            (store + ["--secrets-file", "/dev/null"], "secrets-file: "),
            (store + ["--set", "tls.certificate-file=/none", "--set", "tls.key-file=/none"], "tls.key-file: "),
        ]
        for (arguments, key) in cases {
            let run = try CommandLineRun(["serve", "--listen", "127.0.0.1:0"] + arguments)
            #expect(run.status == 64 && run.output.isEmpty)
            #expect(run.errors.contains(key), "\(run.errors)")
        }
        // What is no matter of the store is found without starting anything.
        for (arguments, key) in cases.dropFirst() {
            let run = try CommandLineRun(["serve", "--check"] + arguments)
            #expect(run.status == 64 && run.errors.contains(key), "\(run.errors)")
        }
        let good = try CommandLineRun(["serve", "--check"] + store)
        #expect(good.status == 0 && good.output.contains("good"))
    }

    @Test func `a port that somebody else has ends it with 2`() async throws {
        let first = try Service()
        try first.process.run()
        try await first.wait(for: "listening on 127.0.0.1:")
        let port = try #require(first.log.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)/)).1
        let second = try CommandLineRun([
            "serve", "--listen", "127.0.0.1:\(port)", "--store", first.path("other/accounts.sqlite"),
        ])
        #expect(second.status == 2)
        #expect(second.errors.contains("cannot serve"))
    }
}
#endif
