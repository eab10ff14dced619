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
        (["--issuer", "http://127.0.0.1:9"], "(http is not enabled); --allow-loopback-http allows it, for tests."),
        (["--issuer", "http://issuer.example"], "(http is allowed only for loopback addresses)."),
        (
            ["--issuer", "http://issuer.example", "--allow-loopback-http"],
            "(http is allowed only for loopback addresses)."
        ),
        (
            ["--issuer", "issuer.example"],
            "--issuer, without --keys: invalid URL: the URL must begin"
        ),
        (["--issuer", "https://issuer.example?x"], "an issuer must not have a query"),
        (["--issuer", ""], "--issuer is empty"),
        (["--provider", "google", "--keys", "http://127.0.0.1:9/"], "--keys: invalid URL"),
        (["--provider", "google", "--keys", "http://a.example/", "--allow-loopback-http"], "http is allowed only"),
        (["--provider", "google", "--keys", "ftp://a.example/"], "the URL must begin with https://"),
        (["--provider", "google", "--keys", "file:///keys.json"], "the URL must begin with https://"),
        (["--provider", "google", "--keys", "https://"], "the host is neither a name nor an address"),
        (["--provider", "google", "--keys", ""], "is empty"),
        (["--provider", "google", "--keys-cache", ""], "is empty"),
        (["--provider", "google", "--ca-file", ""], "is empty"),
        (
            ["--provider", "google", "--keys", "k.json", "--keys-cache", "d"],
            "--keys-cache requires keys that are fetched"
        ),
        (["--provider", "google", "--keys", "k.json", "--ca-file", "f"], "--ca-file requires keys that are fetched"),
        (["--provider", "google", "--keys", "k.json", "--keys-host", "a.example"], "--keys-host requires keys that"),
        (
            ["--provider", "google", "--keys", "k.json", "--allow-network", "10.0.0.0/8"],
            "--allow-network requires keys"
        ),
        (["--provider", "google", "--keys", "k.json", "--allow-loopback-http"], "--allow-loopback-http requires keys"),
        (["--provider", "google", "--keys", "https://a.example/", "--keys-host", "b.example"], "is for discovery"),
        (["--provider", "google", "--keys-host", "a.example"], "the key set URL of google is known"),
        (["--issuer", "https://a.example", "--keys-host", "https://b.example"], "is not a host name"),
        (["--issuer", "https://a.example", "--keys-host", "b.example:443"], "is not a host name"),
        (["--issuer", "https://a.example", "--keys-host", "b.example/"], "is not a host name"),
        (["--issuer", "https://a.example", "--keys-host", ""], "is not a host name"),
        (["--issuer", "https://a.example", "--allow-network", "10.0.0.1/8"], "is not a network"),
        (["--issuer", "https://a.example", "--allow-network", "10/8"], "is not a network"),
        (["--issuer", "https://a.example", "--allow-network", ""], "is not a network"),
        (["--issuer", "https://a.example", "--allow-network", "0.0.0.0/0"], "a large part of the internet"),
        (["--issuer", "https://a.example", "--allow-network", "::ffff:10.0.0.0/104"], "write the IPv4 network"),
    ]

    @Test(arguments: mistakes)
    func `contradictory options and unusable URLs are usage errors`(
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

    @Test func `a preset with an http URL on this machine names the option that allows it`() throws {
        let access = ["access", "missing.jwt", "--audience", "orders", "--preset"]
        let run = try CommandLineRun(access + ["keycloak:http://127.0.0.1:9/realms/main"])
        #expect(run.status == 64 && run.output == "")
        let says =
            #"the key set URL of "keycloak": invalid URL: https is required (http is not enabled); "#
            + "--allow-loopback-http allows it, for tests."
        let errors = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(errors.contains(says), "\(run.errors)")
    }

    @Test(arguments: ["https://user:secret@a.example/", "http://user:secret@127.0.0.1/", "HTTPS://:secret@a.example"])
    func `a password in a URL is not shown`(url: String) throws {
        for options in [["--keys", url], ["--issuer", url]] {
            let run = try CommandLineRun(["keys"] + options)
            #expect(run.status == 64 && run.output == "")
            #expect(run.errors.contains("must not contain a user name or a password"))
            #expect(!run.errors.contains("secret"))
        }
    }

    @Test func `jws requires keys and says so`() throws {
        let run = try CommandLineRun(["jws", "missing.jwt", "--keys-cache", "d"])
        #expect(run.status == 64 && run.errors.contains("Missing:\n  --keys <file or url>: "))
    }

    @Test func `a file whose name looks like a URL can be named by another path`() throws {
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
