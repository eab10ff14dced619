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
            try backup.write(to: URL(filePath: path))
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
                try backup.write(to: URL(filePath: path))
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
            try backup.write(to: URL(filePath: path))
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

    @Test func `a damaged file is reported, and not overwritten`() async throws {
        try await Self.withFile { path in
            try Data("{".utf8).write(to: URL(filePath: path))
            let tweaks = Tweaks(persistence: FileTweaks(path: path))
            let error = await #expect(throws: TweakError.self) { try await tweaks.load() }
            #expect(error?.code == .store)
            await #expect(throws: TweakError.self) { try await Self.pause(in: tweaks).set(60, by: "ada") }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("{".utf8))
        }
    }
}
