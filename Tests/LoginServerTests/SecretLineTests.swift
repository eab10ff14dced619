// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginText
internal import Testing

@testable internal import LoginServer

/// Secrets in files, and what is not part of one.
@Suite struct SecretLineTests {
    @Test(arguments: ["secret", "secret\n", "secret\r\n"])
    func `one line break at the end is not part of a secret`(_ content: String) throws {
        #expect(try SecretLine(content).text == "secret")
    }

    @Test(arguments: ["two words", "ünïcode", "a\u{A0}b"])
    func `blanks and other characters within a secret are kept`(_ secret: String) throws {
        #expect(try SecretLine(secret + "\n").text == secret)
    }

    @Test(
        arguments: [
            ("", .empty), ("\n", .empty), ("\u{FEFF}secret", .byteOrderMark), ("\u{FEFF}", .byteOrderMark),
            ("secret\n\n", .control), ("secret\r", .control), ("one\ntwo\n", .control), ("sec\u{0}ret", .control),
            ("sec\tret", .control), ("secret ", .blank), (" secret", .blank), ("   ", .blank), ("secret \n", .blank),
            ("secret\u{A0}", .blank),
        ] as [(String, SecretLine.Fault)]
    )
    func `a secret that nothing would match is refused`(_ content: String, _ fault: SecretLine.Fault) {
        #expect(throws: fault) { try SecretLine(content) }
    }

    @Test func `a private key may have several lines, and a secret file names its key without its content`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        let content = Data("hunter2\nhunter3\n\n".utf8)
        #expect(FileManager.default.createFile(atPath: path, contents: content, attributes: attributes))
        #expect(try SecretFile.content(path, key: "k") == "hunter2\nhunter3\n\n")
        let fault = #expect(throws: ConfigurationFault.self) { try SecretFile.read(path, key: "k") }
        #expect(fault?.description.hasPrefix("k: the file must contain one line") == true)
        #expect(fault?.description.contains("hunter") == false)
    }
}
#endif
