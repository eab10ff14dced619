// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token batch`: the verdict on each line, and the summary.
@Suite struct BatchCommandTests {
    /// Runs the command on an input.
    private func batch(_ input: Data, _ further: [String] = [], nonce: String = "n-1") throws -> CommandLineRun {
        let workspace = try Workspace()
        let file = workspace.folder.appending(path: "tokens.txt")
        try input.write(to: file)
        return try CommandLineRun(["batch", file.path()] + workspace.options + ["--nonce", nonce] + further)
    }

    private func batch(_ input: String, _ further: String...) throws -> CommandLineRun {
        try batch(Data(input.utf8), further)
    }

    private let issuer = TestIssuer.facebook(appID: "1234567890")
    private var good: String { issuer.token(nonce: "n-1") }
    private var forged: String { issuer.token(nonce: "n-1") { $0.signing = .bytes([1]) } }

    @Test(.rule("T-185"))
    func `each line has its verdict, in the order of the input`() throws {
        let foreign = issuer.token(nonce: "n-1") { $0.claims["iss"] = "https://issuer.example" }
        let run = try batch(
            [good, foreign, "garbage", good, issuer.token(nonce: "n-2")].joined(separator: "\n") + "\n"
        )
        #expect(run.output == "1\tverified\n2\tissuer\n3\tsegments\n4\tverified\n5\tnonce\n")
        #expect(run.status == 1)
    }

    @Test(.rule("T-185"))
    func `lines end with LF or CRLF, the last one with nothing too, and an empty line counts`() throws {
        let run = try batch("\(good)\r\n\n\r\n\(good)")
        #expect(run.output == "1\tverified\n2\tsegments\n3\tsegments\n4\tverified\n")
    }

    @Test func `an empty input ends with status 0 and a warning`() throws {
        let run = try batch("")
        #expect(run.status == 0 && run.output == "")
        #expect(run.errors.hasPrefix("verify-token: the input is empty: no token was verified\n"))
        #expect(run.errors.contains("\nverify-token: 0 lines: 0 verified, 0 refused, 0 undecided\n"))
    }

    @Test(.rule("T-185"), .rule("T-087"))
    func `a line beyond the limit is refused and the next one is read`() throws {
        let longest = String(repeating: "a", count: Limits.tokenBytes)
        let run = try batch(
            "\(good)\n\(longest)\n\(longest)b\r\n\(String(repeating: "c", count: 1_000_000))\n\(good)\n"
        )
        #expect(run.output == "1\tverified\n2\tsegments\n3\ttoo-large\n4\ttoo-large\n5\tverified\n")
    }

    @Test func `bytes that are not valid text are refused with a code`() throws {
        var input = Data([0xFF, 0xFE, 0x0A, 0x00, 0x0A, 0xED, 0xA0, 0x80, 0x2E, 0x2E, 0x0A])
        input += Data("\(good.prefix(20))\u{0}\(good.dropFirst(20))\n\u{FEFF}\(good)\n \(good)\n\(good)\n".utf8)
        let run = try batch(input)
        let verdicts = run.output.split(separator: "\n").map { $0.split(separator: "\t")[1] }
        #expect(verdicts.count == 7 && verdicts.last == "verified")
        #expect(verdicts.dropLast().allSatisfy { ["segments", "encoding"].contains($0) }, "\(verdicts)")
    }

    @Test(arguments: ["text", "json"])
    func `the output does not depend on the number of jobs`(format: String) throws {
        var numbers = SeededNumbers(seed: 7)
        let kinds = [good, forged, "", "garbage", String(repeating: "x", count: 20_000), good + "\r"]
        let lines = (0..<600).map { _ in kinds.randomElement(using: &numbers) ?? "" }
        let input = Data(lines.joined(separator: "\n").utf8)
        let one = try batchToFile(input, ["--jobs", "1", "--format", format])
        #expect(one.split(separator: 0x0A).count == 600)
        for jobs in ["2", "7", "64"] {
            #expect(try batchToFile(input, ["--jobs", jobs, "--format", format]) == one)
        }
    }

    /// Returns the output for an input, where it may be more than a pipe holds.
    private func batchToFile(_ input: Data, _ further: [String]) throws -> Data {
        let workspace = try Workspace()
        let (file, output) = (workspace.folder.appending(path: "tokens.txt"), workspace.folder.appending(path: "out"))
        try input.write(to: file)
        try Data().write(to: output)
        let arguments = ["batch", "--nonce", "n-1"] + workspace.options + further
        let run = try CommandLineRun(arguments, input: file, output: output)
        #expect(run.status == 1)
        return try Data(contentsOf: output)
    }

