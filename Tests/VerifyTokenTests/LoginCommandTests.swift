// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import Testing

/// `verify-token login`.
@Suite struct LoginCommandTests {
    @Test func `the service and the file are required, and a provider if there is no session`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        let options = ["--service", "https://a.example", "--session", file]
        let mistakes: [(arguments: [String], says: String)] = [
            ([], "--service <url>"), (["--service", "https://a.example"], "--session <file>"),
            (["--service", "http://a.example", "--session", file], "--service: "),
            (options + ["--provider", "facebook"], "Facebook"), (options + ["--port", "65536"], "--port"),
            (options, "There is no valid session"),
        ]
        for (arguments, says) in mistakes {
            let run = try CommandLineRun(["login"] + arguments)
            #expect(run.status == 64 && run.output == "")
            #expect(run.errors.contains(says), "\(run.errors)")
        }
    }

    @Test func `without a session there is nothing to sign out of, and a shared file is refused`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)").path
        let arguments = ["login", "--service", "https://a.example", "--session", file, "--sign-out"]
        let nothing = try CommandLineRun(arguments)
        #expect(nothing.status == 0 && nothing.output == "not signed in\n")
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(
            FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o644])
        )
        let shared = try CommandLineRun(arguments)
        #expect(shared.status == 2 && shared.errors.contains("cannot use the session file"))
    }
}
#endif
