// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Keys that are stored between runs (`--keys-cache`).
@Suite struct KeptKeysTests {
    /// Runs a provider, and a first command that stores its keys in the directory `cache`.
    private func withKeptKeys(_ body: (LiveProvider, String) async throws -> Void) async throws {
        try await LiveProvider.run { provider in
            let cache = provider.path("cache")
            let run = try await provider.verify(nil, "--keys-cache", cache)
            #expect(run.status == 0 && run.errors == "")
            #expect(try run.keys("from") as? String == "fetched")
            try await body(provider, cache)
        }
    }

    /// Changes the stored keys to look older than they are.
    private func age(_ cache: String, by seconds: Int) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: cache)
        let name = try #require(names.first { $0.hasSuffix(".json") })
        let path = cache + "/" + name
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        let content = try #require(try handle.readToEnd())
        let end = try #require(content.firstIndex(of: UInt8(ascii: "\n")))
        var head = try #require(JSONSerialization.jsonObject(with: content[..<end]) as? [String: Any])
        head["fetched_at"] = try #require(head["fetched_at"] as? Int) - seconds
        // Written into the same file, which keeps its mode.
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: JSONSerialization.data(withJSONObject: head) + content[end...])
        try handle.close()
    }

    @Test func `stored keys are used while the provider is down, and without them the verdict is undecided`()
        async throws
    {
        try await withKeptKeys { provider, cache in
            await provider.server.kill()
            let kept = try await provider.verify(nil, "--keys-cache", cache)
            #expect(kept.status == 0 && kept.errors == "")
            #expect(try kept.keys("from") as? String == "kept")
            #expect(try kept.keys("url") as? String == provider.server.url("/jwks"))
            #expect(try kept.keys("stale") as? Bool == false)
            #expect(try await provider.verify().status == 2)
            #expect(try await provider.verify(nil, "--keys-cache", provider.path("empty")).status == 2)
            let forged = try provider.token { $0.signing = .bytes([1]) }
            #expect(try await provider.verify(forged, "--keys-cache", cache).status == 1)
        }
    }

    @Test func `fresh stored keys cause no request`() async throws {
        try await withKeptKeys { provider, cache in
            let run = try await provider.verify(nil, "--keys-cache", cache)
            #expect(run.status == 0)
            #expect(provider.discoveryCount == 1 && provider.keySetCount == 1)
        }
    }

    @Test func `the directory is created for its owner only`() async throws {
        try await withKeptKeys { provider, cache in
            let attributes = try FileManager.default.attributesOfItem(atPath: cache)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache).count == 1)
        }
    }

    @Test func `a new key is fetched, and tokens of the withdrawn key are refused from then on`() async throws {
        try await withKeptKeys { provider, cache in
            let old = try provider.token()
            provider.publish([.another])
            let new = try await provider.verify(provider.token(key: .another), "--keys-cache", cache)
            #expect(new.status == 0)
            #expect(try new.keys("from") as? String == "fetched")
            #expect(provider.keySetCount == 2)
            let refused = try await provider.verify(old, "--keys-cache", cache)
            #expect(try refused.status == 1 && refused.code() == "key-not-found")
        }
    }

    @Test func `the verdict is undecided if a new key cannot be fetched`() async throws {
        try await withKeptKeys { provider, cache in
            await provider.server.kill()
            let run = try await provider.verify(provider.token(key: .another), "--keys-cache", cache)
            #expect(try run.status == 2 && run.code() == "keys-unavailable")
        }
    }

    @Test func `stale stored keys are renewed before use`() async throws {
        try await withKeptKeys { provider, cache in
            try age(cache, by: LiveProvider.lifetime)
            let run = try await provider.verify(nil, "--keys-cache", cache)
            #expect(run.status == 0)
            #expect(try run.keys("from") as? String == "fetched")
            #expect(provider.keySetCount == 2)
            provider.publish([.another])
            let old = try provider.token()
            try age(cache, by: LiveProvider.lifetime)
            #expect(try await provider.verify(old, "--keys-cache", cache).code() == "key-not-found")
        }
    }

    @Test func `stale stored keys that cannot be renewed are used for a day, and the report says so`() async throws {
        try await withKeptKeys { provider, cache in
            await provider.server.kill()
            try age(cache, by: LiveProvider.lifetime)
            let stale = try await provider.verify(nil, "--keys-cache", cache)
            #expect(stale.status == 0)
            #expect(try stale.keys("stale") as? Bool == true)
            #expect(try stale.keys("age") as? Int ?? 0 >= LiveProvider.lifetime)
            let arguments = [try provider.token(), "--issuer", provider.name, "--allow-loopback-http"]
            let text = try await CommandLineRun.beside(arguments + provider.expectations + ["--keys-cache", cache])
            #expect(text.status == 0)
            #expect(text.output.contains(", STALE: connection: "))

            try age(cache, by: 86_400 - 3600)
            #expect(try await provider.verify(nil, "--keys-cache", cache).status == 0)
            try age(cache, by: 3600)
            let expired = try await provider.verify(nil, "--keys-cache", cache)
            #expect(try expired.status == 2 && expired.code() == "keys-unavailable")
        }
    }

    @Test func `a slow provider does not delay a command with fresh stored keys`() async throws {
        try await LiveProvider.run { provider in
            // On a busy machine the command itself may take as long as the provider, so there are several attempts.
            for attempt in 1...3 {
                let cache = provider.path("cache-\(attempt)")
                provider.announce(keySetURL: provider.server.url("/jwks"))
                #expect(try await provider.verify(nil, "--keys-cache", cache).status == 0)
                try age(cache, by: LiveProvider.lifetime - 1500)
                provider.announce(keySetURL: provider.server.url("/jwks"), after: .seconds(4))
                let before = provider.keySetCount
                let run = try await provider.verify(nil, "--keys-cache", cache)
                #expect(run.status == 0)
                // If the command had waited for the discovery document, it would have requested the keys as well.
                guard provider.keySetCount == before else { continue }
                #expect(try run.keys("from") as? String == "kept")
                return
            }
            Issue.record("the command stays for a provider that is slow")
        }
    }

    @Test func `a directory that others can read is refused without a request`() async throws {
        try await LiveProvider.run { provider in
            let cache = provider.path("cache")
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: false)
            for (mode, status) in [(0o755, 2), (0o770, 2), (0o700, 0)] as [(Int, Int32)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: cache)
                let run = try await provider.verify(nil, "--keys-cache", cache)
                #expect(run.status == status)
                guard status == 2 else { continue }
                #expect(try run.code() == "keys-unavailable")
                #expect(try #require(run.json()["message"] as? String).contains("chmod"))
                #expect(provider.server.requests.isEmpty)
            }
        }
    }

    @Test func `keys stored from another URL are not used`() async throws {
        try await withKeptKeys { provider, cache in
            provider.server.answer("/others", with: .keySet([.another]))
            let url = provider.server.url("/others")
            let token = try provider.token(key: .another)
            let run = try await provider.verify(token, "--keys-cache", cache, "--keys", url)
            #expect(run.status == 0 && run.errors == "")
            #expect(try run.keys("from") as? String == "fetched")
            // The URL is on the issuer's host, where discovered keys may be too.
            let discovered = try await provider.verify(token, "--keys-cache", cache)
            #expect(try discovered.status == 1 && discovered.code() == "key-not-found")
        }
    }

    @Test func `a damaged file is ignored and replaced`() async throws {
        try await withKeptKeys { provider, cache in
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: cache).first)
            let handle = try #require(FileHandle(forUpdatingAtPath: cache + "/" + name))
            try handle.truncate(atOffset: 100)
            try handle.close()
            let run = try await provider.verify(nil, "--keys-cache", cache)
            #expect(run.status == 0)
            #expect(run.errors.hasPrefix("verify-token: the cached keys are not used: "))
            #expect(provider.keySetCount == 2)
            let next = try await provider.verify(nil, "--keys-cache", cache)
            #expect(next.status == 0 && next.errors == "")
            #expect(provider.keySetCount == 2)
        }
    }
}
#endif
