// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Verification of many tokens with keys that the command fetches.
@Suite struct BatchFetchingTests {
    /// Runs the command on tokens signed with these keys; nil stands for a line that is not a token.
    private func batch(_ keys: [TestKey?], of provider: LiveProvider, _ further: String...) async throws
        -> CommandLineRun
    {
        let lines = try keys.map { key in
            try key.map { try String(contentsOfFile: provider.token(key: $0), encoding: .utf8) } ?? "garbage"
        }
        let file = provider.path("tokens.txt")
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
        let arguments = ["batch", file, "--issuer", provider.name, "--allow-loopback-http"]
        return try await CommandLineRun.beside(arguments + provider.expectations + further)
    }

    @Test func `the keys are fetched once for all tokens`() async throws {
        try await LiveProvider.run { provider in
            let run = try await batch([provider.issuer.key, nil, .another, provider.issuer.key], of: provider)
            #expect(run.output == "1\tverified\n2\tsegments\n3\tkey-not-found\n4\tverified\n")
            #expect(run.status == 1)
            #expect(provider.discoveryCount == 1 && provider.keySetCount == 1)
        }
    }

    @Test func `a key that is missing in the stored keys is fetched once`() async throws {
        try await LiveProvider.run { provider in
            let cache = ["--keys-cache", provider.path("keys")]
            #expect(try await batch([provider.issuer.key], of: provider, cache[0], cache[1]).status == 0)
            provider.publish([provider.issuer.key, .another])
            let keys = [provider.issuer.key, .another, .another, provider.issuer.key]
            let run = try await batch(keys, of: provider, cache[0], cache[1])
            #expect(run.status == 0 && run.output == "1\tverified\n2\tverified\n3\tverified\n4\tverified\n")
            #expect(provider.keySetCount == 2)
        }
    }

    @Test func `tokens whose key could not be fetched are undecided, and the others are not affected`() async throws {
        try await LiveProvider.run { provider in
            let cache = ["--keys-cache", provider.path("keys")]
            #expect(try await batch([provider.issuer.key], of: provider, cache[0], cache[1]).status == 0)
            provider.server.answer("/jwks", with: .json("broken"))
            let run = try await batch([.another, provider.issuer.key, nil], of: provider, cache[0], cache[1])
            #expect(run.output == "1\tkeys-unavailable\n2\tverified\n3\tsegments\n")
            #expect(run.status == 2)
            #expect(run.errors.contains("3 lines: 1 verified, 1 refused, 1 undecided\n"))
        }
    }

    @Test func `no line is read without keys`() async throws {
        try await LiveProvider.run { provider in
            provider.server.answer("/jwks", with: .json("broken"))
            let run = try await batch([provider.issuer.key], of: provider)
            #expect(run.status == 2 && run.output == "")
            #expect(run.errors.contains("undecided: keys-unavailable: "))
        }
    }
}
#endif
