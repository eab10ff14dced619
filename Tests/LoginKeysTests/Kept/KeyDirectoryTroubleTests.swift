// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient && os(Linux)
import Foundation
import Glibc
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// A full disk, a missing permission to write, and a killed process.
///
/// Each test runs in a process of its own, which finds its directory by the ID of its parent process.
@Suite(.rule("T-183"), .serialized, .timeLimit(.minutes(10))) struct KeyDirectoryTroubleTests {
    @Test func `a full disk is an error, and the old keys remain`() async throws {
        let place = try Self.makePlace(of: getpid())
        defer { place.remove() }
        try await place.keys.save(place.kept("old"))
        await #expect(processExitsWith: .success) { try await KeyPlace.ofParent().saveToFullDisk() }
        #expect(try await place.keys.load(place.issuer) == place.kept("old"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `an unwritable parent directory is an error`() async throws {
        let place = try Self.makePlace(of: getpid())
        defer { place.remove() }
        try place.setMode(0o755, of: place.root)
        await #expect(processExitsWith: .success) { try await KeyPlace.ofParent().saveAsAnotherUser() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `keys that root stored are refused by another user`() async throws {
        let place = try Self.makePlace(of: getpid())
        defer { place.remove() }
        try await place.keys.save(place.kept())
        try place.setMode(0o755, of: place.root)
        await #expect(processExitsWith: .success) { await KeyPlace.ofParent().loadAsAnotherUser() }
    }

    @Test func `files are complete while another process writes and is killed`() async throws {
        let place = try Self.makePlace(of: getpid())
        defer { place.remove() }
        try await place.keys.save(place.kept("0"))
        let killed = Task {
            _ = await #expect(processExitsWith: .signal(SIGKILL)) { await KeyPlace.ofParent().saveUntilKilled() }
        }
        for number in 1...10 {
            try await place.keys.save(place.kept(String(repeating: "\(number) ", count: 5000)))
            let kept = try #require(try await place.keys.load(place.issuer))
            #expect(Set(String(decoding: kept.keySet, as: UTF8.self).split(separator: " ")).count == 1)
        }
        await killed.value
        #expect(try await place.keys.load(place.issuer) != nil)
        try await place.keys.save(place.kept("after"))
        #expect(try await place.keys.load(place.issuer) == place.kept("after"))
    }

    private static func makePlace(of process: pid_t) throws -> KeyPlace {
        let place = KeyPlace(process)
        place.remove()
        try FileManager.default.createDirectory(atPath: place.root, withIntermediateDirectories: false)
        return place
    }
}

extension KeyPlace {
    /// Returns the directory of the parent process.
    ///
    /// The clock is set back to a whole second, so that nothing written here is from the parent's future.
    fileprivate static func ofParent() -> KeyPlace {
        var place = KeyPlace(getppid())
        place.clock = FixedTime(now: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)))
        return place
    }

    fileprivate init(_ process: pid_t) {
        self.init(root: FileManager.default.temporaryDirectory.path + "/limited-login-trouble-\(process)")
    }

    fileprivate func remove() { try? FileManager.default.removeItem(atPath: root) }

    /// Saves while files cannot grow beyond 100 bytes; the kernel reports an error instead of killing the process.
    fileprivate func saveToFullDisk() async throws {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 100, rlim_max: 100)
        #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        await expectNotKept("file too large")
        #expect(try names() == [KeyDirectoryEntry.fileName(of: issuer)])
    }

    fileprivate func saveAsAnotherUser() async throws {
        #expect(seteuid(65534) == 0)
        #expect(try await keys.load(issuer) == nil)
        await expectNotKept("permission denied")
    }

    fileprivate func loadAsAnotherUser() async {
        #expect(seteuid(65534) == 0)
        await expectRefusal("belongs to user 0")
    }

    /// Kills the process after 20 saves were requested, with others in progress.
    fileprivate func saveUntilKilled() async {
        await withTaskGroup { group in
            for number in 1...100 {
                group.addTask {
                    try? await keys.save(kept(String(repeating: "\(number) ", count: 5000)))
                    if number == 20 { kill(getpid(), SIGKILL) }
                }
            }
        }
    }
}
#endif
