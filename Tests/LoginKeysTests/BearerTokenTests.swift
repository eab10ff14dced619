// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// Requests for documents with a bearer token from a file.
@Suite struct BearerTokenTests {
    private static let origin = "https://issuer.example"
    private static let document = origin + "/.well-known/openid-configuration"
    private let transport = StubTransport()
    private let file = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path()

    init() {
        for url in [Self.origin + "/keys", "https://other.example/keys"] {
            transport.answer(url, with: .json(TestIssuer().keySet))
        }
        announce(Self.origin + "/keys")
    }

    private func announce(_ keys: String) {
        transport.answer(Self.document, with: .json(["issuer": .string(Self.origin), "jwks_uri": .string(keys)]))
    }

    private func write(_ text: String, mode: Int = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    /// Fetches the keys, and removes the file.
    private func fetch(_ change: (inout Provider) -> Void = { _ in }) async throws -> FetchedKeySet {
        defer { try? FileManager.default.removeItem(atPath: file) }
        var provider = Provider.openID(issuers: [Self.origin])
        provider.documents.bearerTokenFile = file
        change(&provider)
        var configuration = KeyCacheConfiguration()
        configuration.keySetHosts = ["other.example"]
        let fetcher = KeySetFetcher(
            source: try KeySetSource(provider),
            configuration: configuration,
            transport: transport,
            timekeeper: Timekeeper(ManualContinuousClock()),
            wallClock: ManualClock()
        )
        return try await fetcher.fetch(from: nil)
    }

    /// The tokens that were sent, with the URL.
    private var sent: [String: String] {
        let pairs = transport.requests.map { request in
            (request.url.description, request.headers.first { $0.name == "Authorization" }?.value ?? "none")
        }
        return Dictionary(pairs) { _, last in last }
    }

    @Test(arguments: ["abc.DEF-1_2~3+4/5==", "abc\n", "abc\r\n"])
    func `discovery and keys at the configured origin are requested with the token`(content: String) async throws {
        try write(content)
        _ = try await fetch()
        let token = content.trimmingCharacters(in: .newlines)
        #expect(sent == [Self.document: "Bearer \(token)", Self.origin + "/keys": "Bearer \(token)"])
    }

    @Test func `a key set that the document names on another host is requested without the token`() async throws {
        try write("abc")
        announce("https://other.example/keys")
        _ = try await fetch()
        #expect(sent == [Self.document: "Bearer abc", "https://other.example/keys": "none"])
    }

    @Test func `the origin of a configured key set receives the token`() async throws {
        try write("abc")
        _ = try await fetch { $0.documents.keySet = .url("https://other.example/keys") }
        #expect(sent == ["https://other.example/keys": "Bearer abc"])
    }

    @Test func `a replaced token is sent with the next request`() async throws {
        for token in ["first", "second"] {
            try write(token)
            _ = try await fetch()
            #expect(sent[Self.document] == "Bearer \(token)")
        }
    }

    @Test func `a redirect within the origin keeps the token, and another one is not followed`() async throws {
        try write("abc")
        let moved = TransportResponse(status: 302, headers: [(name: "Location", value: "/moved")], body: [])
        transport.answer(Self.origin + "/keys", with: .response(moved))
        transport.answer(Self.origin + "/moved", with: .json(TestIssuer().keySet))
        _ = try await fetch { $0.documents.followsRedirects = true }
        #expect(sent[Self.origin + "/moved"] == "Bearer abc")
    }

    @Test(arguments: ["", "\n", "two words", "a\nb", "SECRET\u{0}", "SECRET\u{E9}", " SECRET"])
    func `a file without one token is a failure that does not show its content`(content: String) async throws {
        try write(content)
        let error = await #expect(throws: KeyFetchFailure.self) { try await fetch() }
        #expect(error?.code == .file && error?.detail.contains(file) == true)
        #expect(error?.detail.contains("SECRET") == false)
        #expect(transport.requests.isEmpty)
    }

    @Test func `a token that every user could replace is not sent, and neither is one that is missing`() async throws {
        try write("abc", mode: 0o666)
        for _ in 0..<2 {
            // The file is removed by the first attempt.
            let error = await #expect(throws: KeyFetchFailure.self) { try await fetch() }
            #expect(error?.code == .file)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `a token for an origin with http creates no cache`() {
        var provider = Provider.openID(issuers: ["http://127.0.0.1:8080"])
        provider.allowsLoopbackHTTP = true
        provider.documents.bearerTokenFile = file
        let error = #expect(throws: KeyCacheError.self) { try KeySetSource(provider) }
        #expect(error?.description.contains("over https only") == true)
    }
}
