// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTesting
internal import TestSupport
internal import Testing

/// Errors in writing a report, and the meaning of paths.
@Suite struct OutputTests {
    /// Returns commands that exit with 0 if their report is written.
    private static func commands(_ workspace: borrowing Workspace, _ token: URL) -> [[String]] {
        let verify = ["verify", token.path()] + workspace.options + ["--nonce-absent"]
        return [
            verify, verify + ["--format", "json", "--explain"], ["inspect", token.path()],
            ["sample", workspace.path("sample-\(UUID().uuidString)")], ["--help"], ["--version"],
            ["jws", token.path(), "--keys", workspace.path("keys.json")],
        ]
    }

    @Test(.rule("T-180"))
    func `a report that cannot be written is not a success`() throws {
        let workspace = try Workspace()
        let token = try workspace.write(workspace.issuer.token(), "token.jwt")
        for command in Self.commands(workspace, token) {
            #expect(try CommandLineRun(command).status == 0, "\(command)")
        }
        // New directories, since a sample never overwrites another.
        for command in Self.commands(workspace, token) {
            let run = try CommandLineRun(command, output: URL(filePath: "/dev/full"))
            #expect(run.status == 2, "\(command)")
            #expect(run.errors.contains("cannot write \"standard output\""), "\(run.errors)")
        }
    }

    @Test func `a path is resolved as by the system, with symbolic links`() throws {
        let workspace = try Workspace()
        let token = try workspace.write(workspace.issuer.token(), "token.jwt")
        let other = TestIssuer.facebook(appID: "1234567890", key: .another)
        // real/keys.json has the right keys; keys.json beside the link has others.
        let folder = workspace.folder.appending(path: "real/below")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try workspace.write(workspace.issuer.keySet.text, "real/keys.json")
        try workspace.write(other.keySet.text, "keys.json")
        try FileManager.default.createSymbolicLink(
            at: workspace.folder.appending(path: "link"),
            withDestinationURL: folder
        )
        let options = ["verify", token.path(), "--provider", "facebook", "--app-id", "1234567890", "--nonce-absent"]
        let now = ["--at", String(Int(workspace.issuer.clock.now.timeIntervalSince1970))]
        let keys = workspace.path("link") + "/../keys.json"
        #expect(try CommandLineRun(options + now + ["--keys", keys]).status == 0)
        #expect(try CommandLineRun(options + now + ["--keys", workspace.path("keys.json")]).status == 1)

        #expect(try CommandLineRun(["sample", workspace.path("link") + "/../sample"]).status == 0)
        #expect(FileManager.default.fileExists(atPath: workspace.path("real/sample/good.jwt")))
        #expect(!FileManager.default.fileExists(atPath: workspace.path("sample")))
    }

    @Test func `an incomplete sample is removed`() throws {
        let workspace = try Workspace()
        let folder = workspace.path("sample")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try workspace.write("mine", "sample/expired.jwt")
        let run = try CommandLineRun(["sample", folder])
        #expect(run.status == 64)
        #expect(run.errors.hasSuffix(": a file of this name already exists. Choose an empty folder.\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["expired.jwt"])
        #expect(try String(contentsOfFile: folder + "/expired.jwt", encoding: .utf8) == "mine")
    }
}
#endif
