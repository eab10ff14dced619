// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import InMemoryLogging
import Logging
import Testing

@testable import LoginServer

/// The log lines about the configuration file.
@Suite struct WatchedFileTests {
    private let handler = InMemoryLogHandler()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "watched-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private var logger: Logger { Logger(label: "file") { _ in handler } }

    @Test func `a file error is logged once per change and on request, but not before the file was first valid`() {
        defer { try? FileManager.default.removeItem(at: folder) }
        let faults = FileFaults(logger)
        let (first, second) = (ServiceFile.Fault(description: "first"), ServiceFile.Fault(description: "second"))
        faults.note(first)
        faults.note(first, isAsked: true)
        #expect(handler.entries.isEmpty)
        faults.note(nil)
        faults.note(first)
        faults.note(first)
        #expect(handler.entries.count == 1)
        faults.note(second)
        #expect(handler.entries.count == 2)
        faults.note(second, isAsked: true)
        #expect(handler.entries.count == 3)
        faults.note(nil)
        faults.note(nil, isAsked: true)
        #expect(handler.entries.count == 3)
        faults.note(second)
        #expect(handler.entries.count == 4)
    }

    @Test func `a missing file is logged once, again on request, and again after it has reappeared`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "serve.yaml").path
        let content = Data("listen: 127.0.0.1:1\n".utf8)
        try content.write(to: URL(filePath: path))
        let file = try await WatchedFile(path, logger: logger)
        file.look()
        file.look(isAsked: true)
        #expect(handler.entries.isEmpty)
        try FileManager.default.removeItem(atPath: path)
        file.look()
        file.look()
        #expect(handler.entries.count == 1)
        file.look(isAsked: true)
        #expect(handler.entries.count == 2)
        let entry = try #require(handler.entries.first)
        #expect(entry.level == .error)
        #expect(entry.message == "invalid configuration; the previous one stays in effect")
        #expect(entry.metadata["configuration.reason"]?.description.contains("cannot read") == true)
        try content.write(to: URL(filePath: path))
        file.look()
        #expect(handler.entries.count == 2)
        try FileManager.default.removeItem(atPath: path)
        file.look()
        #expect(handler.entries.count == 3)
        // A directory can be opened, but not read.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        file.look(isAsked: true)
        #expect(handler.entries.count == 4)
    }

    @Test(arguments: ["listn: x\n", nil])
    func `a file that is invalid or missing at startup is refused and not logged`(_ content: String?)
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "serve.yaml").path
        if let content { try Data(content.utf8).write(to: URL(filePath: path)) }
        let fault = await #expect(throws: ConfigurationFault.self) { _ = try await WatchedFile(path, logger: logger) }
        #expect(fault?.description.hasPrefix(path) == true)
        #expect(handler.entries.isEmpty)
    }
}
#endif
