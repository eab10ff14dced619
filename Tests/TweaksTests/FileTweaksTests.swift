// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTesting
import Synchronization
import Testing

@testable import Tweaks

/// Tweaks in a file that two servers share.
@Suite struct FileTweaksTests {
    private static func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tweaks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "tweaks.json").path)
    }

    /// Writes a file with mode 0600, as an operator restores it.
    private static func restore(_ content: Data, to path: String) throws {
        try content.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private static func pause(in tweaks: Tweaks) -> Tweak<Int> {
        Tweak("import", "queue", "pause", default: 30, in: 0...600, in: tweaks)
    }

    @Test func `a value set by one server is loaded by another, and the file is private`() async throws {
        try await Self.withFile { path in
            let here = Tweaks(persistence: FileTweaks(path: path))
            let there = Tweaks(persistence: FileTweaks(path: path))
            try await here.load()
            try await Self.pause(in: here).set(60, by: "ada")
            #expect(Self.pause(in: there).value == 30)
            try await there.load()
            #expect(Self.pause(in: there).value == 60)
            #expect(try await there.history().map(\.by) == ["ada"])
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test func `of two concurrent changes based on the same revision, one is refused`() async throws {
        try await Self.withFile { path in
            let (here, there) = (FileTweaks(path: path), FileTweaks(path: path))
            async let first: Void = here.set("import.queue.pause", to: "1", expecting: 0, by: "ada")
            async let second: Void = there.set("import.queue.pause", to: "2", expecting: 0, by: "bob")
            var refusals: [TweakError.Code] = []
            do { try await first } catch let error as TweakError { refusals.append(error.code) }
            do { try await second } catch let error as TweakError { refusals.append(error.code) }
            #expect(refusals == [.overtaken])
            #expect(try await here.revision() == 1)
        }
    }

    @Test func `a restored file applies at the next poll, and without a file the last values stay in use`()
        async throws
    {
        try await Self.withFile { path in
            let clock = ManualContinuousClock()
            let problems = Mutex<[TweakProblem]>([])
            let tweaks = Tweaks(persistence: FileTweaks(path: path), clock: clock) { problem in
                problems.withLock { $0.append(problem) }
            }
            let pause = Self.pause(in: tweaks)
            try await pause.set(60, by: "ada")
            let backup = try Data(contentsOf: URL(filePath: path))
            try await pause.set(90, by: "ada")
            try Self.restore(backup, to: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await tweaks.run() }
                try await clock.waitForSleepers(1)
                #expect(pause.value == 60)
                try await pause.set(120, by: "ada")
                #expect(pause.value == 120)
                try FileManager.default.removeItem(atPath: path)
                clock.advance(by: .seconds(5))
                try await clock.waitForSleepers(1)
                #expect(pause.value == 120)
                let refusal = await #expect(throws: TweakError.self) { try await pause.set(150, by: "ada") }
                let error = try #require(refusal)
                #expect(error.code == .store && !FileManager.default.fileExists(atPath: path))
                #expect(problems.withLock { $0 } == [.unavailable(error)])
                try Self.restore(backup, to: path)
                clock.advance(by: .seconds(5))
                try await clock.waitForSleepers(1)
                #expect(pause.value == 60 && problems.withLock { $0.last } == .available)
                group.cancelAll()
            }
        }
    }

    @Test func `a change that conflicts with a restored file of the same revision is refused once`() async throws {
        try await Self.withFile { path in
            let pause = Self.pause(in: Tweaks(persistence: FileTweaks(path: path)))
            try await pause.set(60, by: "ada")
            let backup = try Data(contentsOf: URL(filePath: path))
            try await pause.set(90, by: "ada")
            try Self.restore(backup, to: path)
            try await FileTweaks(path: path).set("import.queue.size", to: "1", expecting: 0, by: "bob")
            let error = await #expect(throws: TweakError.self) { try await pause.set(120, by: "ada") }
            #expect(error?.code == .overtaken && pause.value == 60)
            try await pause.set(120, by: "ada")
            #expect(pause.value == 120)
        }
    }

    @Test func `a change that cannot lock the file is refused, changes nothing, and can be repeated`() async throws {
        try await Self.withFile { path in
            let tweaks = Tweaks(persistence: FileTweaks(path: path))
            let pause = Self.pause(in: tweaks)
            let lock = try #require(FileLock(path: path + ".lock"))
            let change = Task { try await pause.set(60, by: "ada") }
            // A cancelled task does not pause between its attempts.
            change.cancel()
            let error = await #expect(throws: TweakError.self) { try await change.value }
            #expect(error?.code == .store && pause.value == 30)
            #expect(error?.detail.hasSuffix("is locked by another server, or cannot be created") == true)
            #expect(!FileManager.default.fileExists(atPath: path))
            lock.release()
            try await pause.set(60, by: "ada")
            #expect(pause.value == 60)
        }
    }

    @Test func `the lock of a server that was killed does not prevent a change`() async throws {
        try await Self.withFile { path in
            let server = Process()
            server.executableURL = URL(filePath: "/usr/bin/env")
            // The shell itself holds the lock.
            server.arguments = ["sh", "-c", "exec 9>\"$0\"; flock 9; echo; read _", path + ".lock"]
            let (input, output) = (Pipe(), Pipe())
            (server.standardInput, server.standardOutput) = (input, output)
            try server.run()
            #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("\n".utf8))
            #expect(FileLock(path: path + ".lock") == nil)
            server.terminate()
            server.waitUntilExit()
            let pause = Self.pause(in: Tweaks(persistence: FileTweaks(path: path)))
            try await pause.set(60, by: "ada")
            #expect(pause.value == 60)
        }
    }

    @Test(arguments: [
        "{", "", "[]", #"{"revision":-1,"tweaks":{},"history":[]}"#,
        #"{"revision":9007199254740993,"tweaks":{},"history":[]}"#,
        #"{"revision":9223372036854775807,"tweaks":{},"history":[]}"#,
        #"{"revision":9223372036854775808,"tweaks":{},"history":[]}"#,
        #"""
        {"revision":1,"history":[],"tweaks":{"import.queue.pause":{"id":"import.queue.pause","value":"60",
        "changedAt":"2026-03-01T00:00:00Z","changedBy":"ada","revision":9223372036854775807}}}
        """#,
        #"""
        {"revision":1,"history":[],"tweaks":{"import.queue.pause":{"id":"other","value":"60",
        "changedAt":"2026-03-01T00:00:00Z","changedBy":"ada","revision":1}}}
        """#,
    ])
    func `a damaged file is reported, and not overwritten`(_ content: String) async throws {
        try await Self.withFile { path in
            try Self.restore(Data(content.utf8), to: path)
            let tweaks = Tweaks(persistence: FileTweaks(path: path))
            let error = await #expect(throws: TweakError.self) { try await tweaks.load() }
            #expect(error?.code == .store && error?.detail.contains("is damaged") == true)
            await #expect(throws: TweakError.self) { try await Self.pause(in: tweaks).set(60, by: "ada") }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(content.utf8))
        }
    }

    @Test func `the largest revision is read, and the change after it is refused instead of a damaged file`()
        async throws
    {
        try await Self.withFile { path in
            try Self.restore(Data(#"{"revision":9007199254740992,"tweaks":{},"history":[]}"#.utf8), to: path)
            let file = FileTweaks(path: path)
            #expect(try await file.revision() == 1 << 53)
            let error = await #expect(throws: TweakError.self) {
                try await file.set("import.queue.pause", to: "60", expecting: 0, by: "ada")
            }
            #expect(error?.code == .store && error?.detail.contains("maximum") == true)
            #expect(try await FileTweaks(path: path).revision() == 1 << 53)
        }
    }

    @Test(arguments: [0o644, 0o640, 0o660, 0o602]) func `a file that others can access is refused`(_ mode: Int)
        async throws
    {
        try await Self.withFile { path in
            let pause = Self.pause(in: Tweaks(persistence: FileTweaks(path: path)))
            try await pause.set(60, by: "ada")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let tweaks = Tweaks(persistence: FileTweaks(path: path))
            let error = await #expect(throws: TweakError.self) { try await tweaks.load() }
            #expect(error?.code == .store && error?.detail.contains("chmod 600") == true)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            try await tweaks.load()
            #expect(Self.pause(in: tweaks).value == 60)
        }
    }

    @Test func `a symbolic link, a directory and a file that is too large are refused`() async throws {
        try await Self.withFile { path in
            let file = FileTweaks(path: path)
            try Self.restore(Data(#"{"revision":0,"tweaks":{},"history":[]}"#.utf8), to: path + ".other")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".other")
            await #expect(throws: TweakError.self) { try await file.load() }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            await #expect(throws: TweakError.self) { try await file.load() }
            try FileManager.default.removeItem(atPath: path)
            try Self.restore(Data(count: 4 * 1024 * 1024 + 1), to: path)
            let error = await #expect(throws: TweakError.self) { try await file.load() }
            #expect(error?.detail.contains("larger than") == true)
        }
    }
}
