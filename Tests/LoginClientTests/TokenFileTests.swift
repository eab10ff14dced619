// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginClient
import TestSupport
import Testing

@Suite(.rule("SS-5")) struct TokenFileTests {
    /// Calls the body with the path of a file in a new directory, and removes the directory afterwards.
    static func withPath(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "login-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.appending(path: "tokens").path)
    }

    static func mode(of path: String) throws -> Int? {
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return mode as? Int ?? (mode as? UInt).map { Int($0) } ?? (mode as? UInt16).map { Int($0) }
    }

    @Test func `a missing directory is created private, and an existing one keeps its permissions`() async throws {
        try await Self.withPath { path in
            let directory = path + "-directory"
            let file = TokenFile(path: directory + "/tokens")
            try await file.prepare()
            #expect(try Self.mode(of: directory) == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: directory)
            try await file.cache(tokens(1))
            try await file.prepare()
            #expect(try Self.mode(of: directory) == 0o750)
            #expect(try await file.fetch() == tokens(1))
        }
    }

    @Test func `a token file that cannot be created or is not private is refused before a sign-in`() async throws {
        try await Self.withPath { path in
            // The name of the temporary file is longer than a name may be.
            let longName = path + String(repeating: "a", count: 240)
            for unusable in [path + "/missing/tokens", longName, "~/tokens"] {
                await #expect(throws: TokenFileError(.unwritable)) { try await TokenFile(path: unusable).prepare() }
            }
            try await TokenFile(path: path).cache(tokens(1))
            await #expect(throws: TokenFileError(.unreadable)) { try await TokenFile(path: path + "/tokens").prepare() }
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            await #expect(throws: TokenFileError(.notPrivate)) { try await TokenFile(path: path).prepare() }
        }
    }

    @Test func `a directory in which others can replace the file is refused before a sign-in`() async throws {
        try await Self.withPath { path in
            let directory = path + "-directory"
            let file = TokenFile(path: directory + "/tokens")
            try await file.prepare()
            for mode in [0o770, 0o702] as [mode_t] {
                #expect(unsafe chmod(directory, mode) == 0)
                await #expect(throws: TokenFileError(.directoryNotPrivate)) { try await file.prepare() }
            }
            #expect(unsafe chmod(directory, 0o1777) == 0)
            try await file.prepare()
        }
    }

    @Test func `an empty path is refused before a sign-in`() async {
        await #expect(throws: TokenFileError(.unwritable)) { try await TokenFile(path: "").prepare() }
    }

    @Test func `a file that contains no tokens is refused until it is cleared`() async throws {
        try await Self.withPath { path in
            for content in ["", "{}"] {
                let isCreated = FileManager.default.createFile(
                    atPath: path,
                    contents: Data(content.utf8),
                    attributes: [.posixPermissions: 0o600]
                )
                #expect(isCreated)
                await #expect(throws: TokenFileError(.invalidContent)) { try await TokenFile(path: path).fetch() }
                try await TokenFile(path: path).clear()
                #expect(try await TokenFile(path: path).fetch() == nil)
            }
        }
    }

    @Test func `tokens are stored in a private file, which is replaced as a whole`() async throws {
        try await Self.withPath { path in
            let file = TokenFile(path: path)
            #expect(try await file.fetch() == nil)
            try await file.clear()
            for number in 1...2 {
                try await file.cache(tokens(number))
                #expect(try await TokenFile(path: path).fetch() == tokens(number))
                #expect(try Self.mode(of: path) == 0o600)
            }
            let directory = URL(filePath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["tokens"])
            try await file.clear()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a file that others can read, a symbolic link and a file that is too long are refused`() async throws {
        try await Self.withPath { path in
            let (file, files) = (TokenFile(path: path), FileManager.default)
            try await file.cache(tokens(1))
            try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            await #expect(throws: TokenFileError(.notPrivate)) { try await file.fetch() }
            await #expect(throws: TokenFileError(.notPrivate)) { try await file.cache(tokens(2)) }
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            #expect(try await file.fetch() == tokens(1))
            try files.moveItem(atPath: path, toPath: path + "-elsewhere")
            try files.createSymbolicLink(atPath: path, withDestinationPath: path + "-elsewhere")
            await #expect(throws: TokenFileError(.notPrivate)) { try await file.fetch() }
            await #expect(throws: TokenFileError(.notPrivate)) { try await file.cache(tokens(2)) }
            await #expect(throws: TokenFileError(.notPrivate)) { try await file.clear() }
            #expect(try await TokenFile(path: path + "-elsewhere").fetch() == tokens(1))
            try files.removeItem(atPath: path)
            #expect(
                files.createFile(atPath: path, contents: Data(count: 327_681), attributes: [.posixPermissions: 0o600])
            )
            await #expect(throws: TokenFileError(.tooLong)) { try await file.fetch() }
        }
    }

    @Test func `directories and pipes are refused without blocking, and are not removed`() async throws {
        try await Self.withPath { path in
            let (file, files) = (TokenFile(path: path), FileManager.default)
            for isPipe in [false, true] {
                if isPipe {
                    #expect(unsafe mkfifo(path, 0o600) == 0)
                } else {
                    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
                    try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
                }
                await #expect(throws: TokenFileError(.notPrivate)) { try await file.fetch() }
                await #expect(throws: TokenFileError(.notPrivate)) { try await file.cache(tokens(1)) }
                await #expect(throws: TokenFileError(.notPrivate)) { try await file.clear() }
                #expect(files.fileExists(atPath: path))
                try files.removeItem(atPath: path)
            }
        }
    }
}
