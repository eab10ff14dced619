// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The options for fetching, and the combinations that are refused before any request.
@Suite(.rule("T-184")) struct FetchingOptionTests {
    private static let mistakes: [(options: [String], says: String)] = [
        (["--issuer", "http://127.0.0.1:9"], "http was not allowed; --allow-loopback-http allows it, for tests."),
        (["--issuer", "http://issuer.example"], "http is allowed only for loopback addresses."),
        (
            ["--issuer", "http://issuer.example", "--allow-loopback-http"],
            "http is allowed only for loopback addresses."
        ),
        (
            ["--issuer", "issuer.example"],
            "--issuer, without --keys: invalid URL: it does not begin"
        ),
        (["--issuer", "https://issuer.example?x"], "an issuer has no query"),
        (["--issuer", ""], "--issuer is empty"),
        (["--provider", "google", "--keys", "http://127.0.0.1:9/"], "--keys: invalid URL"),
        (["--provider", "google", "--keys", "http://a.example/", "--allow-loopback-http"], "http is allowed only"),
        (["--provider", "google", "--keys", "ftp://a.example/"], "it does not begin with https://"),
        (["--provider", "google", "--keys", "file:///keys.json"], "it does not begin with https://"),
        (["--provider", "google", "--keys", "https://"], "its host is neither a name nor an address"),
        (["--provider", "google", "--keys", ""], "is empty"),
        (["--provider", "google", "--keys-cache", ""], "is empty"),
        (["--provider", "google", "--ca-file", ""], "is empty"),
        (
            ["--provider", "google", "--keys", "k.json", "--keys-cache", "d"],
            "--keys-cache goes with keys that are fetched"
        ),
        (["--provider", "google", "--keys", "k.json", "--ca-file", "f"], "--ca-file goes with keys that are fetched"),
        (["--provider", "google", "--keys", "k.json", "--keys-host", "a.example"], "--keys-host goes with keys that"),
        (["--provider", "google", "--keys", "k.json", "--allow-network", "10.0.0.0/8"], "--allow-network goes with"),
        (["--provider", "google", "--keys", "k.json", "--allow-loopback-http"], "--allow-loopback-http goes with"),
        (["--provider", "google", "--keys", "https://a.example/", "--keys-host", "b.example"], "goes with discovery"),
        (["--provider", "google", "--keys-host", "a.example"], "where google has its keys is known"),
        (["--issuer", "https://a.example", "--keys-host", "https://b.example"], "is no host"),
        (["--issuer", "https://a.example", "--keys-host", "b.example:443"], "is no host"),
        (["--issuer", "https://a.example", "--keys-host", "b.example/"], "is no host"),
        (["--issuer", "https://a.example", "--keys-host", ""], "is no host"),
        (["--issuer", "https://a.example", "--allow-network", "10.0.0.1/8"], "is no network"),
        (["--issuer", "https://a.example", "--allow-network", "10/8"], "is no network"),
        (["--issuer", "https://a.example", "--allow-network", ""], "is no network"),
    ]

    @Test(arguments: mistakes)
    func `what contradicts itself, or could not be asked, is a mistake of usage`(
        options: [String],
        says: String
    ) throws {
        let verify = ["verify", "missing.jwt", "--audience", "client-1", "--nonce", "n-1"]
        for arguments in [verify, ["keys"]] {
            let run = try CommandLineRun(arguments + options)
            #expect(run.status == 64 && run.output == "")
            let errors = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(errors.contains(says), "\(run.errors)")
        }
    }

    @Test(arguments: ["https://user:secret@a.example/", "http://user:secret@127.0.0.1/", "HTTPS://:secret@a.example"])
    func `a password in an address is not shown`(url: String) throws {
        for options in [["--keys", url], ["--issuer", url]] {
            let run = try CommandLineRun(["keys"] + options)
            #expect(run.status == 64 && run.output == "")
            #expect(run.errors.contains("it names a user, or a password, before @"))
            #expect(!run.errors.contains("secret"))
        }
    }

    @Test func `jws needs keys, and says so`() throws {
        let run = try CommandLineRun(["jws", "missing.jwt", "--keys-cache", "d"])
        #expect(run.status == 64 && run.errors.contains("Missing:\n  --keys <file or url>: "))
    }

    @Test func `a file whose name looks like an address can be named another way`() throws {
        let workspace = try Workspace()
        let folder = workspace.folder.appending(path: "https:")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try workspace.write(workspace.issuer.keySet.text, "https:/keys.json")
        let script = "cd '\(workspace.folder.path())' && exec '\(CommandLineRun.executable.path())' keys --keys"
        let shell = URL(filePath: "/bin/sh")
        #expect(try CommandLineRun(["-c", script + " ./https://keys.json"], program: shell).status == 0)
        #expect(try CommandLineRun(["-c", script + " https:/keys.json"], program: shell).status == 0)
    }
}
#endif
