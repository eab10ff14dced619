// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// `verify-token keys`.
@Suite struct KeysCommandTests {
    private static func thumbprint(_ key: TestKey) throws -> String { try key.publicKey().thumbprint }

    private func keys(_ keySet: TestJSON, _ further: String...) throws -> CommandLineRun {
        let workspace = try Workspace()
        let file = try workspace.write(keySet.text, "set.json").path()
        return try CommandLineRun(["keys", "--keys", file] + further)
    }

    private func list(_ run: CommandLineRun) throws -> [[String: Any]] {
        try #require(run.json()["keys"] as? [[String: Any]])
    }

    @Test func `a usable key is listed with its identifying data`() throws {
        let run = try keys(["keys": [TestKey.shared.json]])
        #expect(run.status == 0 && run.errors == "")
        let key = try Self.thumbprint(.shared)
        #expect(
            run.output == """
                1 of 1 key usable
                  from a file

                  usable  "\(TestKey.shared.keyID)"  RSA, 2048 bits  \(key)  RS256

                """
        )
    }

    @Test func `each key is an object in JSON output`() throws {
        let elliptic = TestKey(.es256)
        let run = try keys(["keys": [TestKey.shared.json, elliptic.json]], "--format", "json")
        #expect(run.status == 0)
        let report = try run.json()
        #expect(report["code"] is NSNull && report["message"] is NSNull && report["provider"] is NSNull)
        #expect((report["source"] as? [String: Any])?["from"] as? String == "file")
        let listed = try list(run)
        #expect(listed.map { $0["kid"] as? String } == [TestKey.shared.keyID, elliptic.keyID])
        #expect(listed.map { $0["usable"] as? Bool } == [true, true])
        #expect(listed.map { $0["type"] as? String } == ["RSA", "EC"])
        #expect(listed.map { $0["bits"] as? Int } == [2048, 256])
        #expect(listed.map { $0["curve"] as? String } == [nil, "P-256"])
        #expect(listed.map { $0["algorithms"] as? [String] } == [["RS256"], ["ES256"]])
        #expect(
            try listed.map { $0["thumbprint"] as? String } == [Self.thumbprint(.shared), Self.thumbprint(elliptic)]
        )
    }

    @Test func `an unusable key is listed with its reason beside the usable ones`() throws {
        var leaked = TestKey.another.json
        leaked["d"] = "AQAB"
        let set: TestJSON = ["keys": [TestKey.shared.json, leaked, ["kty": "oct"]]]
        let run = try keys(set, "--format", "json")
        #expect(run.status == 0)
        let listed = try list(run)
        #expect(listed.map { $0["usable"] as? Bool } == [true, false, false])
        #expect(listed.map { $0["reason"] as? String } == [nil, "private-key", "key-type"])
        let text = try keys(set).output
        #expect(text.hasPrefix("1 of 3 keys usable\n"))
        #expect(text.contains("\n  unusable  \"\(TestKey.another.keyID)\"  private-key: "))
        #expect(text.contains("\n  unusable  no ID"))
    }

    @Test func `columns are aligned`() throws {
        var short = TestKey.another.json
        short["kid"] = "k"
        let lines = try keys(["keys": [TestKey.shared.json, short]]).output.split(separator: "\n").suffix(2)
        let starts = lines.map { $0.split(separator: "RSA, 2048 bits", maxSplits: 1).first?.count }
        #expect(starts.count == 2 && starts[0] != nil)
        #expect(Set(starts).count == 1)
    }

    @Test func `a set without usable keys ends with status 2`() throws {
        for (set, count) in [(["keys": [["kty": "oct"]]], 1), (["keys": []], 0), ([:], 0)] as [(TestJSON, Int)] {
            let run = try keys(set, "--format", "json")
            #expect(run.status == 2)
            #expect(try run.code() == "keys-unavailable")
            #expect(try list(run).count == count)
        }
        let missing = try CommandLineRun(["keys", "--keys", "missing.json"])
        #expect(missing.status == 64)
        #expect(missing.output == "undecided: keys-unavailable: cannot read \"missing.json\": no such file\n")
    }

    @Test func `several keys with the same key ID are reported, with what happens to tokens that name it`() throws {
        var same = TestKey.another.json
        same["kid"] = .string(TestKey.shared.keyID)
        let run = try keys(["keys": [TestKey.shared.json, same]])
        #expect(run.status == 0)
        let shared =
            "2 different keys have the ID \"\(TestKey.shared.keyID)\": a token that names it is verified with each"
        #expect(run.output.contains("\n\n  note: \(shared)"))
        let five = (0..<5).map { _ in
            var json = TestKey(.es256).json
            json["kid"] = "k"
            return json
        }
        #expect(
            try keys(["keys": .array(five)]).output.contains(
                "5 different keys have the ID \"k\": a token that names it is refused"
            )
        )
        var other = TestKey(.es256).json
        other["kid"] = .string(TestKey.shared.keyID)
        #expect(try !keys(["keys": [TestKey.shared.json, other]]).output.contains("note:"))
    }

    @Test func `a key that is listed twice and a member that is ignored are notes`() throws {
        var same = TestKey.shared.json
        same["kid"] = "other"
        same["x5c"] = ["MAA="]
        let run = try keys(["keys": [TestKey.shared.json, same]])
        #expect(run.status == 0 && run.output.hasPrefix("2 of 2 keys usable\n"))
        let thumbprint = try TestKey.shared.publicKey().thumbprint
        #expect(run.output.contains("  note: the key \(thumbprint) is listed 2 times, and is one key"))
        #expect(run.output.contains("\n  note: key \"other\": x5c is ignored: "))
        #expect(
            try keys(["keys": [same]], "--format", "json").output.contains(
                #""notes":["key \"other\": x5c is ignored: "#
            )
        )
    }

    @Test(.rule("T-182"), arguments: ["text", "json"])
    func `control characters of a key ID are escaped`(format: String) throws {
        var hostile = TestKey.shared.json
        hostile["kid"] = "\u{1B}[31m\nusable \u{202E}"
        let output = try keys(["keys": [hostile]], "--format", format).output
        #expect(!output.contains("\u{1B}") && !output.contains("\u{202E}"))
        #expect(output.split(separator: "\n").count == (format == "json" ? 1 : 3))
    }

    @Test func `usable keys are green and others red on a terminal`() throws {
        let workspace = try Workspace()
        let set: TestJSON = ["keys": [TestKey.shared.json, ["kty": "oct"]]]
        let file = try workspace.write(set.text, "set.json").path()
        let run = try CommandLineRun(atTerminal: ["keys", "--keys", file], environment: ["TERM": "xterm"])
        #expect(run.output.contains("\n  \u{1B}[32musable\u{1B}[0m    \""))
        #expect(run.output.contains("\n  \u{1B}[31munusable\u{1B}[0m  no ID"))
    }

    @Test func `the source of the keys is required`() throws {
        for arguments in [[], ["--keys-cache", "d"], ["--provider", "microsoft"]] {
            let run = try CommandLineRun(["keys"] + arguments)
            #expect(run.status == 64 && run.errors.contains("Error: Missing:\n  --"))
        }
    }
}

