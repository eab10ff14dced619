// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import Foundation
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

@Suite(.rule("T-183")) struct KeyDirectoryTests {
    @Test func `the last stored key set is loaded`() async throws {
        try await withPlace { place in
            #expect(try await place.keys.load(place.issuer) == nil)
            try await place.keys.save(place.kept("first"))
            try await place.keys.save(place.kept("second"))
            #expect(try await place.keys.load(place.issuer) == place.kept("second"))
            #expect(try await place.keys.load("https://other.example") == nil)
            #expect(try place.names() == [KeyDirectoryEntry.fileName(of: place.issuer)])
        }
    }

    @Test func `directory and file are created for the current user only`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            #expect(try place.mode(of: place.path) == 0o700)
            #expect(try place.mode(of: place.file) == 0o600)
        }
    }

    @Test(arguments: [0o700, 0o500, 0o701, 0o710, 0o704, 0o720, 0o755, 0o777])
    func `a directory that others can access is refused`(mode: Int) async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            try place.setMode(mode, of: place.path)
            if mode & 0o077 == 0 {
                #expect(try await place.keys.load(place.issuer) == place.kept())
            } else {
                await place.expectRefusal("chmod 700")
                await place.expectNotKept("chmod 700")
            }
        }
    }

    @Test(arguments: [0o600, 0o400, 0o601, 0o640, 0o604, 0o620, 0o666])
    func `a file that others can access is refused`(mode: Int) async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            try place.setMode(mode, of: place.file)
            if mode & 0o077 == 0 {
                #expect(try await place.keys.load(place.issuer) == place.kept())
            } else {
                await place.expectRefusal("chmod 600")
                try await place.keys.save(place.kept("mended"))
                #expect(try await place.keys.load(place.issuer) == place.kept("mended"))
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a directory or file of another user is refused`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            try place.setOwner(65534, of: place.file)
            await place.expectRefusal("belongs to user 65534")
            try place.setOwner(0, of: place.file)
            #expect(try await place.keys.load(place.issuer) == place.kept())
            try place.setOwner(65534, of: place.path)
            await place.expectRefusal("belongs to user 65534")
            await place.expectNotKept("belongs to user 65534")
        }
    }

    @Test(arguments: ["", "/", "//"])
    func `a symbolic link to a directory is refused, also with a trailing slash`(slashes: String) async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            let link = place.root + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path)
            let keys = KeyDirectory(path: link + slashes, wallClock: place.clock)
            await #expect(throws: KeyStoreError.self) { try await keys.load(place.issuer) }
            await #expect(throws: KeyStoreError.self) { try await keys.save(place.kept()) }
            let direct = KeyDirectory(path: place.path + slashes, wallClock: place.clock)
            #expect(try await direct.load(place.issuer) == place.kept())
        }
    }

    @Test func `a file with another name is ignored`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            let other = place.root + "/other"
            try FileManager.default.linkItem(atPath: place.file, toPath: other)
            await place.expectRefusal("hard link")
            try FileManager.default.removeItem(atPath: other)
            #expect(try await place.keys.load(place.issuer) == place.kept())
            try FileManager.default.moveItem(atPath: place.file, toPath: other)
            try FileManager.default.createSymbolicLink(atPath: place.file, withDestinationPath: other)
            await place.expectRefusal("symbolic link")
            // Saving replaces the link, and leaves its target unchanged.
            try await place.keys.save(place.kept("new"))
            #expect(try await place.keys.load(place.issuer) == place.kept("new"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: other)).suffix(4) != Data("new".utf8))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a file that is not regular is refused without blocking`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            try FileManager.default.removeItem(atPath: place.file)
            #expect(unsafe mkfifo(place.file, 0o600) == 0)
            await place.expectRefusal("not a regular file")
            try await place.keys.save(place.kept("instead of the FIFO"))
            #expect(try await place.keys.load(place.issuer) == place.kept("instead of the FIFO"))
            try FileManager.default.removeItem(atPath: place.file)
            try FileManager.default.createDirectory(atPath: place.file, withIntermediateDirectories: false)
            try place.setMode(0o700, of: place.file)
            await place.expectRefusal("not a regular file")
            await place.expectNotKept("directory")
            #expect(try place.names() == [KeyDirectoryEntry.fileName(of: place.issuer)])
        }
    }

    @Test func `a file of the maximum size is read and a larger one is refused`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            let largest = Data(count: KeyDirectoryEntry.bytes)
            try largest.write(to: URL(fileURLWithPath: place.file))
            await place.expectRefusal("first line")
            try (largest + [0]).write(to: URL(fileURLWithPath: place.file))
            await place.expectRefusal("more than")
            let handle = try #require(FileHandle(forWritingAtPath: place.file))
            try handle.truncate(atOffset: 1 << 40)
            try handle.close()
            await place.expectRefusal("more than")
        }
    }

    @Test func `a file that is truncated, dated in the future or of another issuer is refused`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            let content = try Data(contentsOf: URL(fileURLWithPath: place.file))
            for length in [0, 1, content.count / 2, content.count - 1] {
                try content.prefix(length).write(to: URL(fileURLWithPath: place.file))
                await place.expectRefusal("")
            }
            try content.write(to: URL(fileURLWithPath: place.file))
            #expect(try await place.keys.load(place.issuer) == place.kept())
            let past = KeyDirectory(path: place.path, wallClock: FixedTime(now: place.clock.now - 1))
            await #expect(throws: KeyStoreError.self) { try await past.load(place.issuer) }
            let other = place.path + "/" + KeyDirectoryEntry.fileName(of: "https://other.example")
            try FileManager.default.moveItem(atPath: place.file, toPath: other)
            await #expect(throws: KeyStoreError.self) { try await place.keys.load("https://other.example") }
        }
    }

    @Test func `missing parent directories are not created, and a file in place of the directory is refused`()
        async throws
    {
        try await withPlace { place in
            let deep = KeyDirectory(path: place.path + "/a/b", wallClock: place.clock)
            #expect(try await deep.load(place.issuer) == nil)
            await #expect(throws: KeyStoreError.self) { try await deep.save(place.kept()) }
            try Data().write(to: URL(fileURLWithPath: place.path))
            await place.expectRefusal("not a directory")
            await place.expectNotKept("not a directory")
        }
    }

    @Test(arguments: ["", "\u{0}", "/tmp\u{0}/x"])
    func `an invalid path is refused`(path: String) async {
        let keys = KeyDirectory(path: path)
        await #expect(throws: KeyStoreError.self) { try await keys.load("https://issuer.example") }
    }

    @Test func `an error names the file on one line`() async throws {
        try await withPlace { place in
            let keys = KeyDirectory(path: place.root + "/a\nb", wallClock: place.clock)
            try await keys.save(place.kept())
            try place.setMode(0o755, of: keys.path)
            let error = await #expect(throws: KeyStoreError.self) { try await keys.load(place.issuer) }
            let text = try #require(error).description
            #expect(text.contains("/a\\u{a}b/" + KeyDirectoryEntry.fileName(of: place.issuer)))
            #expect(!text.contains("\n"))
        }
    }

    @Test func `temporary files of killed writers are removed after an hour, and nothing else is`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            let name = KeyDirectoryEntry.fileName(of: place.issuer)
            for (file, age) in [
                (".\(name).1.tmp", 3601.0), (".\(name).2.tmp", 3500), ("\(name).3.tmp", 3601), (".x", 3601),
            ] {
                let path = place.path + "/" + file
                try Data("half".utf8).write(to: URL(fileURLWithPath: path))
                let date = place.clock.now - age
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
            }
            #expect(try await place.keys.load(place.issuer) == place.kept())
            try await place.keys.save(place.kept("new"))
            #expect(try await place.keys.load(place.issuer) == place.kept("new"))
            #expect(try Set(place.names()) == [name, ".\(name).2.tmp", "\(name).3.tmp", ".x"])
        }
    }

    @Test func `concurrent readers and writers see complete files only`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept("0"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...40 {
                    group.addTask {
                        let text = String(repeating: "\(number) ", count: number * 500)
                        try await place.keys.save(place.kept(text))
                    }
                    group.addTask {
                        let kept = try #require(try await place.keys.load(place.issuer))
                        let words = Set(String(decoding: kept.keySet, as: UTF8.self).split(separator: " "))
                        #expect(words.count == 1)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try place.names() == [KeyDirectoryEntry.fileName(of: place.issuer)])
        }
    }

    @Test func `a file that is replaced while it is opened is read`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept())
            try await withThrowingTaskGroup { group in
                group.addTask {
                    let new = place.path + "/new"
                    while !Task.isCancelled {
                        try FileManager.default.copyItem(atPath: place.file, toPath: new)
                        #expect(unsafe rename(new, place.file) == 0)
                    }
                }
                // About one load in some hundred coincides with a replacement of the file.
                for _ in 1...1000 { #expect(try await place.keys.load(place.issuer) == place.kept()) }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    @Test func `a cancelled task leaves the old file or the new one`() async throws {
        try await withPlace { place in
            try await place.keys.save(place.kept("0"))
            for _ in 0..<20 {
                let task = Task { try await place.keys.save(place.kept("1")) }
                task.cancel()
                _ = await task.result
                let kept = try #require(try await place.keys.load(place.issuer))
                #expect(kept == place.kept("0") || kept == place.kept("1"))
            }
            #expect(try place.names() == [KeyDirectoryEntry.fileName(of: place.issuer)])
        }
    }
}
#endif
