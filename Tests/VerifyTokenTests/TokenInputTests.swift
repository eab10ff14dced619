// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The ways to pass a token to the command, and the removal of surrounding text.
@Suite struct TokenInputTests {
    private func verify(_ content: String) throws -> CommandLineRun {
        let workspace = try Workspace()
        let input = try workspace.write(content, "input")
        return try CommandLineRun(workspace.options + ["--nonce-absent"], input: input)
    }

    private var token: String { TestIssuer.facebook(appID: "1234567890").token() }

    @Test(.rule("T-003"), arguments: ["", "\n", "\r\n"])
    func `one line break at the end is not part of the token`(end: String) throws {
        #expect(try verify(token + end).status == 0)
    }

    @Test(.rule("T-003"), arguments: [("", "\n\n"), ("", " \n"), ("", "\r"), (" ", ""), ("\n", ""), ("\u{FEFF}", "")])
    func `any other surrounding character is part of the token`(before: String, after: String) throws {
        let run = try verify(before + token + after)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("token refused: encoding: "))
    }

    @Test func `an empty input is refused as empty`() throws {
        let run = try verify("")
        #expect(run.status == 1)
        #expect(run.output.contains("The input is empty"))
    }

    @Test func `bytes that are not valid text are refused`() throws {
        let workspace = try Workspace()
        let input = workspace.folder.appending(path: "input")
        try Data([0xFF, 0xFE, 0x00, 0x2E, 0x2E]).write(to: input)
        let run = try CommandLineRun(workspace.options + ["--nonce-absent"], input: input)
        #expect(run.status == 1)
    }

    @Test(.rule("T-087"))
    func `endless input is read only up to the size limit`() throws {
        let workspace = try Workspace()
        let endless = URL(filePath: "/dev/zero")
        let verified = try CommandLineRun(workspace.options + ["--nonce-absent"], input: endless)
        #expect(verified.status == 1)
        #expect(verified.output.hasPrefix("token refused: too-large: "))
        let signed = try CommandLineRun(["jws", "--keys", workspace.path("keys.json")], input: endless)
        #expect(signed.status == 1)
        #expect(signed.errors.contains("token refused: too-large: "))
        let longest = try workspace.write(String(repeating: "a", count: Limits.tokenBytes) + "\n", "longest.jwt")
        let read = try CommandLineRun(workspace.options + ["--nonce-absent"], input: longest)
        #expect(read.output.hasPrefix("token refused: segments: "))
    }

    @Test(.rule("T-080"), .rule("T-087"))
    func `only the beginning of a file of 100 MB is read`() throws {
        let workspace = try Workspace()
        let input = try workspace.write("", "input")
        let file = try FileHandle(forWritingTo: input)
        try file.truncate(atOffset: 100 << 20)
        try file.close()
        let run = try CommandLineRun(workspace.options + ["--nonce-absent"], input: input)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("token refused: too-large: the token has more than 16384 bytes"))
    }

    @Test(.rule("T-181"))
    func `a token comes from a file or from standard input`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(token, "token.jwt")
        for arguments in [[file.path()], ["-"], []] {
            let input = arguments == [file.path()] ? nil : file
            let run = try CommandLineRun(arguments + workspace.options + ["--nonce-absent"], input: input)
            #expect(run.status == 0 && run.errors == "")
        }
    }

    @Test(.rule("T-181"))
    func `a token in the arguments is accepted with a warning`() throws {
        let workspace = try Workspace()
        let run = try CommandLineRun(["--token", token, "--nonce-absent"] + workspace.options)
        #expect(run.status == 0)
        #expect(run.errors.contains("other users of this machine can see the value of --token"))
    }

    @Test(arguments: [
        "missing.jwt", "id_token.txt", "Tokens From Support/Customer-2026-11-23-MyVeryLongTokenFileName2.jwt",
        "123e4567-e89b-12d3-a456-426614174000/token", "eyJ.txt",
    ])
    func `a missing file is named and ends with status 64, because a retry would not help`(name: String)
        throws
    {
        let workspace = try Workspace()
        let run = try CommandLineRun(["verify", name, "--nonce-absent"] + workspace.options)
        #expect(run.status == 64 && run.output == "")
        #expect(run.errors == "verify-token: cannot read \"\(name)\": no such file\n")
    }

    @Test(
        .rule("T-181"),
        arguments: [
            ["verify"], ["verify", "-"], ["inspect"], ["jws"], ["batch"], ["signed-request"], ["access"],
            ["dpop", "check"], [],
        ]
    )
    func `a token in place of a file is not shown, and the right option is named`(command: [String]) throws {
        let workspace = try Workspace()
        try workspace.write("secret", "secret")
        for secret in Self.secrets(token) {
            let run = try CommandLineRun(command + [secret] + Self.options(of: command, workspace))
            #expect(run.status == 2 || run.status == 64)
            #expect(
                Self.parts(secret).allSatisfy { !run.errors.contains($0) && !run.output.contains($0) },
                "\(run.errors)"
            )
            #expect(run.errors.contains("looks like a token"))
            #expect(command == ["verify", "-"] || run.errors.contains(", or - for standard input"))
        }
    }

    @Test(arguments: ["--keys", "--access-token-file", "--code-file"])
    func `a token in place of an option's file is not shown`(option: String) throws {
        let workspace = try Workspace()
        let file = try workspace.write(token, "token.jwt").path()
        for secret in Self.secrets(token) {
            let run = try CommandLineRun(["verify", file, "--nonce-absent"] + workspace.options + [option, secret])
            #expect(run.status == 2 || run.status == 64)
            #expect(
                Self.parts(secret).allSatisfy { !run.errors.contains($0) && !run.output.contains($0) },
                "\(run.errors)"
            )
        }
    }

    /// Returns secrets that users pass in place of a file name.
    private static func secrets(_ token: String) -> [String] {
        [token, "Bearer \(token)", "EAAGm0PX4ZCpsBO7ZBk2LhJ9vQ3rTn5xYw8uKc1dMfEaRgHs"]
    }

    /// Returns the parts of a secret that must not be shown: any twelve characters.
    private static func parts(_ secret: String) -> [String] {
        let bytes = Array(secret.utf8.drop { !"eE0".utf8.contains($0) })
        return stride(from: 0, to: bytes.count - 12, by: 12).map {
            String(decoding: bytes[$0..<($0 + 12)], as: UTF8.self)
        }
    }

    private static func options(of command: [String], _ workspace: borrowing Workspace) -> [String] {
        switch command.first {
        case "inspect", nil: []
        case "jws": ["--keys", workspace.path("keys.json")]
        case "access": ["--issuer", "https://issuer.example", "--audience", "a", "--keys", workspace.path("keys.json")]
        case "dpop": ["--method", "GET", "--url", "https://api.example"]
        case "signed-request": ["--app-id", "1234567890", "--app-secret-file", workspace.path("secret")]
        default: workspace.options + ["--nonce-absent"]
        }
    }
}
#endif
