// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import Testing

@testable internal import LoginTokens

/// The files with key sets and bearer tokens.
@Suite struct ConfiguredFileTests {
    /// Calls the body with a folder, which is removed afterwards.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ text: String, to file: URL, mode: Int = 0o644) throws {
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path())
    }

    private func expectRefusal(of file: URL, limit: Int = 16, _ words: String) {
        let fault = #expect(throws: ConfiguredFile.Fault.self) {
            try ConfiguredFile(file.path()).read(limit: limit)
        }
        #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
    }

    // Kubernetes mounts tokens with 0600, 0640 and 0644, and systemd credentials with 0400 and 0440.
    @Test(arguments: [0o400, 0o440, 0o444, 0o600, 0o640, 0o644, 0o755])
    func `a file that only its owner can write is read, whoever can read it`(mode: Int) throws {
        try withFolder { folder in
            let file = folder.appending(path: "token")
            try write("abc\n", to: file, mode: mode)
            #expect(try ConfiguredFile(file.path()).read(limit: 4) == Array("abc\n".utf8))
            #expect(try ConfiguredFile(file.path()).bearerToken() == "abc")
        }
    }

    @Test(arguments: [0o602, 0o620, 0o646, 0o660, 0o664, 0o666, 0o777])
    func `a file that the group or others can write is refused`(mode: Int) throws {
        try withFolder { folder in
            let file = folder.appending(path: "token")
            try write("abc", to: file, mode: mode)
            expectRefusal(of: file, "can be written by others than its owner")
        }
    }

    @Test func `a file of root is read by any user`() throws {
        #expect(try !ConfiguredFile("/etc/passwd").read(limit: 1 << 20).isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file of another user is refused`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "token")
            try write("abc", to: file, mode: 0o600)
            try #require(unsafe chown(file.path(), 65534, 65534) == 0)
            expectRefusal(of: file, "belongs to another user")
        }
    }

    @Test func `the symbolic links of a mounted volume are followed, and the file at their end is checked`() throws {
        try withFolder { folder in
            let data = folder.appending(path: "..2026")
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: false)
            try write("abc", to: data.appending(path: "token"))
            let (current, link) = (folder.appending(path: "..data"), folder.appending(path: "token"))
            try FileManager.default.createSymbolicLink(atPath: current.path(), withDestinationPath: "..2026")
            try FileManager.default.createSymbolicLink(atPath: link.path(), withDestinationPath: "..data/token")
            #expect(try ConfiguredFile(link.path()).bearerToken() == "abc")
            try write("abc", to: data.appending(path: "token"), mode: 0o666)
            expectRefusal(of: link, "can be written by others than its owner")
        }
    }

    @Test func `what is missing, a directory, a pipe, empty or too large is refused`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "file")
            expectRefusal(of: file, "does not exist")
            expectRefusal(of: folder, "is a directory, not a regular file")
            let pipe = folder.appending(path: "pipe")
            try #require(unsafe mkfifo(pipe.path(), 0o600) == 0)
            expectRefusal(of: pipe, "is a pipe, not a regular file")
            try write("", to: file)
            expectRefusal(of: file, "is empty")
            try write("abc", to: file)
            expectRefusal(of: file, limit: 2, "has more than 2 bytes")
        }
    }
}