    @Test(.rule("T-185"))
    func `each line is an object in JSON output, without claims`() throws {
        let subject = "1000000000000001"
        let expired = issuer.token(nonce: "n-1") { $0.claims["exp"] = 1_000_000_000 }
        let run = try batch("\(good)\n\(expired)\n", "--format", "json")
        let objects = try run.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["line"] as? Int } == [1, 2])
        #expect(objects.map { $0["verdict"] as? String } == ["verified", "refused"])
        #expect(objects[0]["code"] is NSNull && objects[0]["message"] is NSNull && objects[0]["member"] is NSNull)
        #expect(objects[1]["code"] as? String == "expired")
        #expect(objects[1]["member"] as? String == "exp")
        #expect((objects[1]["message"] as? String)?.hasPrefix("token refused: expired: ") == true)
        #expect((objects[1]["publicMessage"] as? String)?.hasPrefix("expired: ") == true)
        #expect(objects.allSatisfy { $0.count == 6 })
        #expect(!run.output.contains(subject) && !run.errors.contains(subject))
    }

    @Test func `the totals add up, with the most frequent code first`() throws {
        let run = try batch("\(good)\nx\ny\n\(forged)\n")
        let lines = run.errors.split(separator: "\n")
        #expect(
            lines.prefix(3) == [
                "verify-token: 4 lines: 1 verified, 3 refused, 0 undecided", "  2 segments", "  1 signature",
            ]
        )
        #expect(lines.count == 4 && lines[3].hasPrefix("  in ") && lines[3].hasSuffix(" lines per second"))
        #expect(try batch("\(good)\nx\n", "--quiet").errors == "")
    }

    @Test func `the summary reports an unchecked nonce`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(good + "\n", "tokens.txt").path()
        let run = try CommandLineRun(["batch", file, "--nonce-unchecked", "old log"] + workspace.options)
        #expect(run.status == 0)
        #expect(run.errors.hasSuffix("\n  NONCE NOT CHECKED: \"old log\"\n"))
    }

    @Test(.rule("T-180"))
    func `the status is 0 if all are verified, 1 if one is refused, and 2 if it could not run`() throws {
        #expect(try batch("\(good)\n\(good)\n").status == 0)
        #expect(try batch("\(good)\n\(forged)\n").status == 1)
        let workspace = try Workspace()
        let file = try workspace.write(good + "\n", "tokens.txt").path()
        let nonce = ["--nonce", "n-1"]
        let missing = try CommandLineRun(["batch", workspace.path("missing")] + workspace.options + nonce)
        #expect(missing.status == 64 && missing.errors.contains("cannot read"))
        let folder = try CommandLineRun(["batch", workspace.folder.path()] + workspace.options + nonce)
        #expect(folder.status == 2 && folder.errors.contains("cannot read") && folder.output == "")
        let noKeys =
            ["batch", file, "--provider", "facebook", "--app-id", "1", "--keys", workspace.path("missing")] + nonce
        let keyless = try CommandLineRun(noKeys)
        #expect(keyless.status == 64 && keyless.output == "")
        #expect(keyless.errors.hasPrefix("verify-token: undecided: keys-unavailable: "))
        let full = ["batch", file] + workspace.options + nonce
        let unread = try CommandLineRun(full, output: URL(filePath: "/dev/full"))
        #expect(unread.status == 2 && unread.errors.contains("cannot write \"standard output\""))
        for jobs in ["0", "257", "-1", "x"] {
            #expect(try CommandLineRun(full + ["--jobs=\(jobs)"]).status == 64)
        }
        #expect(try CommandLineRun(["batch", file]).errors.contains("--nonce-unchecked"))
    }

    @Test func `a closed standard input or output is reported and ends the command`() throws {
        let workspace = try Workspace()
        let file = try workspace.write(good + "\n", "tokens.txt").path()
        let (program, options) = (CommandLineRun.executable.path(), workspace.options + ["--nonce", "n-1"])
        let command = { [program, "batch", $0] + options }
        for (closed, name) in [("<&-", "input"), (">&-", "output")] {
            let run = try CommandLineRun(
                ["-c", "\"$@\" \(closed)", "sh"] + command(name == "input" ? "-" : file),
                program: URL(filePath: "/bin/sh")
            )
            #expect(run.status == 2 && run.output == "")
            #expect(run.errors == "verify-token: standard \(name) is closed\n")
        }
    }
}
#endif