#if HTTPClient
/// `verify-token keys` with fetched keys.
@Suite struct FetchedKeysCommandTests {
    @Test func `an issuer's keys are fetched and listed with their lifetime`() async throws {
        try await LiveProvider.run { provider in
            let arguments = ["keys", "--issuer", provider.name, "--allow-loopback-http"]
            let run = try await CommandLineRun.beside(arguments)
            let url = provider.server.url("/jwks")
            #expect(run.status == 0)
            #expect(
                run.output.hasPrefix(
                    "\(provider.name): 1 of 1 key usable\n  fetched from \(url), valid for \(LiveProvider.lifetime) s\n"
                )
            )
            let json = try await CommandLineRun.beside(arguments + ["--format", "json"]).json()
            #expect(json["provider"] as? String == provider.name)
            let source = try #require(json["source"] as? [String: Any])
            #expect(source["from"] as? String == "fetched" && source["url"] as? String == url)
            #expect(source["lifetime"] as? Int == LiveProvider.lifetime)
        }
    }

    @Test func `a key set URL is accepted in place of an issuer`() async throws {
        try await LiveProvider.run { provider in
            let arguments = ["keys", "--keys", provider.server.url("/jwks"), "--allow-loopback-http"]
            let run = try await CommandLineRun.beside(arguments)
            #expect(run.status == 0 && run.output.hasPrefix("1 of 1 key usable\n"))
            await provider.server.kill()
            let open = try await CommandLineRun.beside(arguments)
            #expect(open.status == 2 && open.output.hasPrefix("undecided: keys-unavailable: "))
        }
    }

    @Test func `stored keys are listed with their age`() async throws {
        try await LiveProvider.run { provider in
            let arguments = [
                "keys", "--issuer", provider.name, "--allow-loopback-http", "--keys-cache", provider.path("cache"),
            ]
            #expect(try await CommandLineRun.beside(arguments).status == 0)
            await provider.server.kill()
            let run = try await CommandLineRun.beside(arguments)
            #expect(run.status == 0 && run.output.contains("\n  cached, fetched "))
        }
    }
}
#endif
#endif
