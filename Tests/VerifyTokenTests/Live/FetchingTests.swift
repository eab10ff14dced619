// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Verification with keys that the command fetches.
@Suite struct FetchingTests {
    @Test func `an issuer's keys are found by discovery, and the report names their URL`() async throws {
        try await LiveProvider.run { provider in
            let run = try await provider.verify()
            #expect(run.status == 0 && run.errors == "")
            #expect(try run.keys("from") as? String == "fetched")
            #expect(try run.keys("url") as? String == provider.server.url("/jwks"))
            #expect(try run.keys("age") as? Int ?? -1 >= 0)
            #expect(try run.keys("lifetime") as? Int == LiveProvider.lifetime)
            #expect(try run.keys("stale") as? Bool == false)
            #expect(provider.discoveryCount == 1 && provider.keySetCount == 1)
        }
    }

    @Test func `a text report shows the key source beside the checks`() async throws {
        try await LiveProvider.run { provider in
            let arguments = [
                "verify", try provider.token(), "--issuer", provider.name, "--allow-loopback-http", "--explain",
            ]
            let run = try await CommandLineRun.beside(arguments + provider.expectations)
            #expect(run.status == 0)
            let url = provider.server.url("/jwks")
            #expect(run.output.contains("\n  note: keys: fetched from \(url), valid for \(LiveProvider.lifetime) s\n"))
        }
    }

    @Test func `a given key set URL is requested in place of the provider's`() async throws {
        try await LiveProvider.run { provider in
            provider.server.answer("/others", with: .keySet([TestKey.another]))
            let url = provider.server.url("/others?secret=1")
            let token = try provider.token(key: .another)
            let run = try await provider.verify(token, "--keys", url)
            #expect(run.status == 0)
            #expect(try run.keys("url") as? String == provider.server.url("/others"), "without the query")
            #expect(provider.discoveryCount == 0 && provider.keySetCount == 0)

            let facebook = TestIssuer.facebook(appID: "123", key: .another)
            let file = provider.path("facebook.jwt")
            try Data(facebook.token(nonce: "n-1").utf8).write(to: URL(filePath: file))
            let arguments = [
                file, "--provider", "facebook", "--app-id", "123", "--nonce", "n-1", "--at", "1760000000", "--keys",
                url, "--allow-loopback-http",
            ]
            #expect(try await CommandLineRun.beside(arguments).status == 0)
            #expect(provider.server.requestCount(of: "/others") == 2)
        }
    }

    @Test func `a token that is refused before its key is needed causes no request`() async throws {
        try await LiveProvider.run { provider in
            let garbage = provider.path("garbage")
            try Data("garbage".utf8).write(to: URL(filePath: garbage))
            let foreign = try provider.token { $0.claims["iss"] = "https://issuer.example" }
            for token in [garbage, foreign] {
                let run = try await provider.verify(token)
                #expect(run.status == 1)
                #expect(try run.json()["keys"] is NSNull)
            }
            #expect(provider.server.requests.isEmpty)
        }
    }

    @Test func `a key that is missing in keys just fetched is not requested again`() async throws {
        try await LiveProvider.run { provider in
            let run = try await provider.verify(provider.token(key: .another))
            #expect(try run.status == 1 && run.code() == "key-not-found")
            #expect(provider.keySetCount == 1)
        }
    }

    @Test func `the verdict is undecided while the server is down`() async throws {
        try await LiveProvider.run { provider in
            await provider.server.kill()
            let run = try await provider.verify()
            #expect(try run.status == 2 && run.code() == "keys-unavailable")
            // The client retries until its deadline, so on a slow machine the code is "deadline".
            let message = try #require(run.json()["message"] as? String)
            #expect(["connection", "deadline"].contains { message.contains("\($0): discovery document: ") })
            #expect(try run.json()["keys"] is NSNull)
            try await provider.server.revive()
            #expect(try await provider.verify().status == 0)
        }
    }

    @Test func `the verdict is undecided if the response is not a key set`() async throws {
        try await LiveProvider.run { provider in
            for script in [ServerScript.json(.raw("{\"keys\":[]}")), .respond(status: 503), .json(.raw("<html>"))] {
                provider.server.answer("/jwks", with: script)
                let run = try await provider.verify()
                #expect(try run.status == 2 && run.code() == "keys-unavailable")
            }
        }
    }

    @Test func `a discovery document of another issuer is refused`() async throws {
        try await LiveProvider.run { provider in
            provider.announce(keySetURL: provider.server.url("/jwks"), issuer: provider.name + "/")
            let run = try await provider.verify()
            #expect(try run.status == 2 && run.code() == "discovery")
            #expect(provider.keySetCount == 0)
        }
    }

    @Test func `keys on another host are fetched if that host is named`() async throws {
        try await LiveProvider.run { provider in
            provider.announce(keySetURL: provider.server.url("/jwks", name: "localhost"))
            for options in [[], ["--keys-host", "login.example.com"]] {
                let arguments = ["keys", "--issuer", provider.name, "--allow-loopback-http", "--format", "json"]
                let run = try await CommandLineRun.beside(arguments + options)
                #expect(try run.status == 2 && run.code() == "discovery")
            }
            #expect(provider.keySetCount == 0)
            #expect(try await provider.verify(nil, "--keys-host", "LOCALHOST", "--keys-host", "b.example").status == 0)
            #expect(provider.keySetCount == 1)
        }
    }

    @Test func `jws accepts a key set URL`() async throws {
        try await LiveProvider.run { provider in
            let arguments = ["--keys", provider.server.url("/jwks"), "--allow-loopback-http"]
            let run = try await CommandLineRun.beside(["jws", try provider.token()] + arguments)
            #expect(run.status == 0 && run.errors == "")
            #expect(try run.json()["iss"] as? String == provider.name)
            let other = try await CommandLineRun.beside(["jws", try provider.token(key: .another)] + arguments)
            #expect(other.status == 1 && other.output == "" && other.errors.contains("key-not-found"))
            await provider.server.kill()
            let open = try await CommandLineRun.beside(["jws", try provider.token()] + arguments)
            #expect(open.status == 2 && open.output == "")
            #expect(open.errors.hasPrefix("verify-token: undecided: keys-unavailable: "))
        }
    }

    @Test func `published private keys must be allowed explicitly`() async throws {
        let demo = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../TestVectors/demo")
        let keys = try String(contentsOf: demo.appending(path: "keys.json"), encoding: .utf8)
        try await LiveProvider.run { provider in
            provider.server.answer("/jwks", with: .json(.raw(keys)))
            let arguments = [
                "jws", demo.appending(path: "token.jwt").path(), "--keys", provider.server.url("/jwks"),
                "--allow-loopback-http",
            ]
            let refused = try await CommandLineRun.beside(arguments)
            #expect(refused.status == 2)
            let allowed = try await CommandLineRun.beside(arguments + ["--allow-published-test-keys"])
            #expect(allowed.status == 0)
        }
    }
}
#endif
