// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import TestSupport
internal import Testing

/// The exit status of the command, on which scripts depend.
@Suite(.rule("T-180")) struct ExitStatusTests {
    /// The arguments of `verify`; a word in capitals stands for a file.
    private static let verify = [
        "--provider", "facebook", "--app-id", "1234567890", "--nonce", "n-1", "--at", "1760000000",
    ]

    private static let runs: [(status: Int32, arguments: [String])] = [
        (0, ["verify", "GOOD", "--keys", "KEYS"] + verify),
        (0, ["GOOD", "--keys", "KEYS"] + verify),
        (0, ["inspect", "FORGED"]),
        (0, ["jws", "GOOD", "--keys", "KEYS"]),
        (0, ["keys", "--keys", "KEYS"]),
        (0, ["sample", "NEW"]),
        (0, ["--version"]),
        (0, ["-V"]),
        (0, ["version"]),
        (0, ["--help"]),
        (1, ["verify", "FORGED", "--keys", "KEYS"] + verify),
        (1, ["verify", "GARBAGE", "--keys", "KEYS"] + verify),
        (1, ["inspect", "GARBAGE"]),
        (1, ["jws", "FORGED", "--keys", "KEYS"]),
        (64, ["verify", "GOOD", "--keys", "MISSING"] + verify),
        (2, ["verify", "GOOD", "--keys", "GARBAGE"] + verify),
        (64, ["verify", "MISSING", "--keys", "KEYS"] + verify),
        (64, ["verify", "GOOD", "--keys", "KEYS", "--code-file", "MISSING"] + verify),
        (64, ["inspect", "MISSING"]),
        (64, ["jws", "GOOD", "--keys", "MISSING"]),
        (64, ["keys", "--keys", "MISSING"]),
        (64, ["vectors", "MISSING"]),
        (64, ["sample", "GOOD"]),
        (64, ["verify", "GOOD"] + verify.dropFirst(2)),
        (64, ["verify", "GOOD", "--keys", "KEYS"] + verify + ["--no-such-option"]),
        (64, ["inspect", "GOOD", "--format", "xml"]),
        (64, ["jws", "GOOD"]),
        (64, ["access", "GOOD"]),
        (64, ["dpop", "make"]),
        (64, ["dpop", "check", "GOOD"]),
        (64, ["keys"]),
        (64, ["vectors"]),
        (64, ["sample"]),
        (64, ["help", "no-such-command"]),
    ]

    @Test(arguments: runs)
    func `the exit status is 0 for yes, 1 for no, 2 for undecided, and 64 for a usage error`(
        status: Int32,
        arguments: [String]
    ) throws {
        let workspace = try Workspace()
        try workspace.write(workspace.issuer.token(nonce: "n-1"), "GOOD")
        try workspace.write(workspace.issuer.token(nonce: "n-1") { $0.signing = .bytes([1]) }, "FORGED")
        try workspace.write("garbage", "GARBAGE")
        try workspace.write(workspace.issuer.keySet.text, "KEYS")
        let files: Set = ["GOOD", "FORGED", "GARBAGE", "KEYS", "MISSING", "NEW"]
        let run = try CommandLineRun(arguments.map { files.contains($0) ? workspace.path($0) : $0 })
        #expect(run.status == status)
        #expect(run.errors.isEmpty == (run.output != ""), "it says something, and in one place")
    }
}
#endif
