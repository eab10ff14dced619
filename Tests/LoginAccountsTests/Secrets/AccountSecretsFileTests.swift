// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Testing

@testable import LoginAccounts

@Suite struct AccountSecretsTests {
    @Test(arguments: [[], [35], [32, 31], [0]])
    func `keys of another length than 32 bytes are refused, and their bytes are not shown`(lengths: [Int]) throws {
        let keys = lengths.map { [UInt8](repeating: 0xAB, count: $0) }
        let error = try #require(throws: AccountSecretsError.self) { try AccountSecrets(keys) }
        let reasons = [
            [35]: "key 1 has 35 bytes, and must have 32", [32, 31]: "key 2 has 31 bytes, and must have 32",
            [0]: "key 1 has 0 bytes, and must have 32",
        ]
        #expect(error.description == reasons[lengths] ?? "there is no key")
    }
}

@Suite struct AccountSecretsFileTests {
    private static let first = [UInt8](0..<32)
    private static let second = [UInt8](repeating: 0xAB, count: 32)
    private static let digits = "000102030405060708090A0B0C0d0e0f101112131415161718191a1b1c1d1e1f"

    /// Calls `body` with the path of a file with this text.
    private static func withFile(_ text: String, mode: Int = 0o600, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/limited-login-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        try body(path)
    }

    private static func fault(_ path: String) -> String? {
        #expect(throws: AccountSecretsError.self) { try AccountSecrets(contentsOf: path) }?.description
    }

    @Test func `keys are read one per line, the newest first, as hexadecimal digits or Base64`() throws {
        let base64 = Data(Self.second).base64EncodedString()
        let texts: [String] = [
            "\(Self.digits)\n\(base64)\n",
            "# keys\r\n\r\n  \(Self.digits) \r\n\(base64)",
            "\n\(Self.digits)\n\n\(base64)",
        ]
        for text in texts {
            for mode in [0o600, 0o400] {
                try Self.withFile(text, mode: mode) { path in
                    let (read, made) = (
                        try AccountSecrets(contentsOf: path), try AccountSecrets([Self.first, Self.second])
                    )
                    #expect("\(read)" == "2 keys")
                    #expect(read.newestKeyNumber == made.newestKeyNumber)
                    let message = Array("a".utf8)
                    #expect(
                        read.authenticationCodes(of: message, purpose: "b")
                            == made.authenticationCodes(of: message, purpose: "b")
                    )
                }
            }
        }
    }

    /// Invalid files, and the error for each.
    private static let faults: [(String, String)] = [
        ("", "no key"),
        ("# nothing\n", "no key"),
        ("\(digits.dropLast())g", "line 1"),
        ("\(digits.dropLast())", "line 1"),
        ("\(digits)\n\(digits)00", "line 2"),
        (Data(first.dropLast()).base64EncodedString(), "line 1"),
        (Data(first + [1]).base64EncodedString(), "line 1"),
        ("\(digits) \(digits)\n", "line 1"),
    ]

    @Test(arguments: faults)
    func `an invalid line is named and not quoted`(text: String, says: String) throws {
        try Self.withFile(text) { path in
            let fault = try #require(Self.fault(path))
            #expect(fault.contains(says))
            #expect(!fault.contains("000102"))
        }
    }

    @Test(arguments: [0o640, 0o604, 0o644, 0o610])
    func `a file that other users can access is refused`(mode: Int) throws {
        try Self.withFile(Self.digits, mode: mode) { path in
            #expect(Self.fault(path)?.contains("0600") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives a file to somebody else"))
    func `a file that another user owns is refused`() throws {
        try Self.withFile(Self.digits) { path in
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path)
            #expect(Self.fault(path)?.contains("another user") == true)
            try FileManager.default.setAttributes([.ownerAccountID: 0], ofItemAtPath: path)
            _ = try AccountSecrets(contentsOf: path)
        }
    }

    @Test func `a missing, irregular or oversized file is refused, and a symbolic link is followed`() throws {
        #expect(Self.fault("/nowhere/keys")?.contains("does not exist") == true)
        #expect(Self.fault(FileManager.default.temporaryDirectory.path)?.contains("not a regular file") == true)
        try Self.withFile(Self.digits) { path in
            let link = path + "-link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            defer { try? FileManager.default.removeItem(atPath: link) }
            #expect("\(try AccountSecrets(contentsOf: link))" == "1 keys")
        }
        try Self.withFile(String(repeating: "#", count: 64 * 1024 + 1)) { path in
            #expect(Self.fault(path)?.contains("64 KiB") == true)
        }
    }
}
