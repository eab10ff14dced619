// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginKeys
import LoginTesting
import LoginTokens
import TestSupport
import Testing

/// Providers whose documents are not where the issuer implies.
@Suite struct DocumentPlaceTests {
    private static let issuer = "https://issuer.example"
    private static let document = "https://issuer.example/.well-known/openid-configuration"

    /// A cache for one provider, and a transport with its documents.
    private struct PlaceBench {
        var issuer: TestIssuer
        let transport = StubTransport()
        let clock = ManualContinuousClock()
        let cache: KeyCache

        init(store: (any KeyStore)? = nil, _ change: (inout Provider.Documents) -> Void) throws {
            var provider = Provider.openID(issuers: [DocumentPlaceTests.issuer])
            change(&provider.documents)
            issuer = TestIssuer(provider: provider)
            cache = try KeyCache(providers: [provider], transport: transport, store: store, clock: clock)
        }

        func announce(
            _ keys: String,
            at url: String = DocumentPlaceTests.document,
            issuer: String = DocumentPlaceTests.issuer
        ) {
            transport.answer(url, with: .json(["issuer": .string(issuer), "jwks_uri": .string(keys)]))
            transport.answer(keys, with: .json(self.issuer.keySet))
        }

        func verdict(_ key: TestKey? = nil) async throws -> String {
            let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
            let verifier = TokenVerifier(policy: policy, keys: cache, clock: issuer.clock)
            let token = issuer.token { token in
                guard let key else { return }
                token.signing = .key(key)
                token.header["kid"] = .string(key.keyID)
            }
            do throws(VerificationError) {
                _ = try await verifier.verify(token, nonce: .mustBeAbsent)
                return "verified"
            } catch {
                return error.code.rawValue
            }
        }

        var failure: String? { cache.statuses.first?.lastFailure?.code.rawValue }
        var asked: [String] { transport.requests.map(\.url.description) }
    }

    @Test func `the keys at a configured URL are fetched without discovery`() async throws {
        let bench = try PlaceBench { $0.keySet = .url("https://keys.example/main") }
        bench.transport.answer("https://keys.example/main", with: .json(bench.issuer.keySet))
        #expect(try await bench.verdict() == "verified")
        #expect(bench.asked == ["https://keys.example/main"])
    }

    @Test(.rule("T-151")) func `a discovery document at another URL names keys on its host or on the issuer's`()
        async throws
    {
        let url = "https://internal.example/document"
        for keys in ["https://internal.example/keys", "https://issuer.example/keys"] {
            let bench = try PlaceBench { $0.discoveryURL = url }
            bench.announce(keys, at: url)
            #expect(try await bench.verdict() == "verified")
            #expect(bench.asked == [url, keys])
        }
        let bench = try PlaceBench { $0.discoveryURL = url }
        bench.announce("https://other.example/keys", at: url)
        #expect(try await bench.verdict() == "discovery")
        #expect(bench.failure == "key-set-host")
    }

    @Test(.rule("T-151")) func `a document at another URL has the issuer, or the one that is stated for it`()
        async throws
    {
        let cases: [(String?, String)] = [
            (nil, "discovery"), ("http://internal", "verified"), ("http://internal/", "discovery"),
        ]
        for (stated, verdict) in cases {
            let bench = try PlaceBench { $0.discoveryIssuer = stated }
            bench.announce("https://issuer.example/keys", issuer: "http://internal")
            #expect(try await bench.verdict() == verdict)
        }
    }

    @Test(arguments: ["http://internal.example/document", "", "internal.example"])
    func `an invalid place of the discovery document creates no cache`(url: String) {
        let error = #expect(throws: KeyCacheError.self) { try PlaceBench { $0.discoveryURL = url } }
        #expect(error?.description.contains("the discovery URL of ") == true)
    }

    // MARK: Files

    @Test func `keys in a file are used, and not stored`() async throws {
        try await withFile { file in
            let store = MemoryStore()
            let bench = try PlaceBench(store: store) { $0.keySet = .file(file) }
            try write(bench.issuer.keySet.text, to: file)
            #expect(try await bench.verdict() == "verified")
            #expect(bench.asked.isEmpty && store.saves == 0)
            #expect(bench.cache.statuses.first?.keySetURL == nil)
        }
    }

    @Test func `a changed file is read when a token names an unknown key, once per cooldown`() async throws {
        try await withFile { file in
            let bench = try PlaceBench { $0.keySet = .file(file) }
            try write(bench.issuer.keySet.text, to: file)
            #expect(try await bench.verdict(.another) == "key-not-found")
            let both: TestJSON = ["keys": [bench.issuer.key.json, TestKey.another.json]]
            try write(both.text, to: file)
            #expect(try await bench.verdict(.another) == "key-not-found")
            bench.clock.advance(by: .seconds(60))
            #expect(try await bench.verdict(.another) == "verified")
        }
    }

    @Test(arguments: ["missing", "empty", "too large", "directory", "pipe", "writable", "no key set"])
    func `a file that cannot be used is a failure that names it, and not a key`(fault: String) async throws {
        try await withFile { file in
            let bench = try PlaceBench { $0.keySet = .file(file) }
            try write(bench.issuer.keySet.text, to: file)
            switch fault {
            case "missing": try FileManager.default.removeItem(atPath: file)
            case "empty": try write("", to: file)
            case "too large": try write(String(repeating: " ", count: Limits.keySetBytes + 1), to: file)
            case "directory":
                try FileManager.default.removeItem(atPath: file)
                try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
            case "pipe":
                try FileManager.default.removeItem(atPath: file)
                try #require(unsafe mkfifo(file, 0o600) == 0)
            case "writable":
                try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
            default: try write("SECRET", to: file)
            }
            #expect(try await bench.verdict() == "keys-unavailable")
            let failure = try #require(bench.cache.statuses.first?.lastFailure)
            let isOfContent = ["no key set", "too large"].contains(fault)
            #expect(failure.code.rawValue == (isOfContent ? "key-set" : "file"))
            #expect(isOfContent || failure.detail.contains(file))
            #expect(!failure.detail.contains("SECRET"))
            let start = #expect(throws: KeyFetchFailure.self) { try KeyCache.checkFiles(of: bench.issuer.provider) }
            #expect(start == failure)
        }
    }

    @Test func `a symbolic link to a file is followed, as Kubernetes mounts files`() async throws {
        try await withFile { file in
            let bench = try PlaceBench { $0.keySet = .file(file + ".link") }
            try write(bench.issuer.keySet.text, to: file)
            try FileManager.default.createSymbolicLink(atPath: file + ".link", withDestinationPath: file)
            defer { try? FileManager.default.removeItem(atPath: file + ".link") }
            #expect(try await bench.verdict() == "verified")
        }
    }

    private func withFile(_ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json").path()
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await body(file)
    }

    private func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }
}
